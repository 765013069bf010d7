//! Files of other kinds than the FEC's, against a slow twin.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use fecscan::scan::simd::Simd;

use crate::common::archives::gzip;
use crate::common::program::{Ended, assert_fails, fecscan, run, shell};

/// How a file is written.
#[derive(Clone, Copy, Debug)]
struct Written {
    delimiter: char,
    header: bool,
    line_end: &'static str,
    /// Whether a delimiter follows the last value of a row.
    trails: bool,
    /// Whether the last line has an end.
    is_terminated: bool,
}

const NAMES: [&str; 4] = ["code", "city", "price", "note"];

/// A row: a code, a city, a price in thousandths, and a note.
type Row = (u64, &'static str, i64, &'static str);

/// Rows of few codes and cities. Some of their bytes are delimiters of other files, quotes and backslashes.
fn rows(count: u64, seed: u64) -> Vec<Row> {
    const CITIES: [&str; 5] = ["Nome", "Bar|row", "New York", "", "Saint-Louis-du-Ha! Ha!"];
    const NOTES: [&str; 5] = ["", "a \"quoted\" word", "C:\\dir", "x", "50.5 % more"];
    (0..count)
        .map(|nth| {
            let bits = (nth + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16;
            let price = (bits % 200_001) as i64 - 100_000;
            let note = NOTES[(bits / 7 % 5) as usize];
            (bits % 4, CITIES[(bits / 64 % 5) as usize], price, note)
        })
        .collect()
}

/// Writes thousandths, with as few decimals as they need.
fn plain(thousandths: i64) -> String {
    let text = fixed(thousandths.into());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn fixed(thousandths: i128) -> String {
    let sign = if thousandths < 0 { "-" } else { "" };
    let (whole, rest) = (thousandths.abs() / 1000, thousandths.abs() % 1000);
    format!("{sign}{whole}.{rest:03}")
}

impl Written {
    /// All ways to write a file.
    fn all() -> impl Iterator<Item = Written> {
        let ends = [("\n", true), ("\r\n", true), ("\n", false)];
        [',', '\t', ';', '|', '\x01']
            .into_iter()
            .flat_map(move |delimiter| {
                ends.into_iter().flat_map(move |(line_end, is_terminated)| {
                    [true, false].into_iter().flat_map(move |header| {
                        [true, false].map(|trails| Written {
                            delimiter,
                            header,
                            line_end,
                            trails,
                            is_terminated,
                        })
                    })
                })
            })
    }

    fn file(&self, rows: &[Row]) -> String {
        let Written {
            delimiter,
            line_end,
            ..
        } = *self;
        let trail = if self.trails {
            delimiter.to_string()
        } else {
            String::new()
        };
        let mut text = String::new();
        if self.header {
            let names = NAMES.join(&delimiter.to_string());
            write!(text, "{names}{trail}{line_end}").unwrap();
        }
        for row in rows {
            let fields = self.fields(row).join(&delimiter.to_string());
            write!(text, "{fields}{trail}{line_end}").unwrap();
        }
        if !self.is_terminated {
            text.truncate(text.len() - line_end.len());
        }
        text
    }

    /// Returns the values of a row. A city has no delimiter.
    fn fields(&self, &(code, city, price, note): &Row) -> [String; 4] {
        let city = city.replace(self.delimiter, "/");
        [code.to_string(), city, plain(price), note.to_owned()]
    }

    /// Returns the options that say how a file is read.
    fn options(&self) -> Vec<String> {
        let delimiter = match self.delimiter {
            '\t' => "tab".to_owned(),
            '|' => "pipe".to_owned(),
            other => other.to_string(),
        };
        let mut options = vec!["--delimiter".to_owned(), delimiter];
        if self.header {
            options.push("--header".to_owned());
        } else {
            options.extend(["--names".to_owned(), NAMES.join(",")]);
        }
        options
    }
}

/// Runs a command on files, and returns what it prints. Nothing may be said about it.
fn printed(command: &[&str], options: &[String], files: &[&Path]) -> String {
    let arguments = command.iter().map(|argument| argument.into());
    let options = options.iter().map(|option| option.into());
    let files = files.iter().map(|path| path.as_os_str().to_owned());
    let all: Vec<std::ffi::OsString> = arguments.chain(options).chain(files).collect();
    let Ended { status, out, err } = run(&mut fecscan(&all));
    assert_eq!((status, err.as_str()), (0, ""), "{all:?}");
    out
}

/// Returns the groups by code and city, in the order of their sums and keys.
fn groups(written: &Written, rows: &[Row]) -> String {
    let mut groups = BTreeMap::<[String; 2], Vec<i128>>::new();
    for row in rows {
        let [code, city, ..] = written.fields(row);
        groups.entry([code, city]).or_default().push(row.2.into());
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, prices)| std::cmp::Reverse(prices.iter().sum::<i128>()));
    let mut text = "code,city,count,sum(price),min(price),max(price)\n".to_owned();
    for ([code, city], prices) in groups {
        let [sum, min, max] = [
            prices.iter().sum(),
            *prices.iter().min().unwrap(),
            *prices.iter().max().unwrap(),
        ]
        .map(fixed);
        let count = prices.len();
        writeln!(text, "{code},{},{count},{sum},{min},{max}", csv(&city)).unwrap();
    }
    text
}

fn csv(value: &str) -> String {
    if value.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", value.replace('"', "\"\""))
    } else {
        value.to_owned()
    }
}

