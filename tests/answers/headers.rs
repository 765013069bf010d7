//! First lines that name columns: files that name the same in another order, empty files, and lines that repeat the names. Random files,
//! against rows that are looked up by name.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::common::program::{Ended, fecscan, run};

struct Draw(Xoshiro256PlusPlus);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        (self.0.next_u64() % end as u64) as usize
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// Files of the same columns in any order, the names of the first of them, and the rows of all by these.
struct Files {
    paths: Vec<String>,
    names: Vec<&'static str>,
    rows: Vec<Vec<&'static str>>,
}

fn files(folder: &Path, draw: &mut Draw) -> Files {
    let mut names = ["k", "v", "Name", "when", "x1"][..2 + draw.below(4)].to_vec();
    let mut files = Files {
        paths: Vec::new(),
        names: Vec::new(),
        rows: Vec::new(),
    };
    for nth in 0..1 + draw.below(4) {
        let path = folder.join(format!("{nth}.csv"));
        files.paths.push(path.to_str().unwrap().to_owned());
        if draw.below(4) == 0 {
            fs::write(path, "").unwrap();
            continue;
        }
        for place in (1..names.len()).rev() {
            names.swap(place, draw.below(place + 1));
        }
        let mut lines: Vec<Vec<String>> = Vec::new();
        let is_first = files.names.is_empty();
        let cased = |name: &&str| {
            if is_first {
                name.to_string()
            } else {
                name.to_ascii_uppercase()
            }
        };
        lines.push(names.iter().map(cased).collect());
        if is_first {
            files.names.clone_from(&names);
        }
        for _ in 0..draw.below(5) {
            let row: Vec<_> = names
                .iter()
                .map(|_| draw.one(&["1", "2", "30", ""]))
                .collect();
            lines.push(row.iter().map(|value| value.to_string()).collect());
            let value = |name| row[names.iter().position(|known| known == name).unwrap()];
            files.rows.push(files.names.iter().map(value).collect());
        }
        let lines: Vec<_> = lines.iter().map(|line| line.join(",")).collect();
        let end = draw.one(&["\n", ""]);
        fs::write(path, lines.join("\n") + end).unwrap();
    }
    files
}

#[track_caller]
fn ask(arguments: &[&str], paths: &[String]) -> Ended {
    let ended = run(fecscan(arguments).arg("--header").args(paths));
    assert_eq!(ended.status, 0, "{arguments:?}: {ended:?}");
    ended
}

#[test]
fn columns_are_found_by_the_names_of_the_first_file() {
    let mut draw = Draw(Xoshiro256PlusPlus::seed_from_u64(32));
    let mut grouped = 0;
    for _ in 0..40 {
        let folder = tempfile::tempdir().unwrap();
        let Files { paths, names, rows } = files(folder.path(), &mut draw);
        if names.is_empty() {
            continue;
        }
        let threads = draw.one(&["1", "2"]);
        let exported = ask(
            &["export", "-f", "csv", "--types", "raw", "-j", threads],
            &paths,
        );
        let lines = [&names].into_iter().chain(&rows).map(|row| row.join(","));
        let found: Vec<_> = exported
            .out
            .lines()
            .map(|l| l.replace("\"\"", ""))
            .collect();
        assert_eq!(found, lines.collect::<Vec<_>>(), "{paths:?}");

        let (key, amount) = (draw.below(names.len()), draw.below(names.len()));
        let typed = |place: usize, by_number: usize| match by_number {
            0 => format!("#{}", place + 1),
            _ => names[place].to_owned(),
        };
        let shown = typed(amount, draw.below(2));
        let types = format!("{}=number:0", typed(amount, draw.below(2)));
        let key_typed = typed(key, draw.below(2));
        let by = ["by", &key_typed, "--sum", &shown, "--types", &types];
        let arguments = [&by[..], &["-f", "csv", "-j", threads]].concat();
        let found = run(fecscan(arguments).arg("--header").args(&paths));
        // Groups are of files whose columns have one order.
        if found.err.contains("ask files of one schema") {
            assert_eq!(found.status, 2, "{by:?} {paths:?}");
            continue;
        }
        assert_eq!(found.status, 0, "{by:?} {found:?}");
        grouped += 1;
        let mut found: Vec<_> = found.out.lines().skip(1).collect();
        found.sort_unstable();
        let mut groups: BTreeMap<&str, (u32, Option<u32>)> = BTreeMap::new();
        for row in &rows {
            let group = groups.entry(row[key]).or_default();
            group.0 += 1;
            if let Ok(number) = row[amount].parse::<u32>() {
                group.1 = Some(group.1.unwrap_or_default() + number);
            }
        }
        let line = |(key, (count, sum)): (&str, (u32, Option<u32>))| {
            let sum = sum.map_or(String::new(), |sum| sum.to_string());
            format!("{key},{count},{sum}")
        };
        let mut expected: Vec<_> = groups.into_iter().map(line).collect();
        expected.sort_unstable();
        assert_eq!(found, expected, "{by:?} {paths:?}");
    }
    assert!(grouped > 3, "{grouped}");
}

