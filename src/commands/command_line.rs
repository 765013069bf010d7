//! The command line as a page shows it, without the options that leave the result as it is.

use std::ffi::OsString;

use crate::error::escaped;

use crate::cli;

/// Options that leave the result as it is, beside those under the headings Output and Speed.
const WITHOUT_EFFECT: [&str; 4] = ["max-groups", "max-member-bytes", "rejects", "strict"];

/// Returns the command line of this process, so that a shell understands it.
pub(super) fn shown() -> String {
    of(&cli::arguments())
}

fn of(arguments: &[OsString]) -> String {
    let cli = cli::command();
    let named = arguments.get(1).and_then(|word| cli.find_subcommand(word));
    let command = named.unwrap_or(&cli);
    let files = arguments.iter().position(|word| word == "--");
    let (mut rest, files) = arguments[1..].split_at(files.unwrap_or(arguments.len()) - 1);
    let mut shown = vec!["fecscan".to_owned()];
    while let Some(word) = rest.first() {
        let option = cli::option(command, word);
        let (words, others) = rest.split_at(option.map_or(1, |(_, words)| words.min(rest.len())));
        let has_effect = option.is_none_or(|(arg, _)| {
            let is_of_output = matches!(arg.get_help_heading(), Some("Output" | "Speed"));
            !is_of_output
                && !arg
                    .get_long()
                    .is_some_and(|long| WITHOUT_EFFECT.contains(&long))
        });
        if has_effect {
            shown.extend(words.iter().map(quoted));
        }
        rest = others;
    }
    shown.push("-f html".to_owned());
    shown.extend(files.iter().map(quoted));
    shown.join(" ")
}

/// Returns a word as a shell needs it. Bytes that would be changed or hidden where the command is shown are named.
fn quoted(word: &OsString) -> String {
    let bytes = word.as_encoded_bytes();
    let shown = escaped(bytes);
    if shown.as_bytes() != bytes {
        return format!("$'{}'", named(bytes));
    }
    let is_plain = |c: char| c.is_alphanumeric() || "_-+./,:=@%".contains(c);
    if !shown.is_empty() && shown.chars().all(is_plain) {
        shown
    } else {
        format!("'{}'", shown.replace('\'', r"'\''"))
    }
}

/// Names bytes as bash does between `$'` and `'`.
fn named(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            let shown = c.to_string();
            match c {
                '\\' | '\'' => out.extend(['\\', c]),
                c if escaped(shown.as_bytes()) == shown => out.push(c),
                c if c.is_ascii() => out.push_str(&format!(r"\x{:02x}", u32::from(c))),
                c => out.push_str(&format!(r"\u{:04x}", u32::from(c))),
            }
        }
        let invalid = chunk.invalid().iter();
        invalid.for_each(|byte| out.push_str(&format!(r"\x{byte:02x}")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_without_effect_are_left_out_and_others_stay_as_a_shell_needs_them() {
        for (typed, shown) in [
            ("-o x.html a.txt", "fecscan a.txt -f html"),
            (
                "report -j 1 --io read --simd=portable -q --stats --no-progress --strict --color never --task-size 7 -f html \
                 --rejects odd.csv --max-member-bytes 1G a.txt",
                "fecscan report a.txt -f html",
            ),
            (
                "by STATE,month(date) --mean=amount --where amount>=1 --where NAME=O'HARA --contributions -n 3 a_b.txt -",
                r"fecscan by 'STATE,month(date)' --mean=amount --where 'amount>=1' --where 'NAME=O'\''HARA' --contributions -n 3 a_b.txt - -f html",
            ),
            (
                "--name 0,1 --force -- -o",
                "fecscan --name 0,1 --force -f html -- -o",
            ),
        ] {
            let words = ["fecscan"].into_iter().chain(typed.split_whitespace());
            let words: Vec<_> = words.map(OsString::from).collect();
            assert_eq!(of(&words), shown);
        }
        assert_eq!(quoted(&"a b".into()), "'a b'");
        assert_eq!(quoted(&"".into()), "''");
        assert_eq!(
            quoted(&"a\u{1b}'\\b\u{202e}c\u{9b}".into()),
            r"$'a\x1b\'\\b\u202ec\u009b'"
        );
    }

    #[test]
    fn every_option_that_is_left_out_exists() {
        let cli = cli::command();
        let commands = || cli.get_subcommands();
        for option in WITHOUT_EFFECT {
            let option = OsString::from(format!("--{option}"));
            assert!(
                commands().any(|command| cli::option(command, &option).is_some()),
                "{option:?}"
            );
        }
    }
}
