//! Names, values and notes of strangers: none of their bytes controls a terminal, in whatever way they get there.

use std::fs;
use std::path::Path;

use twox_hash::XxHash3_128;

use crate::common::archives::{Member, zip};
use crate::common::program::{fecscan, on_a_terminal, run};

/// What plays tricks on a terminal, or is no character.
const HOSTILE: [&str; 10] = [
    "\x1b]0;owned\x07",
    "\x1b[2J",
    "\x1b[31m",
    "\r",
    "\x08",
    "\x7f",
    "\u{9b}31m",
    "\u{202e}",
    "\u{200b}",
    "\u{ffff}",
];

/// Fails if a terminal got more than text, colours of ours, ends of lines and tabs.
fn assert_harmless(what: &str, printed: &str) {
    let mut text = printed.replace("\r\n", "\n");
    for ours in ["\x1b[0m", "\x1b[1m", "\x1b[2m"] {
        text = text.replace(ours, "");
    }
    let is_harmful = |c: char| {
        c.is_control() && c != '\n' && c != '\t'
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{ffff}')
    };
    assert!(!text.contains(is_harmful), "{what}: {text:?}");
}

/// Returns a partial with this note on its first input, and a hash that fits.
fn with_note(partial: &[u8], note: &str) -> Vec<u8> {
    let number = |at: &mut usize| {
        let (mut number, mut shift) = (0_u64, 0);
        loop {
            let byte = partial[*at];
            *at += 1;
            number |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                return number;
            }
        }
    };
    let mut at = 8;
    number(&mut at);
    let version = at;
    let length = number(&mut at) as usize;
    let (header, state) = (
        &partial[at..at + length],
        &partial[at + length..partial.len() - 16],
    );
    let mut header: serde_json::Value = serde_json::from_slice(header).unwrap();
    header["files"][0]["notes"] = serde_json::json!([note]);
    let header = serde_json::to_vec(&header).unwrap();
    let mut forged = partial[..version].to_vec();
    let mut length = header.len();
    while length > 127 {
        forged.push(length as u8 & 127 | 128);
        length >>= 7;
    }
    forged.push(length as u8);
    forged.extend(header);
    forged.extend(state);
    let hash = XxHash3_128::oneshot(&forged).to_le_bytes();
    forged.extend(hash);
    forged
}

fn write_files(folder: &Path, hostile: &str) {
    let at = |name: &str| folder.join(name);
    fs::write(at("names.csv"), format!("a{hostile},b\nx,1\ny,2\n")).unwrap();
    fs::write(
        at("values.csv"),
        format!("a,b\nx{hostile},1\n{hostile}y,2\n"),
    )
    .unwrap();
    fs::write(at("other.csv"), format!("a,b\nx{hostile},3\n")).unwrap();
    fs::write(at("table.csv"), format!("k,v{hostile}\nx,z{hostile}\n")).unwrap();
    fs::copy(at("values.csv"), at(&format!("file{hostile}.csv"))).unwrap();
    let members = [
        Member::stored("itcont.txt", b"C|N\n"),
        Member::stored(format!("left out{hostile}/x.txt"), b"C|N\n"),
        Member::stored(format!("other{hostile}.txt"), b"C|N\n"),
    ];
    fs::write(at("a.zip"), zip(&members)).unwrap();
    for (name, condition) in [
        ("a.part", "b > '0'"),
        ("b.part", &format!("a <> '{hostile}'")),
    ] {
        let mut by = fecscan(["by", "b", "--header", "--where", condition, "--partial"]);
        let ended = run(by.arg(at(name)).arg(at("values.csv")));
        assert_eq!(ended.status, 0, "{}", ended.err);
    }
    let forged = with_note(&fs::read(at("a.part")).unwrap(), hostile);
    fs::write(at("forged.part"), forged).unwrap();
}

/// Questions whose answers, notes or errors have something hostile.
const QUESTIONS: [&str; 37] = [
    "by '#1' --header names.csv",
    "by '#1' --sum '#2::INTEGER' --header names.csv",
    "by '#2' --agg 'max(#1)' --header names.csv",
    "by b --agg 'min(a), max(a) AS last' --header values.csv",
    "by b --agg 'min(a)' --header -f csv values.csv",
    "by b --agg 'min(a)' --header -f tsv values.csv",
    "by b --agg 'min(a)' --header -f json values.csv",
    "by b --agg 'min(a)' --header -f ndjson values.csv",
    "by b --agg 'min(a)' --header -f markdown values.csv",
    "by b --agg 'min(a)' --header -f html values.csv",
    "by \"'$H' AS x\" --header values.csv",
    "by \"b AS \\\"$H\\\"\" --header values.csv",
    "by b --header --where \"a='$H'\" --show-sql values.csv",
    "by '#1' --header -f svg names.csv",
    "by a --header -f html --title \"$H\" values.csv",
    "by b --header --where \"a='$H'\" -f html values.csv",
    "by \"nothing$H\" --header names.csv",
    "by a --header --where \"$H\" values.csv",
    "by a --header --sort \"$H\" values.csv",
    "by a --header --agg \"$H\" values.csv",
    "by a --header \"file$H.csv\" names.csv",
    "by a --header --with t=table.csv --on 'a=t.k' --show-sql values.csv",
    "by \"t.v$H\" --header --with t=table.csv --on 'a=t.k' values.csv",
    "export --header names.csv",
    "export --header -f csv names.csv",
    "export --header -f tsv values.csv",
    "export --header --types \"a$H=number\" names.csv",
    "info --header names.csv",
    "info a.zip",
    "info \"file$H.csv\"",
    "count \"file$H.csv\" \"missing$H\"",
    "diff --key b --header values.csv other.csv -f csv",
    "diff --key \"upper($H)\" --header values.csv other.csv",
    "diff --key \"lower(b)\" --header values.csv other.csv",
    "count --member \"$H\" a.zip",
    "merge forged.part",
    "merge a.part b.part",
];

#[test]
fn a_terminal_gets_no_bytes_of_strangers_that_control_it() {
    for hostile in HOSTILE {
        let directory = tempfile::tempdir().unwrap();
        write_files(directory.path(), hostile);
        let escaped: String = hostile.bytes().map(|b| format!("\\{b:03o}")).collect();
        let folder = directory.path().display();
        let mut script = format!("stty cols 100; cd {folder}; H=$(printf '{escaped}'); ");
        for question in QUESTIONS {
            script.push_str(&format!("$F {question}; "));
        }
        let ended = on_a_terminal(&script);
        assert!(ended.out.contains("count"), "{}", ended.out);
        assert_harmless(&format!("{hostile:?}"), &ended.out);
    }
}

#[test]
fn tabs_of_tsv_stay_tabs_on_a_terminal() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.txt");
    fs::write(&path, "a\tb|c\n").unwrap();
    let command = "$F export --delimiter pipe --names k,v -f tsv";
    let ended = on_a_terminal(&format!("stty tabs; {command} {}", path.display()));
    assert_eq!(ended.out, "k\tv\r\na\\tb\tc\r\n");
}
