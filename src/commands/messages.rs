//! Prints messages on standard error. If that fails, there is no one left to tell.

use std::ffi::OsStr;
use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, escaped, escaped_lines};
use crate::fec::schema::Schema;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use super::{Outcome, options, outputs};
use crate::cli::{self, arguments};

/// Prints one line, with the program's name before it. Writes it at once, so that lines of several processes do not mix. A message may have
/// words of a file or of another program, so all of it is escaped here.
pub(crate) fn print(message: &impl Display) {
    let line = escaped(format!("fecscan: {message}").as_bytes()) + "\n";
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Prints an error, and the part of a statement that it is about.
pub(crate) fn print_error(error: &Error) {
    print_marked(&error.with_advice(), error);
}

/// Does the same with other words.
pub(super) fn print_marked(words: &str, error: &Error) {
    let line = escaped(format!("fecscan: {words}").as_bytes()) + "\n";
    let lines = line + &error.marked().unwrap_or_default();
    let _ = std::io::stderr().write_all(lines.as_bytes());
}

static QUIET: AtomicBool = AtomicBool::new(false);

pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

pub(super) fn note(note: &impl Display) {
    print_note(&format_args!("note: {note}"));
}

pub(super) fn note_on(path: impl AsRef<OsStr>, note: &impl Display) {
    let path = escaped(path.as_ref().as_encoded_bytes());
    print_note(&format_args!("{path}: note: {note}"));
}

/// Prints a note, which says that it is one.
pub(super) fn print_note(note: &impl Display) {
    if !QUIET.load(Ordering::Relaxed) {
        print(note);
    }
}

/// Prints help and the version on standard output, usage errors on standard error.
pub(crate) fn print_clap(error: &clap::Error) -> Result<Outcome, Error> {
    if !error.use_stderr() {
        return print_help(&error.render().to_string());
    }
    if let Some(message) = better_message(error) {
        print(&message);
    } else {
        let text = error.render().to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        let message = escaped_lines(format!("fecscan: {text}").as_bytes());
        let _ = std::io::stderr().write_all(&message);
    }
    Ok(Outcome::Failed)
}

pub(super) fn print_help(text: &str) -> Result<Outcome, Error> {
    outputs::write(outputs::open(None, &[])?, text.as_bytes())?;
    Ok(Outcome::Done)
}

/// Returns a message that says more than clap's: where an unknown option belongs, or which option, command or format was meant.
fn better_message(error: &clap::Error) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(&text[..]),
        _ => None,
    };
    let arg = text(ContextKind::InvalidArg)?;
    if error.kind() == ErrorKind::UnknownArgument {
        let cli = cli::command();
        let given = arguments().into_iter().nth(1).unwrap_or_default();
        if arg.starts_with('-') {
            let command = cli.find_subcommand(&given).unwrap_or(&cli);
            return Some(advice_on(arg, command, &cli));
        }
        let name = escaped(arg.as_bytes());
        return (given == "generate").then(|| {
            format!("unexpected argument '{name}' found; 'fecscan generate' reads no file: write one with -o {name}")
        });
    }
    let value = text(ContextKind::InvalidValue)?;
    let shown = escaped(value.as_bytes());
    if arg == "[SCHEMA]" && Path::new(value).is_file() {
        return Some(format!(
            "'{shown}' is a file, and no schema; its columns: fecscan info {shown}"
        ));
    }
    if let Some(advice) = options::instead_of(value).filter(|_| arg == "--format <FORMAT>") {
        return Some(format!("there is no format '{shown}'; {advice}"));
    }
    let Some(ContextValue::Strings(known)) = error.get(ContextKind::ValidValue) else {
        return None;
    };
    let near = near(
        &value.to_ascii_lowercase(),
        known.iter().map(String::as_str),
    )?;
    Some(format!(
        "invalid value '{shown}' for '{arg}'; did you mean {near}?"
    ))
}

