//! Comparisons for conditions: any text is a condition or an error, the fast predicates of a condition keep the rows that its evaluation
//! keeps, and conditions made from values of the rows keep those that a slow definition keeps.

use fecscan::Error;
use fecscan::fec::schema::Schema;
use fecscan::fold::{Fold, LineCount};
use fecscan::input::Part;
use fecscan::scan::{Need, Rows};
use fecscan::sql::Filter;

use crate::common::condition::{Condition, Operand, Test, all_of, operand};
use crate::common::memory_file::MemoryFile;
use crate::common::run::Setting;
use crate::common::twin;
use crate::{choices, is_text, setting};

pub const OPERATORS: [&str; 6] = ["=", "<>", "<", "<=", ">", ">="];

/// Functions of columns, and the columns that they take.
const OPERANDS: [(&str, usize); 24] = [
    ("@", 14),
    ("@", 15),
    ("@", 18),
    ("@", 21),
    ("@ + 0", 15),
    ("@ + 0", 21),
    ("abs(@)", 15),
    ("year(@)", 14),
    ("month(@)", 14),
    ("quarter(@)", 14),
    ("day(@)", 14),
    ("isodow(@)", 14),
    ("week(@)", 14),
    ("date_trunc('month', @)", 14),
    ("length(@)", 8),
    ("zip5(@)", 11),
    ("first_name(@)", 8),
    ("last_name(@)", 8),
    ("last_name(@)", 20),
    ("upper(@)", 12),
    ("lower(@)", 9),
    ("trim(@)", 13),
    ("upper(trim(@))", 12),
    ("left(@, 2)", 1),
];

/// Compares the rows that conditions keep with others that say the same.
pub fn compare(data: &[u8]) {
    let ([column, form, way @ ..], data) = choices::<5>(data);
    let column = usize::from(column) % 22;
    if form % 3 == 0 {
        compare_typed(data, column, setting(way));
        return;
    }
    let (conditions, bytes) = made(data);
    if !is_text(bytes) {
        return;
    }
    let (setting, file) = (setting(way), MemoryFile::new(bytes));
    let what = format!("{:?}, {setting:?}", conditions.texts);
    let engine = setting.engine().with_filter(conditions.filter.clone());
    let path = [file.path.as_ref()];
    let mut found = setting.fold(&engine, &Collect(column), &[], &path).unwrap();
    found.partial.sort();
    let expected = conditions.kept(bytes, column);
    assert_eq!(found.partial, expected, "{what}");
    let lines = (expected.len() as u64, conditions.lines_scanned(bytes));
    assert_eq!((found.lines, found.lines_scanned), lines, "{what}");
    assert_eq!(found.unread, conditions.nulls(bytes), "{what}");
    if !conditions.texts.is_empty() {
        let found = setting.fold(&engine, &LineCount, &[], &path).unwrap();
        assert_eq!((found.lines, found.lines_scanned), lines, "{what}");
    }
}

/// Takes the first line as a condition. It keeps the rows for which its evaluation is true, and a row is kept by the condition, by its
/// negation, or by the question whether it is NULL.
fn compare_typed(data: &[u8], column: usize, setting: Setting) {
    let newline = data.iter().position(|&b| b == b'\n');
    let end = newline.unwrap_or(data.len());
    let rows = data.get(end + 1..).unwrap_or_default();
    let typed = String::from_utf8_lossy(&data[..end]);
    if !is_text(rows) {
        return;
    }
    let file = MemoryFile::new(rows);
    let path = [file.path.as_ref()];
    let run = |condition: &str| {
        let engine = setting.engine().with_filter(Filter::new([condition])?);
        let mut found = setting.fold(&engine, &Collect(column), &[], &path)?;
        found.partial.sort();
        Ok::<_, Error>((found.partial, found.unread))
    };
    let (found, nulls) = match run(&typed) {
        Ok(found) => found,
        Err(error) => {
            // A place in the condition, an empty one, or a value of a row that can't be known.
            assert!(!error.to_string().is_empty(), "{typed:?}");
            return;
        }
    };
    let what = || format!("{typed:?}, {setting:?}");
    let canonical = Filter::new([&*typed]).unwrap();
    let canonical = canonical.canonical(&[Schema::Indiv]).remove(0);
    assert_eq!(run(&canonical).unwrap().0, found, "{}", what());
    // A comment may hide a parenthesis, and a failure that the condition avoids may meet these.
    let evaluated = run(&format!("CASE WHEN {canonical} THEN true END"));
    if let Ok((evaluated, _)) = evaluated {
        assert_eq!(found, evaluated, "{}", what());
    }
    let others = [
        format!("NOT ({canonical})"),
        format!("({canonical}) IS NULL"),
    ];
    let [Ok((negated, _)), Ok((null, _))] = others.each_ref().map(|text| run(text)) else {
        return;
    };
    assert_eq!(nulls, null.len() as u64, "{}", what());
    let mut all = [found, negated, null].concat();
    all.sort();
    let every = twin::lines_of(rows).len();
    assert_eq!(all.len(), every, "{}", what());
    all.dedup_by_key(|(byte, ..)| *byte);
    assert_eq!(all.len(), every, "{}", what());
}

