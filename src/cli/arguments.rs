//! The arguments of this process, command first: options that all commands have may stand before it.

use std::ffi::{OsStr, OsString};

use clap::{Arg, ArgAction, Command, CommandFactory};

use super::Cli;

/// Returns the arguments of this process, with the command before its options.
pub(crate) fn arguments() -> Vec<OsString> {
    command_first(std::env::args_os().collect())
}

/// Moves a command before the options of the report that precede it. Clap would take these for the report's.
pub(crate) fn command_first(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_option = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
    if !arguments.get(1).is_some_and(is_option) {
        return arguments;
    }
    let cli = Cli::command();
    let mut at = 1;
    while let Some(words) = arguments.get(at).and_then(|word| words_of(&cli, word)) {
        at += words;
    }
    let is_command = |word: &OsString| cli.find_subcommand(word).is_some();
    if arguments.get(at).is_some_and(is_command) {
        arguments[1..=at].rotate_right(1);
    }
    arguments
}

/// Returns the number of words of the option that `word` begins. Returns none for `--help`, unknown
/// options and other words.
fn words_of(cli: &Command, word: &OsStr) -> Option<usize> {
    let find = |is_it: &dyn Fn(&Arg) -> bool| {
        let mut known = cli.get_arguments();
        known.find(|arg| is_it(arg) && !matches!(arg.get_action(), ArgAction::HelpShort))
    };
    // A name is ASCII. The value after it may be any bytes.
    let word = word.to_string_lossy();
    if let Some(long) = word.strip_prefix("--") {
        let name = long.split_once('=').map_or(long, |(name, _)| name);
        let arg = find(&|arg| arg.get_long() == Some(name))?;
        let value_follows = arg.get_action().takes_values() && name == long;
        return Some(1 + usize::from(value_follows));
    }
    let mut letters = word
        .strip_prefix('-')
        .filter(|rest| !rest.is_empty())?
        .chars();
    while let Some(letter) = letters.next() {
        let arg = find(&|arg| arg.get_short() == Some(letter))?;
        if arg.get_action().takes_values() {
            return Some(1 + usize::from(letters.as_str().is_empty()));
        }
    }
    Some(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_comes_before_its_options_and_nothing_else_moves() {
        for (typed, expected) in [
            ("--simd avx2 by STATE", "by --simd avx2 STATE"),
            (
                "--simd=avx2 -j1 --stats count x",
                "count --simd=avx2 -j1 --stats x",
            ),
            ("-j 1 -o count count x", "count -j 1 -o count x"),
            (
                "-fjson --where STATE=CA by STATE",
                "by -fjson --where STATE=CA STATE",
            ),
            ("--stats merge a.part", "merge --stats a.part"),
            // A file, although a later word is a command.
            ("--stats x.txt count", "--stats x.txt count"),
            ("--stats ./count", "--stats ./count"),
            ("--stats -- count", "--stats -- count"),
            ("-o count", "-o count"),
            ("- count", "- count"),
            ("--help by", "--help by"),
            ("-h by", "-h by"),
            ("--version by", "--version by"),
            ("--unknown by", "--unknown by"),
            ("by --stats STATE", "by --stats STATE"),
            ("", ""),
        ] {
            let words = |line: &str| {
                let words = ["fecscan"].into_iter().chain(line.split_whitespace());
                words.map(OsString::from).collect::<Vec<_>>()
            };
            assert_eq!(command_first(words(typed)), words(expected), "{typed}");
        }
    }
}
