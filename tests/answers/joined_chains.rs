//! Tables that lead to each other, with `--each` and without, against a left join by nested loops.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::common::program::{Ended, fecscan, run};

/// A table: its name, the column of a row that leads to it, and its columns. Its rows are found by the first of them.
type Shape = (&'static str, &'static str, &'static [&'static str]);

/// A chain of three, a second table after the first of them, and one that the scanned rows lead to.
const SHAPES: [Shape; 5] = [
    ("b", "k", &["id", "g", "v"]),
    ("c", "prefix(b.g,1)", &["g", "t", "w"]),
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
    "prefix(b.g,1)",
    "b.v",
];
const DISTINCT: [&str; 6] = ["s", "b.g", "c.t", "d.x", "f.z", "prefix(b.g,1)"];
const NUMBERS: [&str; 3] = ["n", "b.v", "c.w"];

/// A scanned row and its partners: values by the names of columns. Columns of tables without a partner are not there.
type Joined = BTreeMap<String, String>;

struct Tables {
    rows: Vec<Joined>,
    tables: Vec<Vec<Joined>>,
}

struct Question {
    keys: Vec<&'static str>,
    distinct: Vec<&'static str>,
    least: Option<&'static str>,
    condition: Option<(&'static str, &'static str)>,
    each: bool,
}

/// What the twin makes of a group: rows, the sum of `n`, distinct values, and the least number.
#[derive(Default)]
struct Group {
    count: u64,
    sum: i64,
    distinct: Vec<BTreeSet<String>>,
    least: Option<i64>,
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
        let mut written = "k\ts\tn\n".to_owned();
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
            written += &format!("{}\t{}\t{}\n", made["k"], made["s"], made["n"]);
            rows.push(made);
        }
        fs::write(folder.join("rows.tsv"), written).unwrap();
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
        let mut keys = self.some(&KEYS, 2);
        if keys.is_empty() {
            keys.push(self.of(&KEYS));
        }
        Question {
            keys,
            distinct: self.some(&DISTINCT, 2),
            least: (self.below(3) == 0).then(|| self.of(&NUMBERS)),
            condition: match self.below(6) {
                0 => Some(("s", "i")),
                1 => Some(("c.t", "u")),
                2 => Some(("e.y", "i")),
                _ => None,
            },
            each: self.below(4) > 0,
        }
    }
}

/// Returns the value of a column, or of `prefix(C,1)`; none without a partner.
fn value(row: &Joined, name: &str) -> Option<String> {
    let inner = name
        .strip_prefix("prefix(")
        .and_then(|name| name.strip_suffix(",1)"));
    match inner {
        Some(column) => Some(row.get(column)?.chars().take(1).collect()),
        None => row.get(name).cloned(),
    }
}

/// Returns the place of the table that a column is of.
fn table_of(name: &str) -> Option<usize> {
    let column = name.strip_prefix("prefix(").unwrap_or(name);
    let (table, _) = column.split_once('.')?;
    SHAPES.iter().position(|(name, ..)| *name == table)
}

/// Adds the tables of columns, and those that lead to them.
fn add_tables<'a>(names: impl IntoIterator<Item = &'a str>, tables: &mut BTreeSet<usize>) {
    for name in names {
        if let Some(table) = table_of(name) {
            add_tables([SHAPES[table].1], tables);
            tables.insert(table);
        }
    }
}

impl Tables {
    /// Returns the partners of a row in a table.
    fn partners(&self, row: &Joined, table: usize, each: bool) -> Vec<&Joined> {
        let (name, on, columns) = SHAPES[table];
        let key = value(row, on).unwrap_or_default();
        let column = format!("{name}.{}", columns[0]);
        let rows = self.tables[table].iter();
        let found: Vec<_> = rows
            .filter(|row| !key.is_empty() && row[&column] == key)
            .collect();
        let left_out = if each {
            0
        } else {
            found.len().saturating_sub(1)
        };
        found[left_out..].to_vec()
    }

    /// Returns the left join of a row with `tables`, and adds those in which it has several partners.
    fn join(
        &self,
        row: &Joined,
        tables: &BTreeSet<usize>,
        each: bool,
        several: &mut BTreeSet<usize>,
    ) -> Vec<Joined> {
        let mut joined = vec![row.clone()];
        for &table in tables {
            let mut wider = Vec::new();
            for row in &joined {
                let partners = self.partners(row, table, each);
                if partners.len() > 1 {
                    several.insert(table);
                }
                for partner in &partners {
                    let mut row = row.clone();
                    row.extend((*partner).clone());
                    wider.push(row);
                }
                if partners.is_empty() {
                    wider.push(row.clone());
                }
            }
            joined = wider;
        }
        joined
    }