/// Says how often the first of `lines` stands among the others, and where first.
fn repeats(text: &str) -> Option<(usize, usize)> {
    let mut lines = text
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line));
    let first = lines.next()?;
    let places = (2..).zip(lines).filter(|(_, line)| *line == first);
    let places: Vec<usize> = places.map(|(place, _)| place).collect();
    Some((places.len(), *places.first()?))
}

#[test]
fn lines_that_repeat_the_first_are_counted_and_placed() {
    let mut draw = Draw(Xoshiro256PlusPlus::seed_from_u64(37));
    for _ in 0..60 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let head = draw.one(&["day,kind,n", "a", "a,b"]);
        let end = draw.one(&["\n", "\r\n"]);
        let (longer, later) = (format!("{head}x"), format!("x{head}"));
        let mut lines = vec![head];
        for _ in 0..draw.below(40) {
            lines.push(draw.one(&[head, &longer, &later, "1,2,3", ""]));
        }
        let text = lines.join(end) + draw.one(&["", end]);
        fs::write(&path, &text).unwrap();
        let expected = match repeats(&text) {
            None => String::new(),
            Some((1, line)) => format!(": note: line {line} repeats the first line, "),
            Some((count, line)) => format!(
                ": note: {count} lines repeat the first line, which names the columns, and are read as rows; the first of them is line {line}\n"
            ),
        };
        for question in [&["count"][..], &["by", "#1"], &["export"]] {
            for task in ["1", "7", "50", "10000"] {
                let paths = [path.to_str().unwrap().to_owned()];
                let ended = ask(
                    &[question, &["-f", "json", "--task-size", task]].concat(),
                    &paths,
                );
                let has_note = ended
                    .err
                    .contains(" the first line, which names the columns");
                let is_right = ended.err.contains(&expected) && has_note != expected.is_empty();
                assert!(
                    is_right,
                    "{text:?} {question:?} {task}: {expected:?} is not {ended:?}"
                );
            }
        }
    }
}

/// FROM finds the delimiter of a file of which nothing is said, and whether its first line has names. Rows are as DuckDB counts them.
#[test]
fn files_in_from_are_read_by_their_first_lines() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let ask = |from: &str| {
        let statement = format!("SELECT * FROM '{from}'");
        run(fecscan(["sql", &statement, "-f", "ndjson"]).current_dir(folder))
    };
    for (name, text, rows) in [
        (
            "a.csv",
            "AL,Alabama\nAK,Alaska\n",
            r#"{"AL":"AK","Alabama":"Alaska"}"#,
        ),
        (
            "b.csv",
            "21873,Somerset\n23270,Some\n",
            "{\"#1\":\"21873\",\"#2\":\"Somerset\"}\n{\"#1\":\"23270\",\"#2\":\"Some\"}",
        ),
        (
            "c.csv",
            "fips,name,2018\n1001,Autauga,5\n",
            r#"{"fips":"1001","name":"Autauga","2018":"5"}"#,
        ),
        ("d.csv", "zip;x\na;1,5\n", r#"{"zip":"a","x":"1,5"}"#),
        (
            "e.csv",
            "notes: a; b,n\nfoo,1\n",
            r#"{"notes: a; b":"foo","n":"1"}"#,
        ),
        (
            "f.tsv",
            "state\tnote; a,b\nCA\t3\n",
            r#"{"state":"CA","note; a,b":"3"}"#,
        ),
        ("g.csv", "t,T\n1,2\n", r##"{"t":"1","#2":"2"}"##),
    ] {
        fs::write(folder.join(name), text).unwrap();
        let ended = ask(name);
        assert_eq!((ended.status, ended.out.trim_end()), (0, rows), "{text}");
        assert_eq!(
            ended.err.contains("has values like the others"),
            name == "b.csv"
        );
    }
    fs::write(folder.join("z1.csv"), "city,n\nParis,3\n").unwrap();
    fs::write(folder.join("z2.csv"), "1,2\n3,4\n").unwrap();
    let ended = ask("z*.csv");
    assert_eq!(ended.status, 2, "{ended:?}");
    assert!(ended.err.contains("z2.csv: begins otherwise than z1.csv"));
    fs::write(folder.join("z2.csv"), "city,n\nRome,4\n").unwrap();
    let ended = ask("z*.csv");
    let rows = "{\"city\":\"Paris\",\"n\":\"3\"}\n{\"city\":\"Rome\",\"n\":\"4\"}\n";
    assert_eq!((ended.status, &ended.out[..]), (0, rows));
    let ended = ask("y*.csv");
    assert!(ended.status == 2 && ended.err.contains("no file matches 'y*.csv'"));
}
