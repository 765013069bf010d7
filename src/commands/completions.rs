//! `fecscan completions SHELL`: a script that completes commands, options, files and columns.
//!
//! The script is made from the definition of the command line, with the names of columns added here: the definition does not
//! know them. Each generator has a gap, which a few words close: see [`script`]. None completes lists, such as `STATE,CITY`.

use std::collections::BTreeMap;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, Command, CommandFactory, ValueHint};
use clap_complete::aot;
use fecscan::error::Error;
use fecscan::fec::schema::Schema;
use fecscan::fold::by::AggregateKind;

use super::{Outcome, outputs};
use crate::cli::{Cli, CompletionsArgs, Shell};

/// Says whether an option or argument takes columns, or begins with one.
fn takes_columns(id: &str) -> bool {
    ["keys", "columns", "conditions"].contains(&id) || AggregateKind::named(id).is_some()
}

/// The commands that `help` explains.
const COMMANDS: [&str; 11] = [
    "report",
    "count",
    "by",
    "export",
    "diff",
    "merge",
    "columns",
    "generate",
    "completions",
    "man",
    "help",
];

/// Completes the last of a list of columns in bash: `STATE,CI`. Options begin with a dash, and are in no list. No blank
/// follows a column where a comma or an operator may.
const BASH_LIST: &str = r#"
_fecscan_list() {
    _fecscan "$@"
    local list="${2%,*}," word words=() in_list=""
    [[ "$3" == by || "$3" == --columns ]] && in_list=1
    if [[ "$2" != -* && ( -n "$in_list" || "$3" == --where ) ]]; then
        compopt -o nospace 2>/dev/null
    fi
    [[ "$2" == *,* && -n "$in_list" ]] || return 0
    _fecscan "$1" "${2##*,}" "$3"
    for word in "${COMPREPLY[@]}"; do
        [[ "$word" == -* ]] || words+=("$list$word")
    done
    COMPREPLY=("${words[@]}")
}
"#;

/// Runs the command.
pub(crate) fn run(args: CompletionsArgs) -> Result<Outcome, Error> {
    let output = outputs::open(args.output.as_deref())?;
    outputs::write(output, script(args.shell).as_bytes())?;
    Ok(Outcome::Done)
}

fn script(shell: Shell) -> String {
    match shell {
        Shell::Bash => bash(),
        Shell::Zsh => zsh(),
        Shell::Fish => fish(),
        Shell::Powershell => powershell(),
    }
}

fn generated(shell: aot::Shell, mut command: Command) -> String {
    let mut script = Vec::new();
    aot::generate(shell, &mut command, "fecscan", &mut script);
    String::from_utf8(script).expect("the definition of the command line is text")
}

/// Leaves out the lines of the option for tests, which the generators do not hide.
fn without_hidden(script: &str) -> String {
    let lines = script.split_inclusive('\n');
    lines.filter(|line| !line.contains("task-size")).collect()
}

/// The generator offers placeholders of arguments, such as `[FILE]...`, among the options. Without them, bash
/// offers files.
fn bash() -> String {
    let script = generated(aot::Shell::Bash, command());
    script
        .replace(" [FILE]...", "")
        .replace(" --task-size ", " ")
        .replace("-F _fecscan ", "-F _fecscan_list ")
        .replacen("\n}\n", &format!("\n}}\n{BASH_LIST}"), 1)
}

/// The generator can't have both files and commands as the first word, so files are added to the commands. Its rest
/// of arguments would end the options.
fn zsh() -> String {
    let whole = command();
    let options = whole.get_arguments().filter(|arg| !arg.is_positional());
    let without_files = Command::new("fecscan")
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .args(options.cloned())
        .subcommands(whole.get_subcommands().cloned());
    let describe = "    _describe -t commands 'fecscan commands' commands \"$@\"\n";
    let mut script = generated(aot::Shell::Zsh, without_files)
        .replace("'*::files", "'*:files")
        .replace(describe, &format!("{describe}    _files\n"));
    for argument in ["':keys -- ", "'*--columns=["] {
        script = with_list(&script, argument, ":((", "))'", ":_fecscan_list'");
    }
    let columns: String = columns()
        .iter()
        .map(|(name, meaning)| format!("        '{name}:{}'\n", meaning.replace('\'', r"'\''")))
        .collect();
    let list = format!(
        "_fecscan_list() {{\n    compset -P '*,'\n    local columns; columns=(\n{columns}    )\n    \
         _describe -t columns 'columns' columns\n}}\n"
    );
    let last = "\nif [ \"$funcstack[1]\"";
    without_hidden(&script.replace(last, &format!("\n{list}{last}")))
}

/// Returns the options before a command as fish's argparse wants them: ` f/format= stats`.
fn fish_options() -> String {
    let command = command();
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let options = shown.filter_map(|arg| {
        let short = arg.get_short().map_or(String::new(), |c| format!("{c}/"));
        let value = if arg.get_action().takes_values() {
            "="
        } else {
            ""
        };
        Some(format!(" {short}{}{value}", arg.get_long()?))
    });
    options.collect()
}

