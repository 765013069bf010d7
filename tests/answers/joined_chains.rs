//! Tables that lead to each other: exported rows and conditions against a left join by nested loops, groups against their statements.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common::program::{Ended, fecscan, run};

/// A table: its name, the column of a row that leads to it, and its columns. Its rows are found by the first of them.
type Shape = (&'static str, &'static str, &'static [&'static str]);

/// A chain of three, a second table after the first of them, and one that the scanned rows lead to.
const SHAPES: [Shape; 5] = [
    ("b", "k", &["id", "g", "v"]),
    ("c", "left(b.g, 1)", &["g", "t", "w"]),
    ("d", "b.g", &["g", "x"]),
    ("e", "k", &["id", "y"]),
    ("f", "c.t", &["t", "z"]),
];

const KEYS: [&str; 8] = [
    "s",
    "b.g",
    "c.t",
    "d.x",
    "e.y",
    "f.z",
    "left(b.g, 1)",
    "b.v",
];
/// A scanned row and its partners: values by the names of columns. Columns of tables without a partner are not there.
type Joined = BTreeMap<String, String>;

struct Tables {
    rows: Vec<Joined>,
    tables: Vec<Vec<Joined>>,
}

struct Question {
    columns: Vec<&'static str>,
    condition: Option<(&'static str, &'static str)>,
}

/// Marsaglia's xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// Returns a value of a column. The values of columns that lead to each other overlap.
    fn value(&mut self, column: &str) -> String {
        let values: &[&str] = match column {
            "k" | "id" => &["1", "2", "3", ""],
            "b.g" | "d.g" => &["p", "pp", "q", "r", ""],
            "c.g" => &["p", "q", "x", ""],
            "c.t" | "f.t" => &["t", "u", "w", ""],
            "n" | "b.v" | "c.w" => &["10", "7", "-3"],
            _ => &["i", "j", ""],
        };
        self.of(values).to_owned()
    }

    /// Returns some of the names, each once.
    fn some(&mut self, names: &[&'static str], most: usize) -> Vec<&'static str> {
        let mut some = Vec::new();
        for _ in 0..self.below(most + 1) {
            let name = self.of(names);
            if !some.contains(&name) {
                some.push(name);
            }
        }
        some
    }

    /// Writes small tables. In half of them no two rows have the same key.
    fn tables(&mut self, folder: &Path) -> Tables {
        let mut written = "k,s,n\n".to_owned();
        let row = |names: &[&str], random: &mut Random| -> Joined {
            let values = names.iter().map(|name| {
                let column = if *name == "b.id" || *name == "e.id" {
                    "id"
                } else {
                    name
                };
                ((*name).to_owned(), random.value(column))
            });
            values.collect()
        };
        let mut rows = Vec::new();
        for _ in 0..=self.below(9) {
            let made = row(&["k", "s", "n"], self);
            written += &format!("{},{},{}\n", made["k"], made["s"], made["n"]);
            rows.push(made);
        }
        fs::write(folder.join("rows.csv"), written).unwrap();
        let mut tables = Vec::new();
        for (table, _, columns) in SHAPES {
            let names: Vec<_> = columns
                .iter()
                .map(|name| format!("{table}.{name}"))
                .collect();
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            let is_unique = self.below(2) == 0;
            let mut written = columns.join(",") + "\n";
            let mut made: Vec<Joined> = Vec::new();
            for _ in 0..self.below(10) {
                let new = row(&names, self);
                if is_unique && made.iter().any(|old| old[names[0]] == new[names[0]]) {
                    continue;
                }
                let values: Vec<_> = names.iter().map(|name| new[*name].clone()).collect();
                written += &(values.join(",") + "\n");
                made.push(new);
            }
            fs::write(folder.join(format!("{table}.csv")), written).unwrap();
            tables.push(made);
        }
        Tables { rows, tables }
    }

    fn question(&mut self) -> Question {
        let mut columns = self.some(&KEYS, 3);
        if columns.is_empty() {
            columns.push(self.of(&KEYS));
        }
        Question {
            columns,
            condition: match self.below(4) {
                0 => Some(("s", "i")),
                1 => Some(("c.t", "u")),
                2 => Some(("e.y", "i")),
                _ => None,
            },
        }
    }
}

/// Returns the value of a column, or of `left(C, 1)`; none without a partner.
fn value(row: &Joined, name: &str) -> Option<String> {
    let inner = name
        .strip_prefix("left(")
        .and_then(|name| name.strip_suffix(", 1)"));
    match inner {
        Some(column) => Some(row.get(column)?.chars().take(1).collect()),
        None => row.get(name).cloned(),
    }
}

impl Tables {
    /// Returns the partners of a row in a table.
    fn partners(&self, row: &Joined, table: usize) -> Vec<&Joined> {
        let (name, on, columns) = SHAPES[table];
        let column = format!("{name}.{}", columns[0]);
        let Some(key) = value(row, on) else {
            return Vec::new();
        };
        let rows = self.tables[table].iter();
        rows.filter(|row| row[&column] == key).collect()
    }

    /// Returns the rows that a row makes with its partners.
    fn join(&self, row: &Joined) -> Vec<Joined> {
        let mut joined = vec![row.clone()];
        for table in 0..SHAPES.len() {
            let with_partners = joined.iter().flat_map(|row| {
                let partners = self.partners(row, table);
                let with = |partner: &Joined| {
                    let mut row = row.clone();
                    row.extend(partner.clone());
                    row
                };
                match &partners[..] {
                    [] => vec![row.clone()],
                    partners => partners.iter().map(|partner| with(partner)).collect(),
                }
            });
            joined = with_partners.collect();
        }
        joined
    }

    /// Returns the rows of an export as lines of CSV.
    fn rows(&self, question: &Question) -> Vec<String> {
        let joined = self.rows.iter().flat_map(|row| self.join(row));
        let passes = |row: &Joined| {
            question
                .condition
                .is_none_or(|(column, wanted)| value(row, column).as_deref() == Some(wanted))
        };
        let line = |row: Joined| {
            let values = question
                .columns
                .iter()
                .map(|name| value(&row, name).unwrap_or_default());
            let line = values.collect::<Vec<_>>().join(",");
            // The reader of CSV would skip an empty line.
            if line.is_empty() {
                "\"\"".to_owned()
            } else {
                line
            }
        };
        joined.filter(passes).map(line).collect()
    }
}

impl Question {
    /// Returns the options of the tables and the condition.
    fn options(&self) -> Vec<String> {
        let mut words = vec!["--header".to_owned()];
        for (name, on, columns) in SHAPES {
            words.extend(["--with".to_owned(), format!("{name}={name}.csv")]);
            words.extend(["--on".to_owned(), format!("{on}={name}.{}", columns[0])]);
        }
        if let Some((column, value)) = self.condition {
            words.extend(["--where".to_owned(), format!("{column} = '{value}'")]);
        }
        words
    }
}

fn ask(folder: &Path, arguments: &[String]) -> Ended {
    run(fecscan(arguments).current_dir(folder))
}

#[test]
fn chains_of_tables_are_left_joins() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut chosen, mut grouped) = (0, 0);
    for _ in 0..40 {
        let tables = random.tables(folder);
        for nth in 0..6 {
            let question = random.question();
            let columns = question.columns.join(", ");
            let mut words = [
                "export",
                "--columns",
                &columns,
                "-f",
                "csv",
                "-q",
                "rows.csv",
            ]
            .map(str::to_owned)
            .to_vec();
            words.extend(question.options());
            if random.below(2) == 0 {
                words.extend(["-j", "2", "--task-size", "1"].map(String::from));
            }
            let shown = |words: &[String], ended: &Ended| {
                let names = fs::read_dir(folder).unwrap();
                let paths = names.map(|entry| entry.unwrap().path());
                let texts =
                    paths.map(|path| format!("{path:?}\n{}", fs::read_to_string(&path).unwrap()));
                format!("{words:?}\n{}{ended:?}", texts.collect::<String>())
            };
            let expected = tables.rows(&question);
            chosen += u64::from(!expected.is_empty() && question.condition.is_some());
            let ended = ask(folder, &words);
            assert_eq!(ended.status, 0, "{}", shown(&words, &ended));
            let found: Vec<_> = ended.out.lines().skip(1).collect();
            assert_eq!(found, expected, "{}", shown(&words, &ended));
            if nth > 2 {
                continue;
            }
            // Groups have each partner of a row, as their statement says.
            let keys = columns.clone();
            let mut by = [
                "by",
                &keys,
                "--sum",
                "n::DECIMAL(9, 2)",
                "-q",
                "-f",
                "csv",
                "rows.csv",
            ]
            .map(str::to_owned)
            .to_vec();
            by.extend(question.options());
            let found = ask(folder, &by);
            by.push("--show-sql".into());
            let statement = ask(folder, &by).out;
            let sql = ["sql", &statement, "-q", "-f", "csv", "--header"];
            let sql = ask(folder, &sql.map(str::to_owned));
            assert_eq!(
                (found.status, &found.out),
                (0, &sql.out),
                "{} {sql:?}",
                shown(&by, &found)
            );
            grouped += u64::from(found.out.lines().count() > 1);
        }
    }
    assert!(chosen > 50 && grouped > 15, "{chosen} {grouped}");
}

