//! Every option of every command has an effect, or an error or a note says that it has none.

use std::fs;

use crate::common::program::{fecscan, run, run_with};

const COMMANDS: [&str; 12] = [
    "report",
    "count",
    "by",
    "export",
    "sql",
    "diff",
    "merge",
    "info",
    "columns",
    "generate",
    "completions",
    "man",
];

/// Options that say where a result goes, how much may be used, or what is to be checked. The result can be the same.
const OF_RUNS: &str = "output quiet threads no-progress stats io simd help max-member-bytes max-groups strict rejects force \
                       allow-gaps partial range slices no-slices directory format";

/// Options that are part of any question: they choose rows, columns, groups or an order, or say what the input is.
const OF_QUESTIONS: &str = "name month-column where contributions delimiter header names names-from sum agg sort limit show-sql \
                            top columns head sample key rows hostile cycle duckdb";

/// Questions in which an option has no effect, each with the option. `I` is a file of contributions, `T` a table with a header, and
/// `P` and `Q` are partials of `report` and of `count`.
const USELESS: [(&str, &str, &str); 61] = [
    ("report", "top", "-f challenge --top 5 I"),
    ("report", "top", "-o c.svg --top 5 I"),
    ("report", "title", "--title x I"),
    ("report", "title", "--title x --partial p I"),
    ("report", "color", "-f csv --color always I"),
    ("report", "color", "--color always --partial p I"),
    ("report", "on", "--on CMTE_ID=t.k I"),
    ("report", "with", "--with cm.txt I"),
    ("report", "member", "--member x I"),
    ("count", "on", "--on CMTE_ID=t.k I"),
    ("count", "with", "--with cm.txt I"),
    ("count", "schema", "--schema pas2 I"),
    ("count", "types", "--header --types k=number T"),
    ("count", "types", "--types k=number T"),
    ("count", "types", "--types raw I"),
    ("count", "quotes", "--quotes data I"),
    ("count", "member", "--member x I"),
    ("by", "title", "STATE -f csv --title x I"),
    ("by", "title", "STATE --title x --partial p I"),
    ("by", "color", "STATE -f json --color always I"),
    ("by", "color", "STATE --color always --partial p I"),
    ("by", "compression", "STATE -f csv --compression zstd I"),
    (
        "by",
        "compression",
        "STATE --compression zstd --partial p I",
    ),
    ("by", "on", "STATE --on CMTE_ID=t.k I"),
    ("by", "types", "STATE --types k=number I"),
    ("by", "types", "STATE --types raw I"),
    ("by", "quotes", "STATE --quotes data I"),
    ("by", "member", "STATE --member x I"),
    ("export", "seed", "--seed 2 I"),
    ("export", "color", "-f csv --color always I"),
    ("export", "compression", "-f arrow --compression zstd I"),
    ("export", "on", "--on CMTE_ID=t.k I"),
    ("export", "types", "--types k=number I"),
    ("export", "quotes", "--quotes data I"),
    ("export", "member", "--member x I"),
    ("export", "with", "--with cm.txt I"),
    (
        "sql",
        "color",
        "'SELECT 1 FROM indiv' -f csv --color always I",
    ),
    (
        "sql",
        "compression",
        "'SELECT 1 FROM indiv' -f csv --compression zstd I",
    ),
    ("sql", "types", "'SELECT 1 FROM indiv' --types k=number I"),
    ("sql", "types", "'SELECT 1 FROM indiv' --types raw I"),
    ("sql", "quotes", "'SELECT 1 FROM indiv' --quotes data I"),
    ("sql", "member", "'SELECT 1 FROM indiv' --member x I"),
    ("diff", "columns", "--columns STATE I I"),
    ("diff", "old", "--old I I"),
    ("diff", "types", "--types typed I I"),
    ("diff", "compression", "-f csv --compression zstd I I"),
    ("diff", "on", "--on CMTE_ID=t.k I I"),
    ("diff", "quotes", "--quotes data I I"),
    ("diff", "member", "--member x I I"),
    ("diff", "with", "--with cm.txt I I"),
    ("merge", "title", "P --title x"),
    ("merge", "title", "P --title x --partial p"),
    ("merge", "color", "P -f csv --color always"),
    ("merge", "compression", "P --compression zstd"),
    ("merge", "compression", "Q --compression zstd"),
    ("info", "types", "--types raw I"),
    ("info", "quotes", "--quotes data I"),
    ("info", "member", "--member x I"),
    ("generate", "columns", "--rows 1 --columns 50"),
    ("generate", "revision", "--rows 1 --schema cm --revision 1"),
    (
        "generate",
        "repeat-donors",
        "--rows 1 --schema oth --repeat-donors",
    ),
];