const BY: [&str; 12] = [
    "by",
    "code,city",
    "--sum",
    "price",
    "--agg",
    "min(price), max(price)",
    "--types",
    "price=number:3",
    "-f",
    "csv",
    "--task-size",
    "100",
];

#[test]
fn files_of_any_layout_have_the_groups_and_rows_of_the_twin() {
    let directory = tempfile::tempdir().unwrap();
    let [one, other, packed] = ["one", "other", "packed"].map(|name| directory.path().join(name));
    let (first, second) = (rows(150, 1), rows(70, 1000));
    let both = [&first[..], &second[..]].concat();
    for written in Written::all() {
        let options = written.options();
        fs::write(&one, written.file(&first)).unwrap();
        fs::write(&other, written.file(&second)).unwrap();
        fs::write(&packed, gzip(written.file(&second).as_bytes())).unwrap();
        let expected = groups(&written, &both);
        for files in [[&*one, &*other], [&*one, &*packed]] {
            assert_eq!(printed(&BY, &options, &files), expected, "{written:?}");
        }

        // Without names, a line without its newline does not count, as for `wc -l`.
        let is_short = !written.is_terminated && !written.header;
        let lines = both.len() - 2 * usize::from(is_short);
        let count = printed(&["count"], &options, &[&one, &other]);
        let total = count.lines().last().unwrap().split_whitespace().next();
        assert_eq!(total, Some(&*lines.to_string()), "{written:?}");

        let values = both.iter().map(|row| written.fields(row));
        let rows_as = |row: &dyn Fn(&[String; 4]) -> String| -> String {
            values.clone().map(|fields| row(&fields)).collect()
        };
        let csv = rows_as(&|fields| fields.each_ref().map(|f| csv(f)).join(",") + "\n");
        let tsv = rows_as(&|fields| fields.join("\t").replace('\\', "\\\\") + "\n");
        let json = rows_as(&|fields| {
            let text = |field: &String| serde_json::to_string(field).unwrap();
            let members = NAMES.iter().zip(fields);
            let members: Vec<_> = members
                .map(|(name, f)| format!("\"{name}\":{}", text(f)))
                .collect();
            format!("{{{}}}\n", members.join(","))
        });
        let (commas, tabs) = (NAMES.join(",") + "\n", NAMES.join("\t") + "\n");
        for (format, expected) in [
            ("csv", commas + &csv),
            ("tsv", tabs + &tsv),
            ("ndjson", json),
        ] {
            let export = ["export", "-f", format, "--task-size", "100"];
            let found = printed(&export, &options, &[&one, &other]);
            assert_eq!(found, expected, "{format} {written:?}");
        }
    }
}

