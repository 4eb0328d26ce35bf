//! A linear evaluator: a game's features by weights.

use std::sync::OnceLock;

use super::Evaluator;
use crate::file;
use crate::model::Model;
use crate::playout::{Context, MAX_PLAYERS};
use crate::position::Position;

crate::params! {
    /// The game's features by weights: a return that is as likely as the logistic function of their sum says.
    pub struct LinearParams {
        /// A file of weights that `kibitz weigh` wrote; none for those that the game comes with.
        pub weights: Option<String> = None;
    }
}

crate::register_part!(dyn Evaluator, "linear", LinearParams, |params| Linear::read(
    params.weights.as_deref()
)
.map(|linear| Box::new(linear) as _));

/// No file of weights is larger.
const LARGEST: u64 = 1 << 20;

struct Linear {
    /// What the file says of each feature.
    file: Option<Vec<(String, f64)>>,
    /// In the order of the game's features, once that is known.
    weights: OnceLock<Vec<f64>>,
}

impl Linear {
    fn read(path: Option<&str>) -> Result<Linear, String> {
        let file = path.map(|path| {
            let bytes = file::read(path, LARGEST).map_err(|why| format!("{path}: {why}"))?;
            let text = String::from_utf8(bytes).map_err(|_| format!("{path}: it is no text"))?;
            parse(&text).map_err(|(line, why)| format!("{path}:{line}: {why}"))
        });
        Ok(Linear { file: file.transpose()?, weights: OnceLock::new() })
    }

    /// The weights in the order of the game's features.
    fn fit(&self, model: &dyn Model) -> Result<Vec<f64>, String> {
        if !model.has().features {
            return Err("evaluator=linear needs features, which this game lacks".to_owned());
        }
        let (names, own) = (model.feature_names(), model.feature_weights());
        let Some(file) = &self.file else {
            let sound = names.len() == own.len();
            return if sound {
                Ok(own)
            } else {
                Err("this game weighs not each of its features".to_owned())
            };
        };
        if let Some((stranger, _)) = file.iter().find(|(name, _)| !names.contains(name)) {
            return Err(format!("the weights are of another game: it has no feature \"{stranger}\""));
        }
        let weight =
            |name: &String| file.iter().find(|(other, _)| other == name).map(|(_, weight)| *weight);
        names
            .iter()
            .map(|name| weight(name).ok_or_else(|| format!("the weights lack the feature \"{name}\"")))
            .collect()
    }
}

/// Lines of a number and a name; those that begin with `#` are passed over.
fn parse(text: &str) -> Result<Vec<(String, f64)>, (usize, String)> {
    let lines =
        (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    lines
        .map(|(number, line)| {
            let (weight, name) = line.trim().split_once(char::is_whitespace).unwrap_or((line, ""));
            match weight.parse::<f64>() {
                Ok(weight) if weight.is_finite() && !name.is_empty() => {
                    Ok((name.trim().to_owned(), weight))
                }
                _ => Err((number, "a line should have a weight and the name of a feature".to_owned())),
            }
        })
        .collect()
}

impl Evaluator for Linear {
    fn check(&self, model: &dyn Model) -> Result<(), String> {
        let weights = self.fit(model)?;
        if *self.weights.get_or_init(|| weights.clone()) == weights {
            Ok(())
        } else {
            Err("evaluator=linear was made for another game".to_owned())
        }
    }

    fn evaluate(&self, position: &dyn Position, _: &mut Context, values: &mut [f64]) -> u64 {
        let Some(weights) = self.weights.get() else {
            values.fill(0.0);
            return 0;
        };
        let info = position.info();
        let opposite = info.zero_sum && values.len() == 2;
        let (middle, half) =
            ((info.min_return + info.max_return) / 2.0, (info.max_return - info.min_return) / 2.0);
        let mut features = Vec::with_capacity(weights.len());
        let mut found = [0.0; MAX_PLAYERS];
        for (player, value) in found.iter_mut().enumerate().take(values.len()) {
            features.clear();
            position.features(player, &mut features);
            let sum: f64 = features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
            // 2 / (1 + e^-x) - 1 = tanh(x / 2)
            *value = middle + half * (sum / 2.0).tanh();
            if opposite {
                found[1] = 2.0 * middle - found[0];
                break;
            }
        }
        values.copy_from_slice(&found[..values.len()]);
        0
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_line_is_a_weight_and_a_name() {
        let read = parse("# made by a command\n0.5 health of the General\n-1e-3 minions\n").unwrap();
        assert_eq!(read, [("health of the General".to_owned(), 0.5), ("minions".to_owned(), -0.001)]);
        for (text, line) in [("x minions", 1), ("\n1", 2), ("nan minions", 1), ("0.1\n0.2 a", 1)] {
            assert_eq!(parse(text).unwrap_err().0, line, "{text}");
        }
    }
}
