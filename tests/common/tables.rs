//! Random conditions, and random rows that they choose from.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::condition::{CYCLE, Condition, FIRST_OTHER, Kind, NULL, OTHER_COLUMNS, Test, operand};

pub const OPERATORS: [&str; 6] = ["=", "<>", "<", "<=", ">", ">="];

/// An amount close to zero.
fn cents() -> impl Strategy<Value = String> {
    (-2000_i64..2000).prop_map(|cents| format!("{}.{:02}", cents / 100, cents.abs() % 100))
}

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
        2 => cents(),
        2 => (1..13_u32, 1..32_u32, 2016..2019_u32).prop_map(|(m, d, y)| format!("{m:02}{d:02}{y}")),
        2 => "[ABab, ]{0,20}",
        1 => "x{60,70}",
    ]
}

/// A condition on a column, on functions of one, or several of them.
pub fn condition() -> impl Strategy<Value = Condition> {
    connected(prop_oneof![2 => plain_condition(), 1 => made_condition(), 1 => pair()].boxed())
}

/// A condition on columns of every kind: of lines, of their input, and of a joined file.
pub fn condition_of_any_kind() -> impl Strategy<Value = Condition> {
    let one = prop_oneof![
        1 => plain_condition(),
        1 => made_condition(),
        1 => pair(),
        4 => other_condition(),
    ];
    connected(one.boxed())
}

/// A condition, or several with AND, OR and NOT between them.
fn connected(one: BoxedStrategy<Condition>) -> impl Strategy<Value = Condition> {
    let negated = |one: BoxedStrategy<Condition>| {
        prop_oneof![
            3 => one.clone(),
            1 => one.prop_map(|one| Condition::Not(Box::new(one))),
        ]
    };
    let some = vec(negated(one), 2..4);
    let several = prop_oneof![
        some.clone().prop_map(Condition::Any),
        some.prop_map(Condition::All)
    ];
    let one = several.clone().boxed();
    let deeper = vec(negated(one), 2..3).prop_map(Condition::Any);
    prop_oneof![
        4 => several,
        1 => deeper,
    ]
    .boxed()
}

/// Literals of a kind.
fn literal(kind: Kind) -> BoxedStrategy<String> {
    const AMOUNTS: [&str; 12] = [
        "0",
        "-3.5",
        "12.50",
        ".5",
        "12.505",
        "-12.505",
        "0.001",
        "5.000",
        "12",
        "9999999999999999",
        "99999999999999999",
        "-99999999999999999",
    ];
    const WHOLE: [&str; 7] = [
        "0",
        "12",
        "5",
        "12.5",
        "-1",
        "9999999999999999",
        "99999999999999999",
    ];
    const DAYS: [&str; 4] = ["2016-02-29", "2018-04-12", "2017-12-31", "2017-01-01"];
    match kind {
        Kind::Text => prop_oneof![4 => value(), 1 => "[ab\"\\\\', =]{0,5}"].boxed(),
        Kind::Amount => prop_oneof![
            2 => select(&AMOUNTS[..]).prop_map(str::to_owned),
            1 => cents(),
        ]
        .boxed(),
        Kind::Whole => select(&WHOLE[..]).prop_map(str::to_owned).boxed(),
        Kind::Day => select(&DAYS[..]).prop_map(str::to_owned).boxed(),
    }
}

/// What must hold for a value of this kind.
fn test(kind: Kind) -> BoxedStrategy<Test> {
    test_with(kind, literal(kind))
}