/// Options that say how other files are read, which the FEC's need not be told.
const OF_LAYOUTS: [(&str, &str); 4] = [
    ("skip", "--skip 1"),
    ("comment", "--comment %"),
    ("dates", "--dates dmy"),
    ("decimal-separator", "--decimal-separator ,"),
];

/// The commands that read other files, each with what comes before and after its options.
const READERS: [(&str, &str, &str); 6] = [
    ("count", "", "I"),
    ("by", "STATE", "I"),
    ("export", "", "I"),
    ("sql", "'SELECT 1 FROM indiv'", "I"),
    ("diff", "", "I I"),
    ("info", "", "I"),
];

/// Returns all questions in which an option has no effect.
fn useless() -> Vec<(&'static str, &'static str, String)> {
    let single =
        USELESS.map(|(command, option, arguments)| (command, option, arguments.to_owned()));
    let of_layouts = READERS.iter().flat_map(|&(command, before, after)| {
        OF_LAYOUTS.map(|(option, given)| (command, option, format!("{before} {given} {after}")))
    });
    single.into_iter().chain(of_layouts).collect()
}

/// What says which columns there are, although a file may have them anyway; what is part of any file that is made; and a join, which counts a row
/// once for each match, although no column of the joined table is named.
const NOT_TOLD: [(&str, &str); 9] = [
    ("by", "with"),
    ("report", "schema"),
    ("by", "schema"),
    ("export", "schema"),
    ("sql", "schema"),
    ("diff", "schema"),
    ("info", "schema"),
    ("generate", "schema"),
    ("generate", "seed"),
];

/// Returns the options that the short help of a command lists, which are all of them.
fn options_of(command: &str) -> Vec<String> {
    let help = run_with(&format!("{command} -h")).out;
    let lines = help.lines().map(str::trim_start);
    let longs = lines.filter_map(|line| {
        let line = line.split_once(", --").map_or(line, |(short, _)| {
            let is_short = short.len() == 2 && short.starts_with('-');
            if is_short { &line[4..] } else { "" }
        });
        line.strip_prefix("--")
    });
    // Options stand in sentences, too, with a comma after them.
    let names = longs.map(|long| long.split([' ', '[', '=']).next().unwrap());
    let is_name = |name: &&str| name.bytes().all(|b| b == b'-' || b.is_ascii_lowercase());
    names.filter(is_name).map(str::to_owned).collect()
}

#[test]
fn every_option_has_an_effect_or_is_told_to_have_none() {
    for command in COMMANDS {
        let options = options_of(command);
        assert!(options.iter().any(|option| option == "help"), "{command}");
        for option in options {
            let is_named = |names: &str| names.split_whitespace().any(|name| name == option);
            let is_useless =
                |(of, useless, _): &(&str, &str, String)| (*of, *useless) == (command, &option[..]);
            let is_known = is_named(OF_RUNS)
                || is_named(OF_QUESTIONS)
                || NOT_TOLD.contains(&(command, &option))
                || useless().iter().any(is_useless)
                || option == "old-image-numbers";
            assert!(is_known, "{command} --{option}: what if it has no effect?");
        }
    }
}

#[test]
fn an_option_without_effect_is_an_error_or_has_a_note() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::copy("fixtures/generated.txt", at("I")).unwrap();
    let cm = run_with("generate --schema cm --rows 3").out;
    fs::write(at("cm.txt"), cm).unwrap();
    fs::write(at("T"), "k,v\nx,1\n").unwrap();
    for (name, command) in [("P", "report --name none"), ("Q", "count")] {
        let mut partial = fecscan(command.split(' '));
        let ended = run(partial
            .args(["--partial", name, "I"])
            .current_dir(&directory));
        assert_eq!(ended.status, 0, "{}", ended.err);
    }
    for (command, option, arguments) in useless() {
        let quoted = arguments.split('\'').enumerate();
        let words = quoted.flat_map(|(nth, part)| match nth % 2 {
            0 => part.split_whitespace().collect::<Vec<_>>(),
            _ => vec![part],
        });
        let mut useless = fecscan([command]);
        let ended = run(useless.args(words).current_dir(&directory));
        // Text has the notes on its inputs.
        let told = ended.err + &ended.out;
        let what = format!("{command} {arguments}: {} {told}", ended.status);
        let words = match option {
            "member" => "no members to choose",
            "with" => "none of its columns is used",
            option => &format!("--{option}"),
        };
        assert!(told.contains(words), "{what}");
        assert!(ended.status == 2 || told.contains("note: "), "{what}");
    }
}
