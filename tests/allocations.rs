//! Allocations do not grow with rows or values: counted by the allocator of this binary, whose tests run as one.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use fecscan::coding::varint::{put, take, unzigzag, zigzag};
use fecscan::engine::{Engine, Options};
use fecscan::export::{ExportQuestion, RowFold, Types};
use fecscan::fec::schema::Schema;
use fecscan::fold::report::{ReportFold, ReportQuestion};
use fecscan::fold::{Fold, Folded, LineCount};
use fecscan::generate::{Block, Generator, Recipe};
use fecscan::input::{Input, Io};
use fecscan::render::Format;
use fecscan::sql::{Filter, RunFold, Statement};

/// The system's allocator, which counts calls that give memory.
struct Counted;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: Counted = Counted;

// SAFETY: all calls go to the system's allocator, under the contract that the caller keeps.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(memory, layout) }
    }
}

fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    work();
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

const FEW_ROWS: u64 = 10_000;
const MANY_ROWS: u64 = 1_000_000;

/// The most allocations of a task of 2 MiB, which has some ten thousand rows: notes of its place, and the end of its piece.
const PER_TASK: u64 = 3;
const TASK_BYTES: u64 = 2 << 20;

/// The most allocations of tables that grow with the number of different keys. Their seeds are random: the report took 320 to 464 in 15
/// runs. One for each thousand rows would be 990.
const OF_TABLES: u64 = 200;

fn write_rows(rows: u64, path: &Path) -> u64 {
    let mut out = BufWriter::new(File::create(path).unwrap());
    let generator = Generator::new(Recipe::default());
    let (blocks, rows_of) = Generator::blocks(rows);
    let mut block = Block::default();
    for number in 0..blocks {
        let rows = generator.render(number, rows_of(number), &mut block);
        out.write_all(rows).unwrap();
    }
    out.into_inner().unwrap().metadata().unwrap().len()
}

fn run<F: Fold>(conditions: &[&str], path: &Path, fold: &F) {
    black_box(folded(Filter::new(conditions).unwrap(), path, fold));
}

fn folded<F: Fold>(filter: Filter, path: &Path, fold: &F) -> Folded<F::Partial> {
    let mut options = Options::default();
    options.threads = NonZeroUsize::MIN;
    let engine = Engine::new(options).with_filter(filter);
    let mut run = engine.run(fold);
    run.input(Input::open(path.as_os_str(), Io::read()).unwrap())
        .unwrap();
    run.finish()
}

fn export(types: Types, format: Format, path: &Path) {
    let mut question = ExportQuestion::default();
    question.types = types;
    run(&[], path, &RowFold::new(question, format, io::sink()));
}

struct OfFile<'p>(&'p Path);

impl RunFold for OfFile<'_> {
    fn fold<F: Fold>(&self, _: usize, filter: Filter, fold: &F) -> Option<Folded<F::Partial>> {
        Some(folded(filter, self.0, fold))
    }
}

fn groups(statement: &str, path: &Path) {
    let statement = Statement::parse(statement).unwrap();
    let bound = statement.bind(&[(Schema::Indiv, 1)]).unwrap();
    black_box(bound.run(&OfFile(path)).unwrap());
}

fn no_value_of_a_partial_allocates() {
    let numbers = || {
        (0..MANY_ROWS as i64)
            .map(|nth| nth.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) >> (nth % 64))
    };
    let mut bytes = Vec::with_capacity(11 * MANY_ROWS as usize);
    let mut write_and_read = || {
        bytes.clear();
        numbers().for_each(|number| put(zigzag(number), &mut bytes));
        let mut rest = &bytes[..];
        for number in numbers() {
            let (read, length) = take(rest).unwrap();
            assert_eq!(unzigzag(read), number);
            rest = &rest[length..];
        }
        assert!(rest.is_empty());
    };
    // The thread that waits for the test may allocate at its start.
    let counted = (0..3).map(|_| allocations(&mut write_and_read)).min();
    assert_eq!(counted, Some(0), "allocations of a million values");
}

