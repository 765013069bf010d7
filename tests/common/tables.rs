//! Random conditions, and random rows that they choose from.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::condition::{CYCLE, Condition, FIRST_OTHER, OTHER_COLUMNS, Test};

pub const OPERATORS: [&str; 4] = ["<", "<=", ">", ">="];

/// A value of a column: ordinary, odd, and close to the limits.
fn value() -> impl Strategy<Value = String> {
    const ODD: [&str; 29] = [
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
        "13452018",
        "201804129112345678",
        "201612319112345678",
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

/// A condition on a column, on a function of one, or several of which one must hold.
pub fn condition() -> impl Strategy<Value = Condition> {
    let one = || prop_oneof![2 => plain_condition(), 1 => made_condition()];
    prop_oneof![4 => one(), 1 => vec(one(), 2..4).prop_map(Condition::any)]
}

/// A condition on columns of every kind: of lines, of their input, and of a joined file.
pub fn condition_of_any_kind() -> impl Strategy<Value = Condition> {
    let one = || prop_oneof![1 => plain_condition(), 1 => made_condition(), 3 => other_condition()];
    prop_oneof![4 => one(), 1 => vec(one(), 2..4).prop_map(Condition::any)]
}

/// A condition on a column that lines of indiv do not have. A path begins with `FOLDER`.
fn other_condition() -> impl Strategy<Value = Condition> {
    const VALUES: [&str; 10] = [
        "",
        "FOLDER/indiv18.zip",
        "FOLDER/itcont_2020.txt",
        "FOLDER/plain.txt",
        "itcont.txt",
        "2018",
        "2020.0",
        "DEM",
        "PIE, ANN",
        "CAKE PAC",
    ];
    let text = || select(&VALUES[..]).prop_map(str::to_owned);
    let expressions = || select(vec!["18", "^$", "txt$", "(?i)pac|plain", "E"]);
    let years = select(vec!["2018", "2019", "2020.5"]);
    let test = prop_oneof![
        vec(text(), 1..4).prop_map(Test::In),
        vec(text(), 1..4).prop_map(Test::NotIn),
        text().prop_map(Test::Prefix),
        expressions().prop_map(|e| Test::Matches(e.to_owned())),
        expressions().prop_map(|e| Test::MatchesNot(e.to_owned())),
        (select(&OPERATORS[..]), years).prop_map(|(o, n)| Test::Number(o, n.to_owned())),
    ];
    let function = prop_oneof![3 => Just(""), 1 => Just("lower(@)"), 1 => Just("prefix(@,2)")];
    (0..OTHER_COLUMNS.len(), function, test).prop_map(|(nth, function, test)| match test {
        Test::Number(..) => Condition::new(CYCLE, test),
        _ => Condition::made(function, FIRST_OTHER + nth, test),
    })
}

fn plain_condition() -> impl Strategy<Value = Condition> {
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

/// A condition on a function of a column that has what the function takes.
fn made_condition() -> impl Strategy<Value = Condition> {
    const MADE: [&str; 14] = [
        "", "2018-04", "2016-02", "2018-13", "2017", "2018", "02292", "04122", "12345", "A", "B",
        "a", "AB", "ba",
    ];
    let functions = select(vec![
        ("month", 14),
        ("month", 5),
        ("year", 14),
        ("year", 5),
        ("zip5", 11),
        ("first_name", 8),
        ("first_name", 1),
        ("last_name", 8),
        ("last_name", 20),
    ]);
    let text = || prop_oneof![4 => select(&MADE[..]).prop_map(str::to_owned), 1 => "[ABab]{0,3}"];
    let expressions = || {
        select(vec![
            "^A",
            "(?i)b$",
            "^$",
            "18",
            "^20(16|17)",
            "-0[1-6]",
            "[0-9]",
        ])
    };
    let months = select(vec!["2018-04", "2016-02", "2017-12", "2018-00", "0000-00"]);
    let numbers = select(vec!["2017", "2018", "2016.5", "12000", "0"]);
    let test = prop_oneof![
        vec(text(), 1..4).prop_map(Test::In),
        vec(text(), 1..4).prop_map(Test::NotIn),
        text().prop_map(Test::Prefix),
        expressions().prop_map(|e| Test::Matches(e.to_owned())),
        expressions().prop_map(|e| Test::MatchesNot(e.to_owned())),
    ];
    let compared = (select(&OPERATORS[..]), months, numbers);
    (functions, test, compared, 0..3).prop_map(
        |((function, column), test, (operator, month, number), kind)| {
            let test = match (kind, function) {
                (0, "month") => Test::Month(operator, month.to_owned()),
                (0, _) => Test::Number(operator, number.to_owned()),
                _ => test,
            };
            Condition::made(function, column, test)
        },
    )
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
