//! The command line as a page shows it, without the options that leave the result as it is.

use std::ffi::{OsStr, OsString};

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory};
use fecscan::render::decoded;

use crate::cli::{self, Cli};

/// Options that leave the result as it is, or say only where it goes.
const WITHOUT_EFFECT: [&str; 14] = [
    "color",
    "compression",
    "format",
    "io",
    "max-groups",
    "max-member-bytes",
    "no-progress",
    "output",
    "rejects",
    "simd",
    "stats",
    "strict",
    "task-size",
    "threads",
];

/// Returns the command line of this process, so that a shell understands it.
pub(super) fn shown() -> String {
    of(&cli::arguments()).unwrap_or_default()
}

/// Returns the command line, unless it is a usage error.
fn of(arguments: &[OsString]) -> Option<String> {
    let mut cli = Cli::command();
    let matches = cli.try_get_matches_from_mut(arguments).ok()?;
    let mut words = vec!["fecscan".to_owned()];
    let (command, matches) = match matches.subcommand() {
        Some((name, matches)) => {
            words.push(name.to_owned());
            (cli.find_subcommand(name)?, matches)
        }
        None => (&cli, &matches),
    };
    words.extend(typed(command, matches));
    words.push("-f html".to_owned());
    Some(words.join(" "))
}

/// Returns the arguments in the order typed.
fn typed(command: &Command, matches: &ArgMatches) -> impl Iterator<Item = String> {
    let mut words: Vec<(usize, String)> = Vec::new();
    let is_typed = |arg: &&Arg| {
        let has_effect = |long| !WITHOUT_EFFECT.contains(&long);
        let source = matches.value_source(arg.get_id().as_str());
        source == Some(ValueSource::CommandLine) && arg.get_long().is_none_or(has_effect)
    };
    for arg in command.get_arguments().filter(is_typed) {
        let id = arg.get_id().as_str();
        let places = matches.indices_of(id).into_iter().flatten();
        let values = matches.get_raw(id).into_iter().flatten().map(quoted);
        match arg.get_long() {
            None => words.extend(places.zip(values)),
            Some(long) if arg.get_action().takes_values() => {
                words.extend(places.zip(values.map(|value| format!("--{long} {value}"))));
            }
            Some(long) => words.extend(places.map(|place| (place, format!("--{long}")))),
        }
    }
    words.sort_unstable();
    words.into_iter().map(|(_, word)| word)
}

/// Returns a word as a shell needs it.
fn quoted(word: &OsStr) -> String {
    let text = decoded(word.as_encoded_bytes());
    let is_plain = |c: char| c.is_alphanumeric() || "_-+./,:=@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(arguments: &[&str]) -> String {
        let arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
        of(&arguments).unwrap()
    }

    #[test]
    fn options_without_effect_are_left_out() {
        let plain = line(&["fecscan", "-o", "x.html", "a.txt"]);
        assert_eq!(plain, "fecscan a.txt -f html");
        let all = [
            "fecscan",
            "report",
            "-j",
            "1",
            "--io",
            "read",
            "--simd=portable",
            "--stats",
            "--no-progress",
            "--strict",
            "--color",
            "never",
            "--task-size",
            "7",
            "-f",
            "html",
            "--rejects",
            "odd.csv",
            "--max-member-bytes",
            "1G",
            "a.txt",
        ];
        assert_eq!(line(&all), "fecscan report a.txt -f html");
    }

    #[test]
    fn all_others_are_shown_in_their_order_as_a_shell_needs_them() {
        let typed = [
            "fecscan",
            "by",
            "STATE,month(date)",
            "--mean=amount",
            "--sum",
            "amount",
            "--where",
            "amount>=1",
            "--where",
            "NAME=O'HARA",
            "--contributions",
            "--top",
            "3",
            "--sort",
            "sum(amount)",
            "a b.txt",
            "-",
            "",
        ];
        let expected = r"fecscan by 'STATE,month(date)' --mean amount --sum amount --where 'amount>=1' --where 'NAME=O'\''HARA' --contributions --top 3 --sort 'sum(amount)' 'a b.txt' - '' -f html";
        assert_eq!(line(&typed), expected);
        assert_eq!(
            line(&["fecscan", "--name", "0,1", "--name", "7", "--force", "x"]),
            "fecscan --name 0 --name 1 --name 7 --force x -f html"
        );
    }

    #[test]
    fn every_option_that_is_left_out_exists() {
        let cli = Cli::command();
        let mut longs = cli
            .get_subcommands()
            .flat_map(Command::get_arguments)
            .filter_map(Arg::get_long);
        let longs: Vec<_> = longs.by_ref().collect();
        for option in WITHOUT_EFFECT {
            assert!(longs.contains(&option), "{option}");
        }
    }
}
