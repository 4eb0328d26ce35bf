//! As much of JSON as recorded games are written in.

use std::collections::BTreeMap;

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub enum Json {
    Null,
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Map(BTreeMap<String, Json>),
}

impl Json {
    pub fn read(text: &str) -> Json {
        let mut at = 0;
        value(text.as_bytes(), &mut at)
    }

    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Map(map) => map.get(key),
            _ => None,
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Json::Text(text) => text,
            _ => "",
        }
    }

    pub fn number(&self) -> f64 {
        match self {
            Json::Number(number) => *number,
            other => panic!("{other:?} is not a number"),
        }
    }

    pub fn list(&self) -> &[Json] {
        match self {
            Json::List(list) => list,
            _ => &[],
        }
    }

    pub fn map(&self) -> impl Iterator<Item = (&String, &Json)> {
        let map = match self {
            Json::Map(map) => Some(map),
            _ => None,
        };
        map.into_iter().flatten()
    }
}

fn value(text: &[u8], at: &mut usize) -> Json {
    skip(text, at);
    match text[*at] {
        b'{' => {
            let mut map = BTreeMap::new();
            *at += 1;
            while !ends(text, at, b'}') {
                let Json::Text(key) = value(text, at) else { panic!("a key is text") };
                skip(text, at);
                assert_eq!(text[*at], b':');
                *at += 1;
                map.insert(key, value(text, at));
            }
            Json::Map(map)
        }
        b'[' => {
            let mut list = Vec::new();
            *at += 1;
            while !ends(text, at, b']') {
                list.push(value(text, at));
            }
            Json::List(list)
        }
        b'"' => {
            *at += 1;
            let mut bytes = Vec::new();
            while text[*at] != b'"' {
                if text[*at] == b'\\' {
                    *at += 1;
                    bytes.push(match text[*at] {
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        other => other,
                    });
                } else {
                    bytes.push(text[*at]);
                }
                *at += 1;
            }
            *at += 1;
            Json::Text(String::from_utf8(bytes).expect("UTF-8"))
        }
        _ => {
            let rest = &text[*at..];
            let end = rest.iter().position(|c| b",]} \n".contains(c)).unwrap_or(rest.len());
            *at += end;
            match std::str::from_utf8(&rest[..end]).expect("UTF-8") {
                "null" => Json::Null,
                "true" => Json::Flag(true),
                "false" => Json::Flag(false),
                number => Json::Number(number.parse().expect("a number")),
            }
        }
    }
}

fn skip(text: &[u8], at: &mut usize) {
    while text.get(*at).is_some_and(|c| b" \n\t\r".contains(c)) {
        *at += 1;
    }
}

/// Whether a list ends here; else goes to its next entry.
fn ends(text: &[u8], at: &mut usize, end: u8) -> bool {
    skip(text, at);
    if text[*at] == b',' {
        *at += 1;
        skip(text, at);
    }
    if text[*at] == end {
        *at += 1;
        return true;
    }
    false
}
