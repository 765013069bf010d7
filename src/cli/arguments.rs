//! The arguments of this process, command first: options that all commands have may stand before it.

use std::ffi::{OsStr, OsString};

use clap::{Arg, ArgAction, Command};

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
    let cli = super::definition();
    let mut at = 1;
    while let Some((arg, words)) = arguments.get(at).and_then(|word| option(&cli, word)) {
        if let ArgAction::HelpShort | ArgAction::Version = arg.get_action() {
            break;
        }
        at += words;
    }
    let is_command = |word: &OsString| cli.find_subcommand(word).is_some();
    if arguments.get(at).is_some_and(is_command) {
        arguments[1..=at].rotate_right(1);
    }
    arguments
}

/// Returns the option of `command` that `word` begins, the last one of several letters, and its number of words. Returns
/// none for unknown options and other words.
pub(crate) fn option<'a>(command: &'a Command, word: &OsStr) -> Option<(&'a Arg, usize)> {
    let mut all = command.get_arguments();
    // A name is ASCII. The value after it may be any bytes.
    let word = word.to_string_lossy();
    if let Some(long) = word.strip_prefix("--") {
        let name = long.split_once('=').map_or(long, |(name, _)| name);
        let arg = all.find(|arg| {
            let names = arg.get_long_and_visible_aliases();
            names.is_some_and(|names| names.contains(&name))
        })?;
        let value_follows = arg.get_action().takes_values() && name == long;
        return Some((arg, 1 + usize::from(value_follows)));
    }
    let mut found = None;
    let mut letters = word.strip_prefix('-')?.chars();
    while let Some(letter) = letters.next() {
        let is_alias = |aliases: Vec<char>| aliases.contains(&letter);
        let arg = command.get_arguments().find(|arg| {
            let aliases = arg.get_visible_short_aliases();
            arg.get_short() == Some(letter) || aliases.is_some_and(is_alias)
        })?;
        if arg.get_action().takes_values() {
            return Some((arg, 1 + usize::from(letters.as_str().is_empty())));
        }
        found = Some((arg, 1));
    }
    found
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
            ("-q -n 5 by STATE", "by -q -n 5 STATE"),
            ("--limit 5 export x", "export --limit 5 x"),
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
