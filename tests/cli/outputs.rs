//! Where results go, and what happens if they can not go there.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::pipe;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use tempfile::TempDir;

use crate::cli::{PLAIN, done};
use crate::common::program::{Ended, assert_fails, fecscan, run, run_into, run_with, shell};

#[test]
fn a_result_that_can_not_be_written_is_an_error() {
    let full = "standard output: can't be written: No space left on device";
    let closed = "standard output: can't be written: Bad file descriptor";
    let results = [
        "-f text",
        "-f json",
        "-f challenge",
        "count",
        "--strict",
        "export",
        "export -f json",
    ]
    .map(|options| format!("{options} {PLAIN}"));
    for arguments in
        results
            .iter()
            .map(String::as_str)
            .chain(["--help", "--version", "count --help"])
    {
        assert_fails(run_into("/dev/full", arguments), 2, full);
        assert_fails(shell(&format!("$F {arguments} >&-")), 2, closed);
    }
    for arguments in results {
        let ended = run_with(&format!("{arguments} -o /dev/full"));
        assert_fails(
            ended,
            2,
            "/dev/full: can't be written: No space left on device",
        );
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    for arguments in [
        "",
        "-f json",
        "-f challenge",
        "count",
        "export",
        "export -f csv",
        "--help",
    ] {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let ended = run(fecscan(arguments.split_whitespace())
            .arg(PLAIN)
            .stdout(writer));
        assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{arguments}");
    }
}

#[test]
fn a_closed_pipe_does_not_hide_what_else_went_wrong() {
    for (arguments, status) in [
        ("missing.txt", 2),
        ("count missing.txt", 2),
        ("export missing.txt", 2),
        ("--strict fixtures/cut-off-row.txt", 1),
    ] {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let ended = run(fecscan(arguments.split_whitespace())
            .arg(PLAIN)
            .stdout(writer));
        assert_eq!(
            (ended.status, ended.err.is_empty()),
            (status, false),
            "{arguments}: {}",
            ended.err
        );
    }
}

#[test]
fn a_standard_output_that_is_open_for_reading_only_is_an_error() {
    for arguments in ["", "count", "export", "generate --rows 5", "--help"] {
        let out = File::open("/dev/null").unwrap();
        let mut command = fecscan(arguments.split_whitespace());
        if !arguments.contains("--") {
            command.arg(PLAIN);
        }
        let message = "standard output: can't be written: Bad file descriptor";
        assert_fails(run(command.stdout(out)), 2, message);
    }
}

#[test]
fn nobody_listening_on_standard_error_changes_nothing() {
    let ended = shell("$F count fixtures/plain.txt missing 2>&-");
    assert_eq!((ended.status, ended.out.lines().count()), (2, 2));
    let ended = shell("$F count fixtures/plain.txt missing 2>/dev/full");
    assert_eq!((ended.status, ended.out.lines().count()), (2, 2));
}

/// A folder in which the program runs, each time on the same input.
struct Folder {
    directory: TempDir,
    plain: PathBuf,
}

impl Folder {
    fn new() -> Folder {
        Folder {
            directory: tempfile::tempdir().unwrap(),
            plain: fs::canonicalize(PLAIN).unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn run(&self, arguments: &str) -> Ended {
        let mut command = fecscan(arguments.split_whitespace());
        run(command.arg(&self.plain).current_dir(&self.directory))
    }

    /// What is in the file `result`.
    fn result(&self) -> String {
        fs::read_to_string(self.path("result")).unwrap()
    }

    fn mode(&self) -> u32 {
        let metadata = fs::metadata(self.path("result")).unwrap();
        metadata.permissions().mode() & 0o777
    }

    fn set_mode(&self, mode: u32) {
        fs::set_permissions(self.path("result"), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn listing(&self) -> Vec<OsString> {
        let entries = fs::read_dir(&self.directory).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    }
}

#[test]
fn an_output_file_has_what_standard_output_would_have() {
    let folder = Folder::new();
    assert_eq!(folder.run("-f challenge -o result"), done(""));
    assert_eq!(folder.result(), folder.run("-f challenge").out);
    assert_eq!(folder.mode() & 0o600, 0o600);
    assert_eq!(folder.listing(), ["result"]);

    let expected = format!("8 {}\n", folder.plain.display());
    assert_eq!(folder.run("count -o -"), done(&expected));
    assert_eq!(folder.listing(), ["result"]);
}

#[test]
fn an_output_file_that_is_there_is_replaced_and_keeps_its_permissions_and_links() {
    let folder = Folder::new();
    fs::write(folder.path("result"), "old").unwrap();
    folder.set_mode(0o662);
    symlink("result", folder.path("link")).unwrap();
    assert_eq!(folder.run("count -o link"), done(""));
    assert!(folder.result().starts_with("8 "), "{}", folder.result());
    assert_eq!(folder.mode(), 0o662);
    assert!(folder.path("link").is_symlink());
    assert_eq!(folder.listing(), ["link", "result"]);
}

#[test]
fn without_a_result_an_output_file_stays_as_it_was_and_nothing_is_left_beside_it() {
    let folder = Folder::new();
    fs::write(folder.path("result"), "old").unwrap();
    let ended = run(fecscan(["-o", "result", "missing"]).current_dir(&folder.directory));
    assert_eq!((ended.status, ended.out.as_str()), (2, ""));
    assert_eq!(
        ended.err,
        "fecscan: missing: No such file or directory; check the name\n\
         fecscan: result: note: is not written, because an input failed\n"
    );
    folder.set_mode(0o444);
    assert_fails(
        folder.run("-o result"),
        2,
        "result: can't be written: Permission denied",
    );
    assert_eq!(folder.result(), "old");
    assert_eq!(folder.listing(), ["result"]);

    assert_fails(
        folder.run("-o no/such/folder"),
        2,
        "no/such/folder: can't be written: No such file or directory; make its directory first: mkdir -p",
    );
}

#[test]
fn an_input_is_not_taken_for_the_output() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data.txt");
    fs::copy(PLAIN, &path).unwrap();
    fs::hard_link(&path, directory.path().join("link")).unwrap();
    for script in [
        "$F -o data.txt data.txt",
        "$F -o link data.txt",
        "$F -o data.txt < link",
        "$F count -o link - < link",
        "$F data.txt >> data.txt",
        "$F count - < link >> data.txt",
        "$F export -o data.txt data.txt",
        "$F export data.txt >> data.txt",
        "$F export -o link --head 1 data.txt",
        "$F export -f csv < link > /dev/null -o data.txt",
        "$F info -o data.txt data.txt",
        "$F by STATE --delimiter pipe --names-from data.txt -o link none",
        "echo STATE | $F by STATE --delimiter pipe --names-from data.txt -o data.txt",
        "echo STATE | $F count --delimiter pipe --names-from data.txt --where \"STATE='CA'\" --partial link",
        "$F count --partial p data.txt && $F merge p -o data.txt",
        "$F count --partial p data.txt && $F merge p -o link",
        "$F by STATE --partial p data.txt && $F merge p --partial data.txt",
        "$F by STATE --partial p data.txt && $F merge p >> data.txt",
        "cp data.txt rows; $F by STATE --with d=data.txt --on STATE=d.STATE --partial p rows && $F merge p -o data.txt",
    ] {
        let ended = shell(&format!("cd {}; {script}", directory.path().display()));
        assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{script}");
        assert!(
            ended
                .err
                .contains(" is an input, and would be lost as the output; write to another file\n"),
            "{}",
            ended.err
        );
        assert_eq!(fs::read(&path).unwrap(), fs::read(PLAIN).unwrap());
    }
}

#[test]
fn the_extension_of_the_output_chooses_the_format() {
    let directory = tempfile::tempdir().unwrap();
    let plain = fs::canonicalize(PLAIN).unwrap();
    let here = |arguments: &str| {
        let arguments = arguments.replace('P', plain.to_str().unwrap());
        run(fecscan(arguments.split_whitespace()).current_dir(&directory))
    };
    for (output, format) in [
        ("x.json", "json"),
        ("x.CSV", "csv"),
        ("x.tsv", "tsv"),
        ("x.md", "markdown"),
        ("x.txt", "text"),
        ("x", "text"),
    ] {
        assert_eq!(here(&format!("-o {output} P")), done(""));
        let written = fs::read_to_string(directory.path().join(output)).unwrap();
        assert_eq!(written, here(&format!("-f {format} P")).out, "{output}");
    }
    assert_eq!(here("-o x.htm P"), done(""));
    let page = fs::read_to_string(directory.path().join("x.htm")).unwrap();
    assert!(page.starts_with("<!doctype html>"), "{page}");
    assert_eq!(here("count -o n.json P"), done(""));
    let written = fs::read_to_string(directory.path().join("n.json")).unwrap();
    assert_eq!(written, here("count -f json P").out);

    for (arguments, known) in [
        (
            "-o x.dat P",
            ".txt .json .csv .tsv .md .html .htm .svg .xlsx",
        ),
        ("count -o x.dat P", ".txt .json .csv .tsv .md .xlsx"),
    ] {
        let ended = here(arguments);
        let note = "fecscan: x.dat: note: the result is text; these extensions choose a format:";
        assert_eq!((ended.status, ended.err), (0, format!("{note} {known}\n")));
    }
    assert_eq!(here("-f text -o x.log P"), done(""));

    let note = "fecscan: y.csv: note: the name says csv; the format is json, as --format says\n";
    assert_eq!(here("-f json -o y.csv P").err, note);
    let note = "fecscan: y.csv.gz: note: the name says gz; the format is csv, as --format says\n";
    assert_eq!(here("-f csv -o y.csv.gz P").err, note);
    assert_eq!(here("export -f jsonl P"), here("export -f ndjson P"));
    assert_eq!(here("export -o y.jsonl P"), done(""));
    assert_eq!(here("-f challenge -o y.txt P").err, "");
    // Nothing is read, so no message says that the input is missing.
    for (arguments, message) in [
        (
            "-o z.parquet missing",
            "z.parquet: the name says parquet, a format that this command lacks; choose another name, or --format: \
             text, json, csv, tsv, markdown, html, svg, challenge, xlsx",
        ),
        (
            "count -o z.htm missing",
            "z.htm: the name says html, a format that this command lacks; choose another name, or --format: text, json, csv, \
             tsv, markdown, xlsx; 'fecscan by' draws charts and pages",
        ),
        (
            "count -o z.csv.gz missing",
            "z.csv.gz: the name says gz, a format that this command lacks; choose another name, or --format: text, json, csv, \
             tsv, markdown, xlsx; to compress, write to a pipe: | gzip",
        ),
        (
            "-o z.png missing",
            "z.png: the name says png, a format that this command lacks; choose another name, or --format: text, json, csv, \
             tsv, markdown, html, svg, challenge, xlsx; a chart is svg, and a page with it html",
        ),
        (
            "by STATE -o z.docx missing",
            "z.docx: the name says docx, a format that this command lacks; choose another name, or --format: text, json, \
             ndjson, csv, tsv, markdown, html, svg, parquet, arrow, xlsx",
        ),
        (
            "export -o z.ODS missing",
            "z.ODS: the name says ods, a format that this command lacks; choose another name, or --format: ndjson, text, \
             json, csv, tsv, parquet, arrow, xlsx; spreadsheets open xlsx",
        ),
    ] {
        assert_fails(here(arguments), 2, message);
    }
}