/// Says where an option that `command` does not know belongs, or which one is near.
fn advice_on(option: &str, command: &Command, cli: &Command) -> String {
    let name = option.trim_start_matches('-');
    let what = format!("unknown option '{}'", escaped(option.as_bytes()));
    if WORDS_OF_KEYS.contains(&name) && command.get_name() == "diff" {
        return format!("{what}; did you mean '--key'?");
    }
    if WORDS_OF_KEYS.contains(&name) {
        return format!("{what}; keys come after the command 'by': fecscan by STATE itcont.txt");
    }
    let mut others = OTHER_WORDS.iter();
    let (ours, it) = match others.find(|(_, words)| words.contains(&name)) {
        Some((ours, _)) => (*ours, format!("'--{ours}'")),
        None => (name, "it".to_owned()),
    };
    if ours != name && longs(command).any(|long| long == ours) {
        return format!("{what}; did you mean {it}?");
    }
    let owner = |other: &&Command| {
        other.get_name() != command.get_name() && longs(other).any(|long| long == ours)
    };
    if command.get_name() == "merge" && cli.get_subcommands().any(|other| owner(&other)) {
        return format!(
            "{what}; what it says is part of the question: give it to the runs that write the partials"
        );
    }
    let owners = cli.get_subcommands().filter(owner);
    let owners: Vec<_> = owners
        .map(|owner| format!("'fecscan {}'", owner.get_name()))
        .collect();
    match &owners[..] {
        [] => {}
        [one] => return format!("{what}; {it} belongs to {one}"),
        [others @ .., last] => {
            let others = others.join(", ");
            return format!("{what}; {it} belongs to {others} and {last}");
        }
    }
    // The name of a column is not a misspelt option.
    let is_column = |schema: &Schema| schema.column(name).is_ok();
    let near = near(name, longs(command))
        .filter(|near| *near == format!("{name}s") || !Schema::ALL.iter().any(is_column));
    match (near, command.get_name()) {
        (Some(long), _) => format!("{what}; did you mean '--{long}'?"),
        (None, "fecscan") => format!("{what}; try 'fecscan --help'"),
        (None, name) => format!("{what}; try 'fecscan help {name}'"),
    }
}

/// Our options, each with its names in other programs.
const OTHER_WORDS: [(&str, &[&str]); 13] = [
    ("where", &["filter", "match", "grep", "query"]),
    ("columns", &["select", "fields", "cols", "c"]),
    ("with", &["join"]),
    ("output", &["out", "outfile", "out-file", "output-file"]),
    ("format", &["output-format", "out-format", "outfmt", "fmt"]),
    (
        "sort",
        &[
            "order-by",
            "orderby",
            "order",
            "sort-by",
            "desc",
            "descending",
        ],
    ),
    ("limit", &["first", "max-rows"]),
    (
        "agg",
        &[
            "aggregate",
            "avg",
            "mean",
            "average",
            "min",
            "max",
            "median",
            "distinct",
            "nunique",
            "quantile",
            "percentile",
        ],
    ),
    ("delimiter", &["separator", "sep", "delim", "d", "F"]),
    ("threads", &["jobs", "workers", "parallel", "cores"]),
    ("sample", &["random"]),
    ("schema", &["kind"]),
    ("quiet", &["silent"]),
];

/// Options of other programs that name keys.
const WORDS_OF_KEYS: [&str; 4] = ["group", "group-by", "groupby", "by"];

/// Returns the command whose name is near `name`, but not the same, or which other programs call so.
pub(super) fn near_command(name: &str) -> Option<String> {
    let cli = cli::command();
    let commands = cli.get_subcommands().map(Command::get_name);
    let near = near(name, commands).filter(|near| *near != name);
    let meant = near.or(match name.to_ascii_lowercase().as_str() {
        "group" | "groupby" | "group-by" | "frequency" | "pivot" | "sort" | "sum" | "top" => {
            Some("by")
        }
        "join" | "query" | "select" => Some("sql"),
        "wc" | "lines" => Some("count"),
        "cat" | "convert" | "filter" | "grep" | "head" | "load" | "print" | "rows" | "sample"
        | "search" | "show" | "tail" | "to" | "view" => Some("export"),
        "headers" | "schema" => Some("columns"),
        "stats" | "summary" => Some("report"),
        _ => None,
    });
    meant.map(str::to_owned)
}

fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let distances = known.map(|known| (strsim::osa_distance(name, known), known));
    let (distance, nearest) = distances.min()?;
    (distance <= 2 && distance < (nearest.len() / 2).max(2)).then_some(nearest)
}

/// Returns the names of options and their aliases.
fn longs(command: &Command) -> impl Iterator<Item = &str> {
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    shown
        .filter_map(Arg::get_long_and_visible_aliases)
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_other_programs_lead_to_ours() {
        let cli = cli::command();
        let commands: Vec<_> = cli.get_subcommands().collect();
        let has = |command: &&&Command, name: &str| longs(command).any(|long| long == name);
        for (ours, words) in OTHER_WORDS {
            let owners: Vec<_> = commands.iter().filter(|c| has(c, ours)).collect();
            assert!(!owners.is_empty(), "{ours}");
            for word in words {
                assert!(!commands.iter().any(|c| has(&c, word)), "{word} is ours");
                for owner in &owners {
                    let advice = advice_on(&format!("--{word}"), owner, &cli);
                    let expected = format!("did you mean '--{ours}'?");
                    assert!(advice.ends_with(&expected), "{word}: {advice}");
                }
                let elsewhere = advice_on(&format!("--{word}"), &cli, &cli);
                assert!(elsewhere.contains(&format!("'--{ours}'")), "{elsewhere}");
            }
        }
        for word in WORDS_OF_KEYS {
            assert!(advice_on(&format!("--{word}"), &cli, &cli).ends_with("by STATE itcont.txt"));
        }
    }
}