    /// Says whether rows of one of the tables share a key.
    fn have_several(&self, tables: &BTreeSet<usize>) -> bool {
        tables.iter().any(|&table| {
            let key = format!("{}.{}", SHAPES[table].0, SHAPES[table].2[0]);
            let keys = self.tables[table].iter().map(|row| &row[&key]);
            let keys: Vec<_> = keys.filter(|key| !key.is_empty()).collect();
            keys.len() > keys.iter().collect::<BTreeSet<_>>().len()
        })
    }

    /// Returns the groups as lines of CSV, and the notes on partners.
    fn answer(&self, question: &Question) -> (BTreeSet<String>, BTreeSet<String>) {
        let Question {
            keys,
            distinct,
            least,
            condition,
            each,
        } = question;
        let (mut of_keys, mut of_groups) = (BTreeSet::new(), BTreeSet::new());
        of_keys.extend(keys.iter().chain(least).filter_map(|name| table_of(name)));
        add_tables(keys.iter().chain(least).copied(), &mut of_groups);
        let mut all = of_groups.clone();
        add_tables(distinct.iter().copied(), &mut all);
        let mut groups: BTreeMap<Vec<String>, Group> = BTreeMap::new();
        let (mut without, mut with_several) = (BTreeMap::new(), BTreeMap::new());
        for row in &self.rows {
            let value = |row: &Joined, name: &str| value(row, name).unwrap_or_default();
            if let Some((column, wanted)) = condition {
                let mut tables = BTreeSet::new();
                add_tables([*column], &mut tables);
                let joined = self.join(row, &tables, false, &mut BTreeSet::new());
                if value(&joined[0], column) != *wanted {
                    continue;
                }
            }
            let key = |row: &Joined| keys.iter().map(|name| value(row, name)).collect();
            let mut several = BTreeSet::new();
            let joined = self.join(row, &of_groups, *each, &mut several);
            for table in several {
                *with_several.entry(table).or_insert(0) += 1;
            }
            for &table in &of_keys {
                let column = format!("{}.{}", SHAPES[table].0, SHAPES[table].2[0]);
                if joined.iter().any(|row| !row.contains_key(&column)) {
                    *without.entry(table).or_insert(0) += 1;
                }
            }
            for row in &joined {
                let group = groups.entry(key(row)).or_default();
                group.count += 1;
                group.sum += value(row, "n").parse::<i64>().unwrap();
                let number = least.and_then(|name| value(row, name).parse().ok());
                group.least = group.least.into_iter().chain(number).min();
            }
            // Tables of distinct values alone don't count rows several times.
            for row in self.join(row, &all, *each, &mut BTreeSet::new()) {
                let group = groups.get_mut::<Vec<String>>(&key(&row)).unwrap();
                group.distinct.resize(distinct.len(), BTreeSet::new());
                for (values, name) in group.distinct.iter_mut().zip(distinct) {
                    values.extend(Some(value(&row, name)).filter(|value| !value.is_empty()));
                }
            }
        }
        let lines = groups.iter().map(|(key, group)| {
            let mut line = format!("{},{},{}.00", key.join(","), group.count, group.sum);
            for values in &group.distinct {
                line += &format!(",{}", values.len());
            }
            if least.is_some() {
                line += &group
                    .least
                    .map_or(",".to_owned(), |least| format!(",{least}.00"));
            }
            line
        });
        let note = |(table, count): (usize, u64), have: &str, end: &str| {
            let rows = if count == 1 { "row has" } else { "rows have" };
            format!("{count} {rows} {have} partner{end} {}.csv", SHAPES[table].0)
        };
        let without = without
            .into_iter()
            .map(|counted| note(counted, "no", " in"));
        let several = with_several.into_iter();
        let several = several.map(|counted| note(counted, "several", "s in"));
        (lines.collect(), without.chain(several).collect())
    }
}