#[test]
fn a_partner_that_leads_nowhere_has_a_group() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, text) in [
        ("b.csv", "id,g\n1,p\n1,q\n1,q\n"),
        ("c.csv", "g,t\nq,u\n"),
        ("rows.tsv", "k\tn\n1\t10\n"),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    let ask = |keys: &str, more: &str| {
        let arguments = format!(
            "by {keys} {more} --header --delimiter tab --with b=b.csv --on k=b.id --with c=c.csv --on b.g=c.g --types n=number --sum n -f csv rows.tsv"
        );
        let words = arguments
            .split_whitespace()
            .map(|word| word.replace('~', " "));
        let words: Vec<_> = words.collect();
        let ended = ask(folder, &words);
        assert_eq!(ended.status, 0, "{}", ended.err);
        (ended.out, ended.err)
    };
    let (out, err) = ask("c.t", "");
    assert_eq!(out, "t,count,sum(n)\nu,2,20.00\n,1,10.00\n");
    assert_eq!(
        err,
        "fecscan: b.csv: note: 1 row is the same as another, so a row that matches them is counted once for each\n\
         fecscan: note: 1 row of scanned has several matches in b, and counts once for each\n\
         fecscan: note: 1 row has no partner in c, whose columns are NULL there\n"
    );
    let (out, _) = ask("b.g,c.t", "");
    assert_eq!(out, "g,t,count,sum(n)\nq,u,2,20.00\np,,1,10.00\n");
    let (out, _) = ask("k", "--agg count(DISTINCT~b.g)");
    assert_eq!(out, "k,count,sum(n),count(DISTINCT b.g)\n1,3,30.00,2\n");
}