/// What must hold for a value of this kind, which is compared with these literals.
fn test_with(kind: Kind, literal: BoxedStrategy<String>) -> BoxedStrategy<Test> {
    let of_list = prop_oneof![20 => literal.clone(), 1 => Just(NULL.to_owned())];
    let list = vec(of_list, 1..4);
    let compared = prop_oneof![
        2 => (select(&OPERATORS[..]), literal.clone()).prop_map(|(o, text)| Test::Is(o, text)),
        1 => list.clone().prop_map(Test::In),
        1 => list.prop_map(Test::NotIn),
        1 => (literal.clone(), literal.clone()).prop_map(|(one, other)| Test::Between(one, other)),
    ];
    if kind != Kind::Text {
        let null = select(vec![Test::IsNull, Test::IsNotNull]);
        let differs = literal.prop_map(Test::Differs);
        return prop_oneof![8 => compared, 1 => null, 1 => differs].boxed();
    }
    let expressions = select(vec![
        "A",
        "(?i)a,",
        "^[0-9]+$",
        "^$",
        "^AB",
        "5|x{64}",
        r"\.",
        "^1",
        "18",
        "(?i)b$",
        "txt$",
        "(?i)pac|plain",
        "AAA|BBB",
    ]);
    let plain = |text: String| text.replace(['%', '_'], "");
    let pattern = (literal.clone(), 0..6).prop_map(move |(text, form)| match form {
        0 => plain(text),
        1 => plain(text) + "%",
        2 => format!("%{}", plain(text)),
        3 => format!("%{}%", plain(text)),
        4 => format!("_%{}", plain(text)),
        _ => format!("{text}_"),
    });
    let like = prop_oneof![
        pattern.clone().prop_map(Test::Like),
        pattern.clone().prop_map(Test::NotLike),
        pattern.prop_map(Test::Ilike),
        literal.clone().prop_map(Test::Begins),
        expressions.prop_map(|e| Test::Matches(e.to_owned())),
    ];
    prop_oneof![3 => compared, 2 => like].boxed()
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
    let calls = prop_oneof![3 => Just("@"), 1 => Just("lower(@)"), 1 => Just("left(@, 2)")];
    (0..OTHER_COLUMNS.len(), calls).prop_flat_map(|(nth, call)| {
        let column = FIRST_OTHER + nth;
        let text = select(&VALUES[..]).prop_map(str::to_owned);
        let year = select(vec!["2018", "2019", "2020.5", "2020"]).prop_map(str::to_owned);
        let is_joined = OTHER_COLUMNS[nth].starts_with("cm.");
        let null = select(vec![Test::IsNull, Test::IsNotNull]);
        let test = match column {
            CYCLE => test_with(Kind::Whole, year.boxed()),
            _ if is_joined => prop_oneof![
                6 => test_with(Kind::Text, text.boxed()),
                1 => null,
            ]
            .boxed(),
            _ => test_with(Kind::Text, text.boxed()),
        };
        let call = if column == CYCLE { "@" } else { call };
        test.prop_map(move |test| Condition::made(call, column, test))
    })
}

fn plain_condition() -> impl Strategy<Value = Condition> {
    let columns = prop_oneof![3 => 1..22_usize, 1 => Just(14), 2 => Just(15), 1 => Just(21)];
    columns.prop_flat_map(|column| {
        let test = test(operand("@", column).kind);
        test.prop_map(move |test| Condition::new(column, test))
    })
}

/// A condition on functions of a column.
fn made_condition() -> impl Strategy<Value = Condition> {
    const CALLS: [(&str, usize); 20] = [
        ("year(@)", 14),
        ("month(@)", 14),
        ("quarter(@)", 14),
        ("day(@)", 14),
        ("isodow(@)", 14),
        ("week(@)", 14),
        ("date_trunc('month', @)", 14),
        ("abs(@)", 15),
        ("@ + 0", 15),
        ("@ + 0", 21),
        ("zip5(@)", 11),
        ("first_name(@)", 8),
        ("first_name(@)", 1),
        ("last_name(@)", 8),
        ("last_name(@)", 20),
        ("upper(@)", 12),
        ("lower(@)", 9),
        ("upper(trim(@))", 13),
        ("left(@, 2)", 8),
        ("length(@)", 8),
    ];
    select(&CALLS[..]).prop_flat_map(|(call, column)| {
        let test = match (call, operand(call, column).makes()) {
            (_, Kind::Text) => {
                let texts = [
                    "", "02292", "04122", "12345", "A", "B", "a", "AB", "ba", "X",
                ];
                let text = select(texts.to_vec()).prop_map(str::to_owned);
                test_with(
                    Kind::Text,
                    prop_oneof![4 => text, 1 => "[ABab]{0,3}"].boxed(),
                )
            }
            ("year(@)" | "month(@)" | "quarter(@)" | "day(@)" | "isodow(@)" | "week(@)", _) => {
                let numbers = ["2016", "2017", "2018", "2016.5", "1", "4", "12", "0"];
                let number = select(numbers.to_vec()).prop_map(str::to_owned);
                test_with(Kind::Whole, number.boxed())
            }
            (_, kind) => test(kind),
        };
        test.prop_map(move |test| Condition::made(call, column, test))
    })
}

/// A condition that compares two columns, or two functions of them.
fn pair() -> impl Strategy<Value = Condition> {
    const PAIRS: [[(&str, usize); 2]; 9] = [
        [("@", 9), ("@", 10)],
        [("@", 12), ("@", 13)],
        [("upper(@)", 12), ("@", 13)],
        [("first_name(@)", 8), ("last_name(@)", 8)],
        [("@", 15), ("@ + 0", 15)],
        [("@", 18), ("@", 21)],
        [("@", 15), ("@", 21)],
        [("@", 14), ("date_trunc('month', @)", 14)],
        [("month(@)", 14), ("day(@)", 14)],
    ];
    let pairs = (select(&PAIRS[..]), select(&OPERATORS[..]));
    pairs.prop_map(|([one, other], operator)| {
        let test = Test::With(operator, operand(other.0, other.1));
        Condition::made(one.0, one.1, test)
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