impl Question {
    fn arguments(&self) -> Vec<String> {
        let mut words = vec![
            "by".to_owned(),
            self.keys.join(","),
            "--sum".into(),
            "n".into(),
        ];
        words.extend(["rows.tsv", "-f", "csv", "--header", "--delimiter", "tab"].map(String::from));
        for (name, on, columns) in SHAPES {
            words.extend(["--with".to_owned(), format!("{name}={name}.csv")]);
            words.extend(["--on".to_owned(), format!("{on}={name}.{}", columns[0])]);
        }
        for name in &self.distinct {
            words.extend(["--distinct", name].map(String::from));
        }
        if let Some(name) = self.least {
            words.extend(["--min", name].map(String::from));
        }
        if let Some((column, value)) = self.condition {
            words.extend(["--where".to_owned(), format!("{column} = '{value}'")]);
        }
        words.extend(self.each.then(|| "--each".to_owned()));
        words
    }

    /// Says whether a condition may find several partners of a row.
    fn is_refused(&self, tables: &Tables) -> bool {
        let mut of_condition = BTreeSet::new();
        add_tables(self.condition.map(|(column, _)| column), &mut of_condition);
        self.each && tables.have_several(&of_condition)
    }
}

/// Returns the notes on rows of groups without partners, or with several.
fn notes(err: &str) -> BTreeSet<String> {
    let notes = err.lines().filter_map(|line| {
        let note = line.strip_prefix("fecscan: note: ")?;
        let note = note.split("; its keys").next()?;
        let without = note.strip_suffix(", so columns of that file are empty");
        let several = note
            .split_once(", and count")
            .filter(|(_, end)| end.ends_with("once for each"));
        without.or(several.map(|(note, _)| note))
    });
    notes.map(str::to_owned).collect()
}

fn ask(folder: &Path, arguments: &[String]) -> Ended {
    run(fecscan(arguments).current_dir(folder))
}

#[test]
fn chains_of_tables_are_left_joins() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut refused, mut several) = (0, 0);
    for _ in 0..80 {
        let tables = random.tables(folder);
        for _ in 0..8 {
            let question = random.question();
            let mut arguments = question.arguments();
            if random.below(2) == 0 {
                arguments.extend(["-j", "2", "--task-size", "1"].map(String::from));
            }
            let ended = ask(folder, &arguments);
            if question.is_refused(&tables) {
                assert_eq!(ended.status, 2, "{arguments:?} {ended:?}");
                refused += 1;
                continue;
            }
            let (groups, expected_notes) = tables.answer(&question);
            let shown = || {
                let names = fs::read_dir(folder).unwrap();
                let paths = names.map(|entry| entry.unwrap().path());
                let texts =
                    paths.map(|path| format!("{path:?}\n{}", fs::read_to_string(&path).unwrap()));
                format!("{arguments:?}\n{}{ended:?}", texts.collect::<String>())
            };
            assert_eq!(ended.status, 0, "{}", shown());
            let found: Vec<_> = ended.out.lines().skip(1).map(str::to_owned).collect();
            assert_eq!(found.len(), groups.len(), "{}", shown());
            assert_eq!(
                found.into_iter().collect::<BTreeSet<_>>(),
                groups,
                "{}",
                shown()
            );
            assert_eq!(notes(&ended.err), expected_notes, "{}", shown());
            several += u64::from(expected_notes.iter().any(|note| note.contains("several")));
        }
    }
    assert!(refused > 20 && several > 60, "{refused} {several}");
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
            "by {keys} {more} --header --delimiter tab --with b=b.csv --on k=b.id --with c=c.csv --on b.g=c.g --each --sum n -f csv rows.tsv"
        );
        let words: Vec<_> = arguments.split_whitespace().map(str::to_owned).collect();
        let ended = ask(folder, &words);
        assert_eq!(ended.status, 0, "{}", ended.err);
        (ended.out, ended.err)
    };
    let (out, err) = ask("c.t", "");
    assert_eq!(out, "c.t,count,sum(n)\nu,2,20.00\n,1,10.00\n");
    assert_eq!(
        err,
        "fecscan: b.csv: note: 1 row is the same as another, so a row that matches them is counted once for each\n\
         fecscan: note: 1 row has no partner in c.csv, so columns of that file are empty\n\
         fecscan: note: 1 row has several partners in b.csv, and counts once for each\n"
    );
    let (out, _) = ask("b.g,c.t", "");
    assert_eq!(out, "b.g,c.t,count,sum(n)\nq,u,2,20.00\np,,1,10.00\n");
    // Distinct values are those of all partners, and don't count the row several times.
    let (out, err) = ask("k", "--distinct b.g");
    assert_eq!(out, "k,count,distinct(b.g),sum(n)\n1,1,2,10.00\n");
    assert!(!err.contains("several"), "{err}");
}
