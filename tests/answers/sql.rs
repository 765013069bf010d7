//! Statements of SQL: the rows that DuckDB gives, in every setting, and what is refused.
//!
//! `tests/sql/*.slt` have statements and rows in the format of sqllogictest. DuckDB has written the rows: `tests/sql/expect.py`.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use fecscan::fold::{Fold, Folded};
use fecscan::sql::{Filter, RunFold, Statement, TableName, Value};
use fecscan::{Error, Schema};

use crate::common::run::{Setting, settings};

const ROWS: &str = "tests/sql/rows.txt";
const COMMITTEES: &str = "tests/sql/cm.txt";

/// A record of a file.
enum Record {
    Query {
        statement: String,
        is_sorted: bool,
        rows: Vec<String>,
    },
    Refusal {
        statement: String,
        message: String,
    },
}

fn files() -> Vec<PathBuf> {
    let entries = fs::read_dir("tests/sql").unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "slt"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 9, "{paths:?}");
    paths
}

fn records(path: &Path) -> Vec<Record> {
    let text = fs::read_to_string(path).unwrap();
    let mut records = Vec::new();
    for block in text.trim_end().split("\n\n") {
        let mut lines = block.lines();
        let first = lines.next().unwrap();
        if first.starts_with('#') {
            continue;
        }
        if let Some(message) = first.strip_prefix("statement error ") {
            records.push(Record::Refusal {
                statement: lines.collect::<Vec<_>>().join("\n"),
                message: message.to_owned(),
            });
            continue;
        }
        assert!(matches!(first, "query" | "query rowsort"), "{first}");
        let statement: Vec<_> = lines.by_ref().take_while(|line| *line != "----").collect();
        records.push(Record::Query {
            statement: statement.join("\n"),
            is_sorted: first.ends_with("rowsort"),
            rows: lines.map(str::to_owned).collect(),
        });
    }
    records
}

/// Folds the files of tables in a setting. The error of a row is kept.
struct Run<'s>(&'s Setting, Vec<Schema>, &'s RefCell<Option<Error>>);

impl RunFold for Run<'_> {
    fn fold<F: Fold>(&self, table: usize, filter: Filter, fold: &F) -> Option<Folded<F::Partial>> {
        let Run(setting, schemas, error) = self;
        let engine = setting.engine().with_filter(filter);
        let schema = schemas[table];
        let path = if schema == Schema::Cm {
            COMMITTEES
        } else {
            ROWS
        };
        let folded = setting.fold_as(schema, &engine, fold, &[], &[path.as_ref()]);
        folded
            .map_err(|wrong| *error.borrow_mut() = Some(wrong))
            .ok()
    }
}

fn answer(statement: &str, setting: &Setting) -> Result<Vec<String>, Error> {
    let parsed = Statement::parse(statement)?;
    let schema_of = |table: &TableName<'_>| match table {
        TableName::Schema(Schema::Cm) => Schema::Cm,
        _ => Schema::Indiv,
    };
    let schemas: Vec<_> = parsed.tables()?.iter().map(schema_of).collect();
    // Either file may be the larger one, which is not held in memory.
    let larger = if setting.threads == 1 {
        Schema::Cm
    } else {
        Schema::Indiv
    };
    let files = schemas
        .iter()
        .map(|schema| (*schema, u64::from(*schema == larger)));
    let bound = parsed.bind(&files.collect::<Vec<_>>())?;
    let error = RefCell::new(None);
    let result = bound.run(&Run(setting, schemas, &error))?;
    if let Some(error) = error.take() {
        return Err(error);
    }
    let result = result.expect("the file can be read");
    let row = |row| {
        let values = (0..result.titles().len()).map(|column| shown(&result.value(row, column)));
        values.collect::<Vec<_>>().join("\t")
    };
    Ok((0..result.len()).map(row).collect())
}

fn shown(value: &Value) -> String {
    match value {
        Value::Double(number) => twelve_digits(*number),
        Value::Text(text) if text.is_empty() => "(empty)".to_owned(),
        other => other.to_string(),
    }
}