#[test]
fn all_levels_and_ways_to_read_find_the_same_columns() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rows");
    let rows = rows(2000, 5);
    for written in Written::all().filter(|written| written.is_terminated) {
        fs::write(&path, written.file(&rows)).unwrap();
        let expected = groups(&written, &rows);
        for level in Simd::available().map(Simd::name) {
            for io in ["mmap", "read"] {
                let by = [&BY[..10], &["--simd", level, "--io", io]].concat();
                let found = printed(&by, &written.options(), &[&path]);
                assert_eq!(found, expected, "{level} {io} {written:?}");
            }
            // Few columns are searched for in another way.
            let by_city = ["by", "city", "-f", "csv", "--simd", level, "--sort", "city"];
            let mut counts = BTreeMap::<String, u64>::new();
            for row in &rows {
                *counts.entry(written.fields(row)[1].clone()).or_default() += 1;
            }
            let expected: String = counts
                .iter()
                .map(|(city, n)| format!("{},{n}\n", csv(city)))
                .collect();
            let found = printed(&by_city, &written.options(), &[&path]);
            assert_eq!(
                found,
                format!("city,count\n{expected}"),
                "{level} {written:?}"
            );
        }
    }
}

#[test]
fn ranges_of_any_layout_merge_to_the_whole_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rows");
    let rows = rows(60, 9);
    for written in Written::all().filter(|written| written.delimiter != ';') {
        let text = written.file(&rows);
        fs::write(&path, &text).unwrap();
        let options = written.options();
        let size = text.len();
        for cut in [1, 21, size / 2, size - 1] {
            let mut partials = Vec::new();
            for (nth, range) in [format!(":{cut}"), format!("{cut}:")].iter().enumerate() {
                for (command, name) in [(&BY[..8], "by"), (&["count"][..], "count")] {
                    let partial = directory.path().join(format!("{name}{nth}"));
                    let partial = partial.to_str().unwrap();
                    let asked = [command, &["--range", range, "--partial", partial]].concat();
                    assert_eq!(printed(&asked, &options, &[&path]), "");
                    partials.push((name, partial.to_owned()));
                }
            }
            let merged = |name: &str, format: &[&str]| {
                let parts = partials.iter().filter(|(of, _)| *of == name);
                let parts: Vec<_> = parts.map(|(_, path)| Path::new(path)).collect();
                printed(&[&["merge"], format].concat(), &[], &parts)
            };
            let found = merged("by", &["-f", "csv"]);
            assert_eq!(found, groups(&written, &rows), "{cut} {written:?}");
            let whole = printed(&["count"], &options, &[&path]);
            assert_eq!(merged("count", &[]), whole, "{cut} {written:?}");
        }
    }
}

#[test]
fn versions_of_any_layout_are_compared() {
    let directory = tempfile::tempdir().unwrap();
    let [old, new] = ["old", "new"].map(|name| directory.path().join(name));
    for written in Written::all() {
        // A key has values on both sides of a delimiter.
        let unique = |count: u64, more: i64| -> Vec<Row> {
            (0..count)
                .map(|nth| (nth, "Nome", nth as i64 / 50 * more, "x"))
                .collect()
        };
        fs::write(&old, written.file(&unique(100, 1))).unwrap();
        fs::write(&new, written.file(&unique(120, 2))).unwrap();
        let diff = ["diff", "--key", "code,city"];
        let found = printed(&diff, &written.options(), &[&old, &new]);
        let text = "+ added    20\n- removed   0\n~ changed  50\n= equal    50\n";
        assert_eq!(found, text, "{written:?}");
    }
}