/// The generator leaves out the values of arguments without a dash. It also finds no command after options of the report.
fn fish() -> String {
    let script = without_hidden(&generated(aot::Shell::Fish, command()));
    let head = "__fish_fecscan_global_optspecs\n";
    let specs = format!("{head}    string join \\n{}\n", fish_options());
    let script = script.replacen(head, &specs, 1);
    let mut script = with_list(
        &script,
        "export\" -l columns ",
        "-a \"",
        "\"\n",
        "-a '(__fish_fecscan_list)'\n",
    );
    let quoted = |text: &str| text.replace('\\', r"\\").replace('\'', r"\'");
    // Names of files may have commas too.
    script += "function __fish_fecscan_list\n    \
               set -l list (string replace -r '[^,]*$' '' -- (commandline -ct))\n    \
               set -l files (commandline -ct)*\n    \
               test -n \"$list\" -a -n \"$files\" && return\n    \
               printf '%s\\n'";
    for (name, meaning) in columns() {
        script += &format!(" \\\n        $list'{name}'\\t'{}'", quoted(&meaning));
    }
    script += "\nend\n";
    let using = "complete -c fecscan -n \"__fish_fecscan_using_subcommand";
    script += &format!("{using} by\" -a '(__fish_fecscan_list)'\n");
    for (command, value, meaning) in positional_values() {
        if command != "by" {
            script += &format!(
                "{using} {command}\" -a '{value}' -d '{}'\n",
                quoted(&meaning)
            );
        }
    }
    script
}

/// Replaces the values of the first argument after `argument`, from `begin` to `end`, by a `list`.
fn with_list(script: &str, argument: &str, begin: &str, end: &str, list: &str) -> String {
    let (before, rest) = script.split_once(argument).expect("the argument exists");
    let (meaning, rest) = rest.split_once(begin).expect("the argument has values");
    let (_, after) = rest.split_once(end).expect("the values end");
    [before, argument, meaning, list, after].concat()
}

/// The generator leaves out values altogether.
fn powershell() -> String {
    let mut script = without_hidden(&generated(aot::Shell::PowerShell, command()));
    for (command, value, meaning) in positional_values() {
        let begin = format!("'fecscan;{command}' {{\n");
        // A tip may not be empty.
        let meaning = if meaning.is_empty() { &value } else { &meaning };
        let tip = meaning.replace('\'', "''");
        let line = format!(
            "            [CompletionResult]::new('{value}', '{value}', [CompletionResultType]::ParameterValue, '{tip}')\n"
        );
        script = script.replace(&begin, &format!("{begin}{line}"));
    }
    script
}

/// Returns the values of arguments without a dash: command, value, meaning.
fn positional_values() -> Vec<(String, String, String)> {
    let mut values = Vec::new();
    for command in command().get_subcommands() {
        for value in command.get_positionals().flat_map(Arg::get_possible_values) {
            let meaning = value.get_help().map(ToString::to_string);
            let name = value.get_name().to_owned();
            values.push((
                command.get_name().to_owned(),
                name,
                meaning.unwrap_or_default(),
            ));
        }
    }
    values
}

/// Returns the definition of the command line, in which arguments know that they are columns or files.
fn command() -> Command {
    let commands = Cli::command();
    let names: Vec<_> = commands
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    let describe = |command: Command| command.mut_args(described);
    names.into_iter().fold(describe(commands), |all, name| {
        all.mut_subcommand(name, describe)
    })
}

fn described(arg: Arg) -> Arg {
    let is_file = |arg: &Arg| {
        let names = arg.get_value_names().unwrap_or_default();
        names.iter().any(|name| name == "FILE")
    };
    match arg.get_id().as_str() {
        id if takes_columns(id) => {
            let column = |(name, meaning): (_, String)| PossibleValue::new(name).help(meaning);
            arg.value_parser(PossibleValuesParser::new(columns().into_iter().map(column)))
        }
        // Its own name has quotes, which zsh would take for the end of the argument.
        "sort" => {
            let values = PossibleValuesParser::new(["count", "key"]);
            arg.value_name("ORDER").value_parser(values)
        }
        // The argument of help.
        "command" => arg.value_parser(PossibleValuesParser::new(COMMANDS)),
        _ if is_file(&arg) => arg.value_hint(ValueHint::FilePath),
        "directory" => arg.value_hint(ValueHint::DirPath),
        _ => arg,
    }
}

/// Returns the names and aliases of all columns, and what they mean in the first schema that has them.
fn columns() -> BTreeMap<&'static str, String> {
    let mut columns = BTreeMap::new();
    for column in Schema::ALL.into_iter().flat_map(|schema| schema.columns()) {
        for name in [column.name, column.alias]
            .into_iter()
            .filter(|name| !name.is_empty())
        {
            columns
                .entry(name)
                .or_insert_with(|| column.meaning.to_owned());
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_with_columns_exist_and_know_them() {
        let command = command();
        let aggregates = AggregateKind::ALL.map(AggregateKind::name);
        for id in aggregates
            .into_iter()
            .chain(["keys", "columns", "conditions"])
        {
            let mut arguments = command.get_subcommands().flat_map(Command::get_arguments);
            let argument = arguments.find(|arg| arg.get_id() == id).expect(id);
            let values = argument.get_possible_values();
            let names: Vec<_> = values.iter().map(PossibleValue::get_name).collect();
            assert!(
                names.contains(&"STATE") && names.contains(&"amount"),
                "{id}: {names:?}"
            );
        }
    }

    #[test]
    fn help_knows_all_commands() {
        let command = command();
        let names: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
        assert_eq!(names, COMMANDS);
    }

    #[test]
    fn gaps_of_the_generators_are_closed() {
        assert!(!bash().contains("[FILE]"));
        assert_eq!(zsh().matches("    _files\n}").count(), 1);
        assert!(fish().contains(" $list'STATE'\\t'state"));
        assert!(fish().contains("using_subcommand completions\" -a 'zsh'"));
        assert!(fish().contains("using_subcommand help\" -a 'export'"));
        assert!(!bash().contains("opts=\"--task-size") && !bash().contains(" --task-size "));
        for shell in [Shell::Zsh, Shell::Fish, Shell::Powershell] {
            assert!(!script(shell).contains("task-size"), "{shell:?}");
        }
    }
}
