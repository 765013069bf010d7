//! `fecscan completions SHELL`: a script with which a shell asks this program for completions.
//!
//! At each Tab the shell starts the program with a variable of the environment and the words so far. So completions are those of
//! the installed program, and need no other script after an update.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use crate::error::Error;
use crate::fec::schema::Schema;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, ValueHint};
use clap_complete::env::{CompleteEnv, Shells};
use clap_complete::{ArgValueCompleter, CompletionCandidate};

use super::{Outcome, outputs};
use crate::cli::{self, CompletionsArgs};

/// The variable that names the shell that asks.
const SHELL: &str = "FECSCAN_COMPLETE";

/// zsh loads the script as the body of a function at the first Tab, which is to be answered too.
const ZSH_FIRST_TAB: &[u8] =
    b"[ \"$funcstack[1]\" = _fecscan ] && _clap_dynamic_completer_fecscan \"$@\"\n";

pub(crate) fn run(args: CompletionsArgs) -> Result<Outcome, Error> {
    let output = outputs::open(args.output.path.as_deref(), &[])?;
    let name = args.shell.to_ascii_lowercase();
    let shells = Shells::builtins();
    let shell = shells.completer(&name).expect("a known shell");
    let mut script = Vec::new();
    shell
        .write_registration(SHELL, "fecscan", "fecscan", "fecscan", &mut script)
        .expect("memory takes all that is written to it");
    if name == "zsh" {
        script.extend_from_slice(ZSH_FIRST_TAB);
    }
    outputs::write(output, &script)?;
    Ok(Outcome::Done)
}

/// Answers a shell that asks for completions, and ends the program then.
pub(crate) fn answer_shell() {
    CompleteEnv::with_factory(command).var(SHELL).complete();
}

/// Returns the definition of the command line, in which arguments know that they are columns or files.
fn command() -> Command {
    let mut command = cli::command().mut_args(described);
    for name in cli::commands() {
        command = command.mut_subcommand(name, |command| command.mut_args(described));
    }
    command
}

fn described(arg: Arg) -> Arg {
    let value = arg.get_value_names().and_then(<[_]>::first);
    let value = value.map_or("", |name| name.as_str());
    match arg.get_id().as_str() {
        "keys" | "key" | "columns" | "conditions" | "sum" | "agg" | "sort" => {
            arg.add(ArgValueCompleter::new(columns))
        }
        "command" => arg.value_parser(PossibleValuesParser::new(cli::commands())),
        "directory" => arg.value_hint(ValueHint::DirPath),
        _ if ["FILE", "PARTIAL"].contains(&value) => arg.value_hint(ValueHint::FilePath),
        _ => arg,
    }
}

/// Completes the last of a list of columns, such as `STATE,CI`.
fn columns(typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let list = typed.rfind(',').map_or(0, |comma| comma + 1);
    let (list, typed) = typed.split_at(list);
    candidates(typed, |name| format!("{list}{name}"))
}

/// Returns the words for all names and aliases of columns that begin with `typed`, and what each means in the first schema that has it.
fn candidates(typed: &str, word: impl Fn(&str) -> String) -> Vec<CompletionCandidate> {
    let mut known = BTreeMap::new();
    for column in Schema::ALL.into_iter().flat_map(|schema| schema.columns()) {
        for name in [column.name, column.alias] {
            known.entry(name).or_insert(column.meaning);
        }
    }
    known.remove("");
    let columns = known
        .into_iter()
        .filter(|(name, _)| name.starts_with(typed));
    columns
        .map(|(name, meaning)| CompletionCandidate::new(word(name)).help(Some(meaning.into())))
        .collect()
}