#[test]
fn numbers_are_exact_to_nine_decimals() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("numbers");
    fs::write(
        &path,
        "a;0.1\na;0.000000001\na;-12345678.987654321\na;1e3\na;\n",
    )
    .unwrap();
    let path = path.to_str().unwrap();
    let by = format!(
        "$F by '#1' --delimiter ';' --types '#2=number:9' --sum '#2' --agg 'min(#2), max(#2)' -f csv {path}"
    );
    let ended = shell(&by);
    assert_eq!(
        ended.out,
        "#1,count,sum(#2),min(#2),max(#2)\na,5,-12345678.887654320,-12345678.987654321,0.100000000\n"
    );
    assert!(
        ended
            .err
            .starts_with("fecscan: note: 1 value of #2 is not a number, and NULL here\n"),
        "{}",
        ended.err
    );
    for (condition, lines) in [
        ("#2 > 0.000000001", 1),
        ("#2 > 0.1", 0),
        ("#2 > 0.0999999999", 1),
        ("#2 >= 0.1", 1),
        ("#2 < 0.000000002", 2),
        ("#2 = 0.10", 1),
        ("#2 IS NULL", 2),
    ] {
        let types = "--types '#2=number:9'";
        let count = format!("$F count --delimiter ';' {types} --where '{condition}' {path}");
        let found = shell(&count).out;
        assert!(
            found.starts_with(&format!("{lines} ")),
            "{condition}: {found}"
        );
    }
}

#[test]
fn the_first_line_of_each_file_names_its_columns() {
    let script = "cd \"$(mktemp -d)\" && printf '\\357\\273\\277city,,city\\nNome,1,2\\n' > a \
        && printf 'City,,City\\nNome,3,4\\n' > b && printf 'town,x\\nNome,5\\n' > c && ";
    let run = |command: &str| shell(&format!("{script}{command}"));
    // A column without a name, or with that of another, is a number.
    let export = run("$F export --header a");
    assert_eq!(
        export.out,
        "{\"city\":\"Nome\",\"#2\":\"1\",\"#3\":\"2\"}\n"
    );
    let by = run("$F by city --header --agg 'max(#3)' -f csv a");
    assert_eq!(by.out, "city,count,max(#3)\nNome,1,2\n");
    let other = run("$F by city --header a c");
    assert_fails(
        other,
        2,
        "c: has the columns town, x, and a has the columns city, #2, #3 instead, so rows are not added up; read one after the other",
    );
    let piped = run("cat a | $F by city --header -f csv");
    assert_eq!(piped.out, "city,count\nNome,1\n");
    let named = run("$F by town --header --names town,x,y -f csv a b c");
    assert_eq!(named.out, "town,count\nNome,3\n");
    let nothing = run(
        ": > e && $F count --header e && printf 'a,b' > e && $F count --header e && $F by a --header -f csv e",
    );
    assert_eq!(
        (nothing.out.as_str(), nothing.err.as_str()),
        (
            "0 e\n0 e\na,count\n",
            "fecscan: e: note: is empty, and names no columns\n"
        )
    );
}

#[test]
fn days_of_other_files_are_compared_and_written() {
    let script = "cd \"$(mktemp -d)\" && printf 'k,when\\nx,2018-01-31\\nx,2017-12-05\\nx,n/a\\nx,\\n' > a && ";
    let out = |command: &str| shell(&format!("{script}{command}")).out;
    let by =
        out("$F by k --header --types when=date --agg 'min(\"when\"), max(\"when\")' -f csv a");
    assert_eq!(
        by,
        "k,count,\"min(\"\"when\"\")\",\"max(\"\"when\"\")\"\nx,4,2017-12-05,2018-01-31\n"
    );
    for (types, condition, lines) in [
        ("--types when=date", r#""when" >= '2018-01-01'"#, 1),
        ("--types when=date", r#""when" < '2019-01-01'"#, 2),
        ("--types when=date", r#""when" = '2017-12-05'"#, 1),
        // Without a type, these are texts.
        ("", r#""when" = '2017-12-05'"#, 1),
        ("", r#""when" >= '2018-01-01'"#, 2),
        ("", r#"TRY_CAST("when" AS DATE) >= '2018-01-01'"#, 1),
    ] {
        let condition = condition.replace('"', "\\\"");
        let count = format!("$F count -q --header {types} --where \"{condition}\" a");
        assert_eq!(out(&count), format!("{lines} a\n"), "{types} {condition}");
    }
    let rows = "\"2018-01-31\"}\n{\"when\":\"2017-12-05\"}\n{\"when\":null}\n{\"when\":null}\n";
    let export = out("$F export --header --types when=date --columns when a");
    assert_eq!(export, format!("{{\"when\":{rows}"));
}
