//! Random conditions, and random rows that they choose from.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::condition::{Condition, Test};

pub const OPERATORS: [&str; 4] = ["<", "<=", ">", ">="];

/// A value of a column: ordinary, odd, and close to the limits.
fn value() -> impl Strategy<Value = String> {
    const ODD: [&str; 26] = [
        "",
        " ",
        "0",
        "-0",
        "+5",
        " 12 ",
        "12.5",
        "12.50",
        "12.500",
        ".5",
        ".",
        "-",
        "1e3",
        "1,000",
        "0012",
        "9999999999999999",
        "99999999999999999",
        "-170141183460469231731687303715884105728",
        "1701411834604692317316873037158841057.27",
        "1701411834604692317316873037158841057.28",
        "02292018",
        "02292016",
        "02/28/2016",
        " 04122018",
        "CA",
        "A\r",
    ];
    prop_oneof![
        3 => select(&ODD[..]).prop_map(str::to_owned),
        2 => (-2000_i64..2000).prop_map(|cents| format!("{}.{:02}", cents / 100, cents.abs() % 100)),
        2 => (1..13_u32, 1..32_u32, 2016..2019_u32).prop_map(|(m, d, y)| format!("{m:02}{d:02}{y}")),
        2 => "[ABab, ]{0,20}",
        1 => "x{60,70}",
    ]
}

pub fn condition() -> impl Strategy<Value = Condition> {
    let text = || prop_oneof![4 => value(), 1 => "[ab\"', =]{0,5}"];
    let numbers = select(vec![
        "0",
        "-3.5",
        "12.50",
        ".5",
        "99999999999999999",
        "201804",
    ]);
    let dates = select(vec!["2016-02-29", "2018-04-12", "2017-12-31"]);
    let expressions = select(vec![
        "A", "(?i)a,", "^[0-9]+$", "^$", "^AB", "5|x{64}", "\\.", "^1",
    ]);
    let test = prop_oneof![
        vec(text(), 1..4).prop_map(Test::In),
        vec(text(), 1..4).prop_map(Test::NotIn),
        text().prop_map(Test::Prefix),
        expressions
            .clone()
            .prop_map(|e| Test::Matches(e.to_owned())),
        expressions.prop_map(|e| Test::MatchesNot(e.to_owned())),
        (select(&OPERATORS[..]), numbers).prop_map(|(o, n)| Test::Number(o, n.to_owned())),
        (select(&OPERATORS[..]), dates).prop_map(|(o, d)| Test::Date(o, d.to_owned())),
    ];
    (1..22_usize, test).prop_map(|(column, test)| {
        // Dates are compared in the column that holds some, and numbers elsewhere.
        let column = match (&test, column) {
            (Test::Date(..), _) => 14,
            (Test::Number(..), 14) => 15,
            (_, column) => column,
        };
        Condition::new(column, test)
    })
}

/// Rows of few columns and of many, of short values mostly, with all line ends.
pub fn table() -> impl Strategy<Value = Vec<u8>> {
    let width = prop_oneof![6 => Just(21_usize), 4 => 0..24_usize];
    let row = (width, vec(value(), 24), select(vec!["\n", "\r\n", "\n\n"]));
    let row = row.prop_map(|(width, values, end)| values[..width].join("|") + end);
    (vec(row, 0..60), any::<bool>()).prop_map(|(rows, ends)| {
        let mut bytes = rows.concat().into_bytes();
        if !ends {
            bytes.pop();
        }
        bytes
    })
}