fn no_row_allocates() {
    let directory = tempfile::tempdir().unwrap();
    let paths = ["few.txt", "many.txt"].map(|name| directory.path().join(name));
    write_rows(FEW_ROWS, &paths[0]);
    let bytes = write_rows(MANY_ROWS, &paths[1]);
    let report = |path: &Path| run(&[], path, &ReportFold::new(ReportQuestion::default()));
    assert_constant("report", bytes, &paths, report);
    for conditions in [
        &["amount > 1000"][..],
        &["STATE IN ('CA', 'NY')", "NAME ~ '^S'"],
        &["STATE = 'CA' OR amount > 1000 OR CITY LIKE 'SAN%'"],
        &["EMPLOYER ~ '(?i)google'"],
        &["EMPLOYER ILIKE '%google%'"],
        &["NAME ~ '(S|T)[A-Z]+, J'"],
        &["year(date) = 2017", "zip5(ZIP_CODE) = '94105'"],
    ] {
        let count = |path: &Path| run(conditions, path, &LineCount);
        assert_constant(&format!("{conditions:?}"), bytes, &paths, count);
    }
    // Expressions make their values for 32 rows at a time.
    for (condition, most) in [
        ("STATE <> CITY", 8),
        ("upper(CITY) = 'BOSTON'", 16),
        ("lower(upper(trim(left(CITY, 9)))) = 'boston'", 40),
    ] {
        let many = allocations(|| run(&[condition], &paths[1], &LineCount));
        let vectors = MANY_ROWS / 32;
        println!("{condition}: {many} allocations for {vectors} vectors");
        assert!(many < most * vectors, "{condition}: {many} allocations");
    }
    for statement in [
        "SELECT STATE, count(*), sum(amount) FROM indiv GROUP BY 1 ORDER BY 3 DESC, 1",
        "SELECT STATE, count(*), sum(amount) FROM indiv WHERE amount >= 200 GROUP BY 1",
    ] {
        let by = |path: &Path| groups(statement, path);
        assert_constant(statement, bytes, &paths, by);
    }
    // Other keys and aggregates make values for 32 rows at a time.
    for statement in [
        "SELECT STATE, CITY, count(*), sum(amount) FROM indiv WHERE amount >= 200 GROUP BY 1, 2",
        "SELECT STATE, max(date), sum(amount) FROM indiv WHERE amount >= 200 GROUP BY 1",
    ] {
        let many = allocations(|| groups(statement, &paths[1]));
        println!("{statement}: {many} allocations");
        assert!(many < 8 * (MANY_ROWS / 32), "{statement}: {many}");
    }
    let formats = [Format::Ndjson, Format::Json, Format::Csv, Format::Tsv];
    let accents = ["few-accents.txt", "many-accents.txt"].map(|name| directory.path().join(name));
    for (plain, accents) in paths.iter().zip(&accents) {
        let rows = fs::read_to_string(plain).unwrap();
        fs::write(accents, rows.replace(", J", ", É")).unwrap();
    }
    for (name, format) in formats.map(|format| (format.name(), format)) {
        let exported = |path: &Path| export(Types::Raw, format, path);
        assert_constant(&format!("{name}, accents"), bytes, &accents, exported);
        let exported = |path: &Path| export(Types::Raw, format, path);
        assert_constant(name, bytes, &paths, exported);
        // Numbers and days are read for 32 rows at a time.
        let many = allocations(|| export(Types::Typed, format, &paths[1]));
        println!("{name}, typed: {many} allocations");
        assert!(many < 4 * (MANY_ROWS / 32), "{name}, typed: {many}");
    }
}

/// Asserts that `work` allocates no more for many rows, of so many bytes, than for few, but for the tasks.
fn assert_constant(name: &str, bytes: u64, paths: &[PathBuf; 2], work: impl Fn(&Path)) {
    // What is made once for the process.
    work(&paths[0]);
    let [few, many] = paths.each_ref().map(|path| allocations(|| work(path)));
    println!("{name}: {few} allocations for {FEW_ROWS} rows, {many} for {MANY_ROWS}");
    let most = few + PER_TASK * bytes.div_ceil(TASK_BYTES) + OF_TABLES;
    assert!(many <= most, "{name}: {many} allocations, at most {most}");
}

/// One test, so that no other one allocates meanwhile.
#[test]
fn nothing_is_allocated_for_a_row_or_a_value() {
    assert_eq!(allocations(|| drop(black_box(vec![1]))), 1, "it counts");
    no_value_of_a_partial_allocates();
    no_row_allocates();
}
