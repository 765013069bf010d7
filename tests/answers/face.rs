//! The face of the library: the names that `cargo doc` shows, and messages that fit every program.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// The most names that a user has to know.
const NAMES_MAX: usize = 60;

/// Returns the sources under `src`, with their texts.
fn sources() -> Vec<(PathBuf, String)> {
    let mut folders = vec![PathBuf::from("src")];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.push((path.clone(), fs::read_to_string(path).unwrap()));
            }
        }
    }
    sources
}

/// Returns the line at `nth` and those that it stands in, from the inside out, as rustfmt indents them.
fn nested<'a>(lines: &'a [&str], nth: usize) -> impl Iterator<Item = &'a str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut inside = usize::MAX;
    lines[..=nth].iter().rev().copied().filter(move |line| {
        let is_outside = !line.is_empty() && indent(line) < inside;
        inside = if is_outside { indent(line) } else { inside };
        is_outside
    })
}

#[test]
fn names_at_the_root_are_few_and_each_has_an_example() {
    let root = fs::read_to_string("src/lib.rs").unwrap();
    let modules = Regex::new(r"(?m)^(#\[doc\(hidden\)\]\n)?pub mod").unwrap();
    let mut modules = modules.captures_iter(&root);
    assert!(modules.all(|module| module.get(1).is_some()));
    let exports = Regex::new(r"(?s)pub use ([^;]*);").unwrap();
    let name = Regex::new(r"([A-Za-z_]+)(?:,|\s*\}|$)").unwrap();
    let exports = exports
        .captures_iter(&root)
        .map(|export| export[1].to_owned());
    let exports: Vec<_> = exports.collect();
    let names = exports.iter().flat_map(|export| name.captures_iter(export));
    let names: Vec<_> = names.map(|name| name[1].to_owned()).collect();
    assert!((30..=NAMES_MAX).contains(&names.len()), "{}", names.len());
    let sources = sources();
    for name in names {
        let item = Regex::new(&format!(
            r"(?m)^(?:///.*\n)*/// ```\n(?:///.*\n|#\[.*\n)*pub (?:enum|fn|struct|trait) {name}[^A-Za-z_]"
        ));
        let item = item.unwrap();
        let has_example = |(_, text): &(PathBuf, String)| item.is_match(text);
        assert!(sources.iter().any(has_example), "{name} has no example");
    }
}

/// Options stand in the advice, which is in the words of the command line. Rooms that write for the command line are free.
#[test]
fn no_message_of_the_library_names_an_option() {
    const OF_THE_PROGRAM: [&str; 5] = [
        "src/cli",
        "src/commands",
        "src/generate",
        "src/main.rs",
        "src/render",
    ];
    let option = Regex::new(r#"("|"[^"]*[ (']|^ +)--[a-z]"#).unwrap();
    let is_advice = |line: &str| {
        line.contains("advi") || line.contains("ADVICE") || line.contains("fn example")
    };
    for (path, text) in sources() {
        let path: &Path = &path;
        let is_of_program = OF_THE_PROGRAM.iter().any(|room| path.starts_with(room));
        if is_of_program || path.ends_with("tests.rs") {
            continue;
        }
        let lines: Vec<_> = text.lines().collect();
        let tests = lines.iter().position(|line| *line == "#[cfg(test)]");
        for (nth, line) in lines.iter().enumerate().take(tests.unwrap_or(lines.len())) {
            let is_comment = line.trim_start().starts_with("//");
            if !is_comment && option.is_match(line) {
                let place = format!("{}:{}: {line}", path.display(), nth + 1);
                assert!(nested(&lines, nth).any(is_advice), "{place}");
            }
        }
    }
}
