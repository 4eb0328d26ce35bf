//! The list of games is the list of files, which cargo only sees change if it is told to look.

fn main() {
    println!("cargo::rerun-if-changed=src/games");
}
