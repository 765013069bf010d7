//! Comparisons for groups: any text is keys or an error, a way to work changes no groups, and columns make the groups of a map.

use std::collections::BTreeMap;

use fecscan::Value;
use fecscan::scan::simd::Simd;
use fecscan::sql::GroupQuestion;

use crate::common::by::{By, all_of, keys_of};
use crate::common::condition::decimal;
use crate::common::memory_file::MemoryFile;
use crate::common::run::{Setting, Way};
use crate::common::twin::{columns, lines_of};
use crate::conditions::{self, Conditions};
use crate::{choices, is_text, setting};

/// Columns whose values are texts, counted from one.
const TEXTS: [usize; 18] = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 19, 20, 16,
];

const KEYS: [&str; 24] = [
    "STATE",
    "NAME",
    "amount",
    "date",
    "SUB_ID",
    "year(date)",
    "month(date)",
    "date_trunc('month', date) AS month",
    "zip5(zip)",
    "first_name(NAME)",
    "last_name(name)",
    "upper(EMPLOYER)",
    "trim(OCCUPATION)",
    "left(NAME, 3)",
    "length(CITY)",
    "amount > 50",
    "amount / 3 AS third",
    "nullif(STATE, '') AS state",
    "dayname(date)",
    "left(IMAGE_NUM, 6)",
    "CASE WHEN amount < 50 THEN 'few' WHEN STATE <> 'OR' THEN STATE END AS case",
    "coalesce(date, '2018-01-01')",
    "TRY_CAST(zip AS INTEGER) AS zip",
    "lower(CITY)",
];

const AGGREGATES: [&str; 16] = [
    "sum(amount)",
    "avg(amount)",
    "median(amount)",
    "min(amount)",
    "max(amount)",
    "min(date)",
    "quantile_disc(amount, 0.25)",
    "count(DISTINCT NAME)",
    "count(DISTINCT (STATE, date))",
    "sum(length(NAME))",
    "min(CITY)",
    "max(NAME)",
    "arg_max(NAME, amount)",
    "arg_min(amount, CITY)",
    "sum(amount) FILTER (WHERE STATE = 'OR') AS oregon",
    "bool_or(amount > 50)",
];

const ORDERS: [&str; 8] = [
    "",
    "1",
    "1 DESC",
    "count",
    "count DESC",
    "length('x')",
    "count(*), 1 DESC",
    "sum(amount) DESC",
];

/// Groups rows by keys in the first line of `data`, by columns, or by expressions.
pub fn compare(data: &[u8]) {
    let ([form, order, top, picks @ .., level, task, shift], data) = choices::<12>(data);
    let (keys, rows) = match form % 3 {
        0 => {
            let newline = data.iter().position(|&b| b == b'\n');
            let end = newline.unwrap_or(data.len());
            let keys = String::from_utf8_lossy(&data[..end]).into_owned();
            (keys, data.get(end + 1..).unwrap_or_default())
        }
        1 => {
            let columns = text_columns(&picks);
            let keys: Vec<_> = columns.iter().map(|column| format!("#{column}")).collect();
            (keys.join(", "), data)
        }
        _ => (chosen(&KEYS, &picks[..3], 1), data),
    };
    let (conditions, rows) = match form / 4 % 2 {
        0 => (Conditions::new(Vec::new()), rows),
        _ => conditions::made(rows),
    };
    if !is_text(rows) {
        return;
    }
    if let Err(error) = GroupQuestion::new(&keys) {
        assert!(!error.to_string().is_empty(), "{keys:?}");
        return;
    }
    let top = (top < 128).then_some(usize::from(top) % 8);
    let order = ORDERS[usize::from(order) % ORDERS.len()];
    let by = By::new(&keys, &chosen(&AGGREGATES, &picks[3..], 0)).sorted(order, top);
    let by = by.filtered(&conditions.texts);
    // Keys may name what there is not.
    if by.bound().is_err() {
        return;
    }
    let (setting, file) = (setting([level, task, shift]), MemoryFile::new(rows));
    let path = [file.path.as_ref()];
    let what = || format!("{by:?}, {setting:?}");
    let plain = Setting {
        way: Way::Read,
        simd: Simd::available().next().expect("one works anywhere"),
        threads: 1,
        task_bytes: 1 << 20,
    };
    let (found, expected) = (by.grouped(&setting, &path), by.grouped(&plain, &path));
    let (Ok(found), Ok(expected)) = (&found, &expected) else {
        // A value of a row can't be known, in any way to work.
        assert_eq!(found.is_err(), expected.is_err(), "{}", what());
        return;
    };
    assert_eq!(all_of(found), all_of(expected), "{}", what());
    if form % 3 == 1 {
        let by = By::new(&keys, "sum(amount)").filtered(&conditions.texts);
        let grouped = by.grouped(&setting, &path).unwrap();
        let lines = conditions.lines(rows);
        assert_eq!(
            groups_of(&grouped),
            known(&lines, &text_columns(&picks)),
            "{}",
            what()
        );
        assert_eq!(
            grouped.lines_scanned,
            conditions.lines_scanned(rows),
            "{}",
            what()
        );
    }
}

/// The rows of each group, and their sum in hundredths.
type Groups = BTreeMap<Vec<Vec<u8>>, (u64, Option<i128>)>;

fn groups_of(grouped: &fecscan::Grouped) -> Groups {
    let groups = (0..grouped.len()).map(|nth| {
        let group = grouped.group(nth);
        let sum = match group.value(0) {
            Value::Decimal { units, .. } => Some(units),
            _ => None,
        };
        (keys_of(grouped, nth), (group.count(), sum))
    });
    groups.collect()
}

/// Groups lines by columns, one after the other.
fn known(rows: &[u8], keys: &[usize]) -> Groups {
    let mut groups = Groups::new();
    for line in lines_of(rows) {
        let line = columns(line);
        let column = |number: usize| line.get(number - 1).copied().unwrap_or_default();
        let key = keys.iter().map(|number| column(*number).to_vec());
        let group = groups.entry(key.collect()).or_default();
        group.0 += 1;
        let hundredths = decimal(column(15));
        if let Some(hundredths) = hundredths.filter(|text| text.trim_start_matches('-').len() <= 14)
        {
            let more: i128 = hundredths.parse().unwrap();
            group.1 = Some(group.1.unwrap_or(0) + more);
        }
    }
    groups
}

/// Returns different columns, the first always.
fn text_columns(picks: &[u8]) -> Vec<usize> {
    let mut columns = Vec::new();
    for &pick in &picks[..3] {
        let column = TEXTS[usize::from(pick) % TEXTS.len()];
        if !columns.contains(&column) && (columns.is_empty() || pick < 128) {
            columns.push(column);
        }
    }
    columns
}

/// Returns different expressions of a list, the first `least` always.
fn chosen(all: &[&str], picks: &[u8], least: usize) -> String {
    let mut some: Vec<&str> = Vec::new();
    for (nth, &pick) in picks.iter().enumerate() {
        let one = all[usize::from(pick) % all.len()];
        if !some.contains(&one) && (nth < least || pick < 192) {
            some.push(one);
        }
    }
    some.join(", ")
}
