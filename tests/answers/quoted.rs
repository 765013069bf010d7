//! CSV with quotes, and delimiters of several bytes, against the values that were written.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use fecscan::scan::simd::Simd;
use serde_json::{Value, json};

use crate::common::archives::{Member, gzip, zip, zstd};
use crate::common::program::{Ended, fecscan, run};

const NAMES: [&str; 4] = ["code", "city name", "price", "note"];

type Row = [String; 4];

/// Numbers that look random, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// How a file is written.
#[derive(Clone, Copy, Debug)]
struct Written {
    delimiter: &'static str,
    line_end: &'static str,
    is_marked: bool,
    is_terminated: bool,
    /// Whether quotes have a meaning.
    has_quotes: bool,
}

impl Written {
    fn random(random: &mut Random) -> Written {
        let has_quotes = random.below(4) > 0;
        let delimiters: &[&str] = if has_quotes {
            &[",", ",", ";", "\t", "|", "||", "~|~", "\u{1}", "§"]
        } else {
            &["||", "~|~", "|x|x", "§", "\t|\t"]
        };
        Written {
            delimiter: random.one_of(delimiters),
            line_end: random.one_of(&["\n", "\r\n"]),
            is_marked: random.below(4) == 0,
            is_terminated: random.below(4) > 0,
            has_quotes,
        }
    }

    fn options(&self) -> Vec<String> {
        let mut options = vec!["--header".to_owned(), "--delimiter".to_owned()];
        options.push(
            self.delimiter
                .replace('\t', "\\t")
                .replace('\u{1}', "\\x01"),
        );
        if self.has_quotes {
            options.extend(["--quotes", "csv"].map(str::to_owned));
        }
        options
    }

    /// Returns a value that such a file can hold.
    fn value(&self, random: &mut Random) -> String {
        const PIECES: [&str; 12] = [
            "a", "Nome", "é", " ", "'", "\\", "|", "~", ",", ";", "x", "\t",
        ];
        let mut value = String::new();
        for _ in 0..random.below(4) {
            let piece = match random.below(4) {
                0 if self.has_quotes => {
                    random.one_of(&["\n", "\r\n", "\r", "\"", "\"\"", self.delimiter])
                }
                _ => random.one_of(&PIECES),
            };
            value.push_str(piece);
        }
        if !self.has_quotes {
            // Half a delimiter would make a whole one with that after the value.
            for part in self.delimiter.chars() {
                value = value.replace(part, "/");
            }
        }
        value
    }

    fn rows(&self, count: usize, random: &mut Random) -> Vec<Row> {
        let cities: Vec<String> = (0..5).map(|_| self.value(random)).collect();
        let row = |_| {
            let code = random.one_of(&["1", "2", "x"]).to_owned();
            let city = cities[random.below(cities.len())].clone();
            let price = random.below(20_000) as i64 - 10_000;
            let price = format!("{}.{:03}", price / 1000, price.abs() % 1000);
            [code, city, price.replace("0.", "7."), self.value(random)]
        };
        (0..count).map(row).collect()
    }

    fn field(&self, value: &str, random: &mut Random) -> String {
        let must = value.starts_with('"')
            || value.contains(['\n', '\r'])
            || value.contains(self.delimiter);
        // The first byte of a long delimiter and that of the delimiter behind it would make one.
        let may_join = self.delimiter.chars().any(|part| value.contains(part));
        if self.has_quotes && (must || may_join || random.below(4) == 0) {
            format!("\"{}\"", value.replace('"', "\"\""))
        } else {
            value.to_owned()
        }
    }

    fn file(&self, rows: &[Row], random: &mut Random) -> Vec<u8> {
        let mut text = if self.is_marked {
            "\u{feff}".to_owned()
        } else {
            String::new()
        };
        let names = NAMES.map(str::to_owned);
        for row in [&names].into_iter().chain(rows) {
            let fields = row.each_ref().map(|value| self.field(value, random));
            text += &fields.join(self.delimiter);
            text += self.line_end;
        }
        if !self.is_terminated {
            text.truncate(text.len() - self.line_end.len());
        }
        text.into_bytes()
    }
}