/// Writes a number as C does with `%.12g`.
fn twelve_digits(number: f64) -> String {
    if !number.is_finite() || number == 0.0 {
        return if number == 0.0 {
            "0".to_owned()
        } else {
            format!("{number}").to_lowercase()
        };
    }
    let scientific = format!("{number:.11e}");
    let (digits, exponent) = scientific.split_once('e').unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    let trimmed = |text: &str| {
        let short = text.trim_end_matches('0').trim_end_matches('.');
        if text.contains('.') { short } else { text }.to_owned()
    };
    if (-4..12).contains(&exponent) {
        return trimmed(&format!("{number:.*}", (11 - exponent) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
}

#[test]
fn statements_have_the_rows_of_duckdb_in_every_setting() {
    let settings = settings(&[1, 3], &[1, 700, 2 << 20]);
    for path in files() {
        for record in records(&path) {
            let Record::Query {
                statement,
                is_sorted,
                rows,
            } = record
            else {
                continue;
            };
            for setting in &settings {
                let what = format!("{}: {statement}, {setting:?}", path.display());
                let mut found =
                    answer(&statement, setting).unwrap_or_else(|error| panic!("{what}: {error}"));
                if is_sorted {
                    found.sort();
                }
                assert_eq!(found, rows, "{what}");
            }
        }
    }
}

/// DuckDB draws other rows, so a sample with conditions is compared with conditions on a sample.
#[test]
fn a_sample_is_drawn_before_conditions_in_every_setting() {
    let conditions = [
        "STATE = 'CA' AND amount > 20",
        "NAME LIKE '%A%' AND STATE <> 'NY'",
        "NAME = 'ASH, JOHN'",
        "amount > 5 AND date > '2017-01-01' AND length(CITY) > 4",
        "STATE IN (SELECT CMTE_ST FROM cm) AND MEMO_CD <> 'X'",
    ];
    let first = &settings(&[1], &[2 << 20])[0];
    for setting in &settings(&[1, 3], &[1, 300, 2 << 20]) {
        for sample in [
            "50%",
            "20 PERCENT (bernoulli, 7)",
            "30 ROWS",
            "reservoir(9) REPEATABLE (3)",
        ] {
            let mut found = 0;
            for condition in conditions {
                let outer = format!(
                    "SELECT SUB_ID FROM (FROM indiv USING SAMPLE {sample}) WHERE {condition}"
                );
                let inner =
                    format!("SELECT SUB_ID FROM indiv WHERE {condition} USING SAMPLE {sample}");
                let expected = answer(&outer, first).unwrap();
                assert_eq!(
                    answer(&inner, setting).unwrap(),
                    expected,
                    "{inner}, {setting:?}"
                );
                found += expected.len();
            }
            assert!(found > 0, "{sample}");
        }
    }
}

/// DuckDB may take any of equal rows, so its rows decide nothing here.
#[test]
fn arg_min_takes_the_first_of_equal_rows_in_every_setting() {
    for setting in &settings(&[1, 3], &[1, 300, 700, 2 << 20]) {
        let answer = |statement: &str| answer(statement, setting).unwrap();
        for value in ["", "X"] {
            let rows = format!("FROM indiv WHERE MEMO_CD = '{value}'");
            let first = answer(&format!("SELECT TRAN_ID {rows} LIMIT 1"));
            let by_any = answer(&format!("SELECT arg_max(TRAN_ID, 1) {rows}"));
            assert_eq!(first, by_any, "{setting:?}");
            let by_key = "SELECT arg_min(TRAN_ID, length(MEMO_CD)) FROM indiv";
            let by_key = format!("{by_key} GROUP BY MEMO_CD HAVING MEMO_CD = '{value}'");
            assert_eq!(first, answer(&by_key), "{setting:?}");
        }
    }
}

#[test]
fn refusals_name_the_place_and_what_to_write_instead() {
    let setting = &settings(&[1], &[2 << 20])[0];
    for path in files() {
        for record in records(&path) {
            let Record::Refusal { statement, message } = record else {
                continue;
            };
            let error = answer(&statement, setting).err();
            let error = error.unwrap_or_else(|| panic!("{}: {statement}", path.display()));
            let said = error.with_advice();
            assert!(said.contains(&message), "{statement}: {said}");
        }
    }
}

/// An order that ORDER BY leaves open is the same at any number of threads.
#[test]
fn open_orders_are_the_same_in_every_setting() {
    for statement in [
        "SELECT DISTINCT STATE, CITY FROM indiv LIMIT 3",
        "SELECT DISTINCT count(*) FROM indiv GROUP BY STATE, CITY LIMIT 3",
        "SELECT arg_max(STATE, n) FROM (SELECT DISTINCT STATE, 1 AS n FROM indiv)",
        "SELECT STATE, row_number() OVER () FROM (SELECT DISTINCT STATE FROM indiv) LIMIT 5",
        "SELECT STATE, count(*) FROM indiv GROUP BY STATE LIMIT 4",
        "SELECT STATE FROM indiv UNION SELECT CITY FROM indiv LIMIT 6",
    ] {
        let mut known = None;
        for setting in settings(&[1, 3], &[1, 100, 2 << 20]) {
            let rows = answer(statement, &setting).unwrap();
            let known = known.get_or_insert_with(|| rows.clone());
            assert_eq!(rows, *known, "{statement}");
        }
    }
}

/// A partial has conditions that anybody may have written.
#[test]
fn conditions_have_the_limits_of_statements() {
    let said = |conditions: &[String]| Filter::new(conditions).unwrap_err().with_advice();
    let one = || "STATE = 'CA'".to_owned();
    assert!(Filter::new(vec![one(); 64]).is_ok());
    assert!(said(&vec![one(); 65]).contains("more than 64 conditions"));
    let long = format!("NAME = '{}'", "x".repeat(1 << 18));
    assert!(said(&[long]).contains("262144 are the most"));
    let regexes = |count: usize| vec!["NAME ~ 'A'"; count].join(" OR ");
    assert!(Filter::new([regexes(32), regexes(32)]).is_ok());
    assert!(said(&[regexes(65)]).contains("more than 64 regular expressions"));
    assert!(said(&[regexes(40), regexes(40)]).contains("more than 64 regular expressions"));
    let calls = vec!["regexp_matches(NAME, 'A')"; 65].join(" OR ");
    assert!(said(&[calls]).contains("more than 64 regular expressions"));
    let operators = "true OR ".repeat(600) + "true";
    assert!(said(&[operators]).contains("more than 500 operators"));
}

#[test]
fn grouping_sets_are_sixty_four_at_most() {
    let setting = &settings(&[1], &[2 << 20])[0];
    let answer = |sets: &str| {
        let statement = format!("SELECT count(*) FROM indiv GROUP BY {sets} HAVING FALSE");
        answer(&statement, setting).map_err(|error| error.with_advice())
    };
    let six = "CUBE (STATE, CITY, NAME, MEMO_CD, amount, date)";
    assert_eq!(answer(six), Ok(Vec::new()));
    let said = answer(&format!("{six}, ROLLUP (EMPLOYER)")).unwrap_err();
    assert!(said.contains("more than 64 grouping sets"), "{said}");
    let keys: Vec<_> = (1..=21).map(|nth| format!("#{nth}")).collect();
    assert!(answer(&format!("CUBE ({})", keys.join(", "))).is_err());
    assert!(answer(&format!("ROLLUP ({})", keys.join(", "))).is_ok());
}

#[test]
fn sizes_and_depths_of_statements_have_limits() {
    let setting = &settings(&[1], &[2 << 20])[0];
    let said = |statement: String| answer(&statement, setting).unwrap_err().with_advice();
    let long = format!("SELECT '{}' FROM indiv", "x".repeat(1 << 18));
    assert!(said(long).contains("262144 are the most"));
    let deep = format!("SELECT {}1{} FROM indiv", "(".repeat(200), ")".repeat(200));
    assert!(said(deep).contains("deep in each other"));
    let list = vec!["1"; 20_001].join(",");
    let list = format!("SELECT count(*) FROM indiv WHERE amount IN ({list})");
    assert!(said(list).contains("a list of 20001 values is not supported"));
    let regex = "SELECT count(*) FROM indiv WHERE NAME ~ '(a{500}){500}'".to_owned();
    assert!(
        said(regex).contains("exceeds size limit"),
        "large regular expressions"
    );
    let many = [
        "NOT ".repeat(5_000),
        "- ".repeat(5_000),
        "1 + ".repeat(5_000),
        "true OR ".repeat(5_000),
    ];
    for operators in many {
        assert!(
            said(format!("SELECT {operators}1 FROM indiv")).contains("more than 500 operators")
        );
    }
    let operators = "- ".repeat(400);
    assert!(said(format!("SELECT {operators}1 FROM indiv")).contains("deep in each other"));
    let operators = "NOT ".repeat(400);
    assert!(answer(&format!("SELECT {operators} true FROM indiv"), setting).is_err());
    let chain = |operand: &str, times| {
        let operators = format!("{operand} + ").repeat(times);
        answer(
            &format!("SELECT {operators}{operand} FROM indiv LIMIT 1"),
            setting,
        )
    };
    for operand in ["1", "amount", "SUB_ID"] {
        assert!(chain(operand, 60).is_ok());
        let said = chain(operand, 400).unwrap_err().with_advice();
        assert!(said.contains("deep in each other"));
    }
    let chain = "amount > 1 OR ".repeat(249);
    assert!(
        answer(
            &format!("SELECT count(*) FROM indiv WHERE {chain} amount < 5"),
            setting
        )
        .is_ok()
    );
    let named = |queries: usize| {
        let others = (1..queries).map(|nth| format!(", t{nth} AS (FROM t{})", nth - 1));
        let others: String = others.collect();
        format!(
            "WITH t0 AS (FROM indiv SELECT STATE){others} SELECT count(*) FROM t{}",
            queries - 1
        )
    };
    assert_eq!(answer(&named(190), setting).unwrap(), ["60"]);
    assert!(said(named(300)).contains("more than 200 queries is not supported"));
    let unions = |count| vec!["SELECT STATE FROM indiv"; count].join(" UNION ");
    assert_eq!(answer(&unions(60), setting).unwrap().len(), 26);
    assert!(said(unions(400)).contains("more than 200 queries"));
    assert!(said(unions(700)).contains("more than 500 operators"));
    let joins =
        |count| "SELECT 1 FROM indiv".to_owned() + &" JOIN cm USING (CMTE_ID)".repeat(count);
    assert!(said(joins(65)).contains("more than 64 joins"));
    for word in [
        "XOR",
        "OVERLAPS",
        "REGEXP",
        "RLIKE",
        "SIMILAR TO",
        "MEMBER OF",
        "AT TIME ZONE",
        "COLLATE",
        "DIV",
    ] {
        let chain = format!(
            "SELECT STATE {} FROM indiv",
            format!("{word} STATE ").repeat(600)
        );
        assert!(answer(&chain, setting).is_err(), "{word}");
    }
    let most = format!(
        "SELECT STATE, count(*) FROM indiv GROUP BY STATE LIMIT {}",
        i64::MAX
    );
    assert!(answer(&most, setting).is_ok());
}