/// Conditions, for the program and for the twin.
pub struct Conditions {
    pub texts: Vec<String>,
    pub filter: Filter,
    conditions: Vec<Condition>,
}

impl Conditions {
    pub fn new(conditions: Vec<Condition>) -> Conditions {
        let texts: Vec<_> = conditions.iter().map(Condition::typed).collect();
        Conditions {
            filter: Filter::new(&texts).unwrap(),
            texts,
            conditions,
        }
    }

    /// Returns the number of lines before the conditions, if there are any conditions.
    pub fn lines_scanned(&self, bytes: &[u8]) -> Option<u64> {
        (!self.texts.is_empty()).then(|| twin::lines_of(bytes).len() as u64)
    }

    /// Returns the lines that pass as a file.
    pub fn lines(&self, bytes: &[u8]) -> Vec<u8> {
        let lines = self.kept(bytes, 0).into_iter();
        // A line may end with a carriage return of its own.
        lines
            .flat_map(|(_, line, _)| [line, b"\r\n".to_vec()].concat())
            .collect()
    }

    fn truth(&self, line: &[u8]) -> Option<bool> {
        all_of(self.conditions.iter().map(|one| one.truth_of_line(line)))
    }

    /// Counts the rows for which the conditions are NULL.
    fn nulls(&self, bytes: &[u8]) -> u64 {
        let lines = twin::lines_of(bytes).into_iter();
        lines.filter(|line| self.truth(line).is_none()).count() as u64
    }

    /// Returns the rows that pass, with the wanted column.
    fn kept(&self, bytes: &[u8], column: usize) -> Vec<Kept> {
        let start = bytes.as_ptr() as u64;
        let lines = twin::lines_of(bytes).into_iter();
        let kept = lines.filter(|line| self.truth(line) == Some(true));
        let row = |line: &[u8]| {
            let wanted = twin::columns(line)
                .get(column)
                .map(|column| column.to_vec());
            (line.as_ptr() as u64 - start, line.to_vec(), wanted)
        };
        kept.map(row).collect()
    }
}

/// A row that was kept: its place, its line, and one of its columns.
type Kept = (u64, Vec<u8>, Option<Vec<u8>>);

/// Collects rows, with this column.
struct Collect(usize);

impl Fold for Collect {
    type Partial = Vec<Kept>;

    fn need(&self, _: &Part) -> Result<Need, Error> {
        Ok(Need::Rows(vec![self.0]))
    }

    fn partial(&self) -> Vec<Kept> {
        Vec::new()
    }

    fn rows(&self, rows: &Rows<'_>, kept: &mut Vec<Kept>) -> Result<(), Error> {
        kept.extend(rows.iter().map(|row| {
            let column = row.column(0).map(<[u8]>::to_vec);
            (row.byte(), row.line().to_vec(), column)
        }));
        Ok(())
    }

    fn merge(&self, into: &mut Vec<Kept>, from: Vec<Kept>) {
        into.extend(from);
    }
}