/// The file at a path, packed in one of some ways.
fn pack(bytes: &[u8], random: &mut Random) -> (&'static str, Vec<u8>) {
    match random.below(5) {
        0 => ("rows.gz", gzip(bytes)),
        1 => ("rows.zst", zstd(bytes)),
        2 => ("rows.zip", zip(&[Member::deflated("rows.txt", bytes)])),
        3 => ("rows.zip", zip(&[Member::stored("rows.txt", bytes)])),
        _ => ("rows.csv", bytes.to_vec()),
    }
}

/// Runs a command on a file, or on a pipe with its bytes. Returns what it prints.
fn printed(command: &[&str], options: &[String], path: &Path, is_piped: bool) -> String {
    let mut program = fecscan(command);
    program.args(options).arg("--quiet");
    let mut cat = None;
    if is_piped {
        let mut child = Command::new("cat")
            .arg(path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        program.arg("-").stdin(child.stdout.take().unwrap());
        cat = Some(child);
    } else {
        program.arg(path);
    }
    let shown = format!("{program:?}");
    let Ended { status, out, err } = run(&mut program);
    // The command holds the other end of the pipe.
    drop(program);
    cat.iter_mut().for_each(|cat| _ = cat.wait().unwrap());
    assert_eq!((status, err.as_str()), (0, ""), "{shown}");
    out
}

/// Returns rows as objects.
fn objects(rows: &[Row]) -> Vec<Value> {
    let object = |row: &Row| {
        let members = NAMES.iter().zip(row);
        members
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect()
    };
    rows.iter().map(object).collect()
}

/// Returns groups by city and note, with the sum of their prices in thousandths.
fn groups(rows: &[Row]) -> BTreeMap<[String; 2], (u64, i64)> {
    let mut groups = BTreeMap::<_, (u64, i64)>::new();
    for [_, city, price, note] in rows {
        let group = groups.entry([city.clone(), note.clone()]).or_default();
        let thousandths: i64 = price.replace('.', "").parse().unwrap();
        *group = (group.0 + 1, group.1 + thousandths);
    }
    groups
}

fn groups_of(printed: &str) -> BTreeMap<[String; 2], (u64, i64)> {
    let found: Vec<Value> = serde_json::from_str(printed).unwrap();
    let group = |group: &Value| {
        let text = |name: &str| group[name].as_str().unwrap().to_owned();
        let sum = group["sum(price)"].to_string();
        let (whole, decimals) = sum.split_once('.').unwrap();
        let sum: i64 = format!("{whole}{decimals:0<3}").parse().unwrap();
        (
            [text("city name"), text("note")],
            (group["count"].as_u64().unwrap(), sum),
        )
    };
    let groups: BTreeMap<_, _> = found.iter().map(group).collect();
    assert_eq!(groups.len(), found.len(), "each group comes once");
    groups
}

#[test]
fn values_are_those_that_were_written_however_they_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let levels: Vec<_> = Simd::available().map(Simd::name).collect();
    for seed in 0..120 {
        let random = &mut Random(seed);
        let written = Written::random(random);
        let count = [0, 1, 3, 40, 700][random.below(5)];
        let rows = written.rows(count, random);
        let (name, bytes) = pack(&written.file(&rows, random), random);
        let path = directory.path().join(name);
        fs::write(&path, bytes).unwrap();
        let options = written.options();
        let is_piped = random.below(4) == 0 && !name.ends_with("zip");
        let threads = random.one_of(&["1", "2", "5"]);
        let task = random.one_of(&["1", "7", "100", "100000"]);
        let level = random.one_of(&levels);
        let io = random.one_of(&["mmap", "read", "auto"]);
        let how = [
            "--threads",
            threads,
            "--task-size",
            task,
            "--simd",
            level,
            "--io",
            io,
        ];
        let ask = |command: &[&str]| printed(&[command, &how].concat(), &options, &path, is_piped);
        let context = format!("{seed}: {written:?} {count} {name} {how:?} {is_piped}");

        let found = ask(&["count"]);
        assert_eq!(
            found.split_whitespace().next(),
            Some(&*count.to_string()),
            "{context}"
        );
        let found: Vec<Value> = serde_json::from_str(&ask(&["export", "-f", "json"])).unwrap();
        assert_eq!(found, objects(&rows), "{context}");
        let by = [
            "by",
            "\"city name\",note",
            "--sum",
            "price",
            "--types",
            "price=number:3",
        ];
        let found = ask(&[&by, &["-f", "json"][..]].concat());
        assert_eq!(groups_of(&found), groups(&rows), "{context}");

        // What was written as CSV is read again, by the rules of CSV.
        let exported = directory.path().join("exported.csv");
        fs::write(&exported, ask(&["export", "-f", "csv"])).unwrap();
        let again = ["--header", "--quotes", "csv"].map(str::to_owned);
        let found = printed(&["export", "-f", "json"], &again, &exported, false);
        let found: Vec<Value> = serde_json::from_str(&found).unwrap();
        assert_eq!(found, objects(&rows), "{context}");
        let mut read = csv::Reader::from_path(&exported).unwrap();
        let read: Vec<Vec<String>> = read
            .records()
            .map(|row| row.unwrap().iter().map(str::to_owned).collect())
            .collect();
        assert_eq!(read, rows, "{context}");

        if !is_piped && count > 0 {
            let partial = directory.path().join("partial");
            let partial = partial.to_str().unwrap();
            ask(&[&by, &["--partial", partial][..]].concat());
            let merged = printed(&["merge", "-f", "json"], &[], Path::new(partial), false);
            assert_eq!(groups_of(&merged), groups(&rows), "{context}");
        }
        if let Some(row) = rows.first().filter(|row| !row[3].contains('\0')) {
            let quoted = format!("note = '{}'", row[3].replace('\'', "''"));
            let found = ask(&["count", "--where", &quoted]);
            let expected = rows.iter().filter(|other| other[3] == row[3]).count();
            assert_eq!(
                found.split_whitespace().next(),
                Some(&*expected.to_string()),
                "{context} {quoted}"
            );
        }
    }
}

