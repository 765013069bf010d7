//! Questions of the library in one sentence, against lines split by hand.

use std::fs;
use std::io::{self, Read};

use fecscan::Value;
use fecscan::fec::schema::Schema;
use fecscan::generate::{Block, Generator, Recipe};

/// Some megabytes of rows: several tasks.
fn rows() -> Vec<u8> {
    let generator = Generator::new(Recipe::default());
    let (blocks, rows_of) = Generator::blocks(30_000);
    let mut rows = Vec::new();
    for block in 0..blocks {
        rows.extend_from_slice(generator.render(block, rows_of(block), &mut Block::default()));
    }
    rows
}

fn column(line: &str, number: usize) -> &str {
    line.split('|').nth(number - 1).unwrap()
}

/// A reader that never gives more than a few bytes.
struct Slow<R>(R);

impl<R: Read> Read for Slow<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let most = to.len().min(1000);
        self.0.read(&mut to[..most])
    }
}

#[test]
fn rows_come_one_by_one_in_their_order() {
    let bytes = rows();
    let text = String::from_utf8(bytes.clone()).unwrap();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    io::Write::write_all(&mut file, &bytes).unwrap();
    let last = |line: &str| column(line, 8).split(',').next().unwrap().trim().to_owned();
    let expected: Vec<_> = text
        .lines()
        .filter(|line| column(line, 10) == "NY")
        .map(|line| (column(line, 21).to_owned(), last(line)))
        .collect();
    assert!(expected.len() > 1000);
    for query in [
        fecscan::scan([file.path()]),
        fecscan::scan_bytes(&bytes),
        fecscan::scan_reader(Slow(io::Cursor::new(bytes.clone()))),
    ] {
        let query = query.schema(Schema::Indiv).filter("STATE = 'NY'").unwrap();
        let found = query.rows(["#21", "last_name(NAME)"]).unwrap().map(|row| {
            let row = row.unwrap();
            assert_eq!(row.iter().count(), 2);
            (row.text(0).into_owned(), row.text(1).into_owned())
        });
        assert!(found.eq(expected.iter().cloned()));
    }
}

#[test]
fn sentences_answer_what_lines_say() {
    let bytes = rows();
    let text = String::from_utf8(bytes.clone()).unwrap();
    let of_texas = text.lines().filter(|line| column(line, 10) == "TX");
    let (rows, sum) = of_texas.fold((0, 0_i64), |(rows, sum), line| {
        (rows + 1, sum + column(line, 15).parse::<i64>().unwrap())
    });
    let query = || fecscan::scan_bytes(&bytes).schema(Schema::Indiv);
    let groups = query().group_by("STATE").unwrap().sum("amount").unwrap();
    let groups = groups.sort("STATE desc").run().unwrap();
    let texas = Value::from("TX");
    let texas = groups.iter().find(|group| group.key(0) == texas).unwrap();
    assert_eq!(
        texas.to_string(),
        format!("TX, count {rows}, sum(amount) {sum}.00")
    );
    let keys = groups.into_iter().map(|group| group.key(0).to_string());
    let keys: Vec<_> = keys.collect();
    assert!(keys.is_sorted_by(|one, other| one > other));
    assert_eq!(query().count().unwrap(), text.lines().count() as u64);
    let report = query().report(Default::default()).unwrap();
    assert_eq!(report.lines, text.lines().count() as u64);
}

/// A reader whose rows never end.
struct Endless(io::Cursor<String>);

impl Read for Endless {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.0.position() as usize == self.0.get_ref().len() {
            self.0.set_position(0);
        }
        self.0.read(to)
    }
}

#[test]
fn reading_ends_when_no_more_rows_are_wanted() {
    let row = format!("C00990001{}\n", "|".repeat(20));
    let query = fecscan::scan_reader(Endless(io::Cursor::new(row))).schema(Schema::Indiv);
    let rows = query.rows(["CMTE_ID"]).unwrap().take(100_000);
    assert!(rows.map(Result::unwrap).all(|row| row[0] == *b"C00990001"));
}

#[test]
fn failures_are_the_last_items() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.txt");
    let good = folder.path().join("itcont.txt");
    fs::copy("fixtures/plain.txt", &good).unwrap();
    let lines = fs::read_to_string(&good).unwrap().lines().count();
    let mut rows = fecscan::scan([&good, &missing]).rows(["NAME"]).unwrap();
    assert!(rows.by_ref().take(lines).all(|row| row.is_ok()));
    let error = rows.next().unwrap().unwrap_err().to_string();
    assert!(error.contains("missing.txt"), "{error}");
    assert!(rows.next().is_none());
    let unknown = fecscan::scan([&good]).rows(["NAMES_OF_CATS"]).unwrap();
    assert!(unknown.last().unwrap().is_err());
    assert!(fecscan::scan([&good]).rows([""; 0]).is_err());
    assert!(fecscan::scan([&good]).filter("amount > > 5").is_err());
    let by_state = || fecscan::scan([&good]).group_by("STATE").unwrap();
    assert!(by_state().sort("sum(").run().is_err());
    let sorted = by_state().sort("sum(NAMES_OF_CATS)");
    assert!(sorted.run().is_err(), "no row has the column");
}