/// Makes up to three conditions from values of the rows, so that some rows pass. Some have several parts.
pub fn made(data: &[u8]) -> (Conditions, &[u8]) {
    let ([count], mut rows) = choices(data);
    let mut picks = Vec::new();
    for nth in 0..count % 4 {
        let parts = 1 + usize::from(count >> (2 + nth) & 1) * 3;
        let (pick, rest) = choices::<25>(rows);
        picks.push((pick, parts));
        rows = rest;
    }
    let lines = twin::lines_of(rows);
    let conditions = picks.into_iter().map(|([form, picks @ ..], parts)| {
        let (picks, _) = picks.as_chunks::<6>();
        let mut parts: Vec<_> = picks[..parts]
            .iter()
            .map(|&pick| condition(&lines, pick))
            .collect();
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let last = parts.split_off(2);
        let [first, last] = [(parts, form), (last, form >> 1)]
            .map(|(parts, form)| negated(several(parts, form), form >> 2));
        negated(several(vec![first, last], form >> 4), form >> 5)
    });
    (Conditions::new(conditions.collect()), rows)
}

/// Connects conditions by AND or OR, as the lowest bit chooses.
fn several(conditions: Vec<Condition>, form: u8) -> Condition {
    match form & 1 {
        0 => Condition::Any(conditions),
        _ => Condition::All(conditions),
    }
}

/// Negates a condition, if the lowest bit says so.
fn negated(condition: Condition, form: u8) -> Condition {
    match form & 1 {
        0 => condition,
        _ => Condition::Not(Box::new(condition)),
    }
}

/// Makes a condition on a column, or on functions of one, from values of two rows.
fn condition(lines: &[&[u8]], [column, test, one, other, length, form]: [u8; 6]) -> Condition {
    let column = usize::from(column);
    let operand = match OPERANDS.get(column % 48) {
        Some((call, column)) => operand(call, *column),
        None => operand("@", 1 + column % 21),
    };
    let literal = |line: u8| {
        let line = lines.get(usize::from(line) % lines.len().max(1));
        line.and_then(|line| operand.literal_of(line))
    };
    let condition = Condition::Of(
        operand,
        tested(operand, test, [literal(one), literal(other)], length),
    );
    negated(condition, form)
}

/// Makes a test of values of an operand.
pub fn tested(operand: Operand, test: u8, values: [Option<String>; 2], length: u8) -> Test {
    use crate::common::condition::{Kind, NULL};
    let kind = operand.makes();
    let value = |value: Option<String>, none: &str| {
        let value = value.unwrap_or_else(|| none.to_owned());
        // Between two values of the column.
        let has_point = value.contains('.');
        match (kind, length % 8) {
            (Kind::Amount, 0) if has_point => value + "05",
            (Kind::Amount | Kind::Whole, 0) if !has_point => value + ".005",
            _ => value,
        }
    };
    let none = match kind {
        Kind::Text => "",
        Kind::Day => "2018-02-01",
        Kind::Amount | Kind::Whole => "12",
    };
    let [one, other] = values.map(|known| value(known, none));
    let start = || {
        let plain = one.replace(['%', '_'], "");
        plain
            .chars()
            .take(usize::from(length) % 12)
            .collect::<String>()
    };
    let kinds = if kind == Kind::Text { 18 } else { 14 };
    match usize::from(test) % kinds {
        nth @ 0..6 => Test::Is(OPERATORS[nth], one),
        6 => Test::In(vec![one, other]),
        7 => Test::NotIn(vec![one, other]),
        8 => Test::In(vec![one, NULL.to_owned()]),
        9 => Test::Between(one, other),
        10 => Test::Differs(one),
        11 if kind == Kind::Text => Test::Like(start() + "%"),
        11 => Test::IsNull,
        12 if kind == Kind::Text => Test::NotLike(format!("%{}%", start())),
        12 => Test::IsNotNull,
        13 => Test::NotIn(vec![one, NULL.to_owned(), other]),
        14 => Test::Ilike(format!("%{}%", start().to_ascii_lowercase())),
        15 => Test::Begins(start()),
        16 => Test::Like(format!("_{}%", start())),
        _ => {
            let expressions = ["^[A-M]", "[0-5]$", "^$", "(?i)a, ?j", "JANE|JOHN"];
            let nth = usize::from(length) % expressions.len();
            Test::Matches(expressions[nth].to_owned())
        }
    }
}