/// A value in quotes may have line breaks, and a literal, too.
#[test]
fn line_breaks_of_conditions_are_those_of_values() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rows.csv");
    fs::write(&path, "id,note\n1,\"\n\"\n2,x\n3,\"a\r\nb\"\n").unwrap();
    for (condition, lines) in [
        ("note = '\n'", 1),
        ("note <> '\n'", 2),
        ("note IN ('\n', 'a\r\nb')", 2),
        ("note LIKE '%\n%'", 2),
        ("note ~ '\\n'", 2),
        ("contains(note, '\r')", 1),
        ("length(note) = 1", 2),
        ("note = '\u{1e}'", 0),
    ] {
        let asked = ["count", "--header", "--quotes", "csv", "-q", "--where"];
        let ended = run(fecscan(asked).arg(condition).arg(&path));
        assert_eq!(ended.status, 0, "{}", ended.err);
        let found = ended.out.split(' ').next();
        assert_eq!(found, Some(&*lines.to_string()), "{condition:?}");
    }
}

/// Whatever the bytes, well-formed rows are those of the crate `csv`, and others an error with a line and a byte.
#[test]
fn rows_of_arbitrary_bytes_are_those_of_another_parser_or_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rows.csv");
    let (mut read, mut refused) = (0, 0);
    for seed in 0..400 {
        let random = &mut Random(seed);
        let mut text = "a,b\n".to_owned();
        for _ in 0..random.below(25) {
            text += random.one_of(&[
                "\"", "\"", ",", "x", "\n", "\r\n", "\"\"", " ", "\"x\"", ",\"y\"",
            ]);
        }
        fs::write(&path, &text).unwrap();
        let export = [
            "export",
            "-f",
            "json",
            "-q",
            "--header",
            "--quotes",
            "csv",
            "--columns",
            "#1,#2",
        ];
        let Ended { status, out, err } = run(fecscan(export).arg(&path));
        if status == 2 {
            assert!(
                err.contains(": line ") && err.contains("(byte "),
                "{text:?}: {err}"
            );
            refused += 1;
            continue;
        }
        let mut reader = csv::ReaderBuilder::new();
        let mut reader = reader.flexible(true).from_reader(text.as_bytes());
        let expected = reader.records().map(|row| {
            let row = row.unwrap();
            json!({"a": row.get(0).unwrap_or(""), "b": row.get(1).unwrap_or("")})
        });
        let expected: Vec<Value> = expected.collect();
        let found: Vec<Value> = serde_json::from_str(&out).unwrap();
        // The other parser skips blank lines.
        let blank = json!({"a": "", "b": ""});
        let is_row = |row: &&Value| **row != blank;
        let [found, expected] =
            [&found, &expected].map(|rows| rows.iter().filter(is_row).collect::<Vec<_>>());
        assert_eq!(found, expected, "{text:?}");
        read += 1;
    }
    assert!(read > 50 && refused > 50, "{read} {refused}");
}
