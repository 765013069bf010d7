//! Comparisons for joins: groups, exports and conditions on columns of cm, ccl and cn.

use std::fs;
use std::iter;
use std::sync::LazyLock;

use fecscan::Error;
use fecscan::export::{ExportQuestion, RowFold};
use fecscan::fec::schema::Schema::{self, Ccl, Cm, Cn};
use fecscan::fold::LineCount;
use fecscan::input::OpenOptions;
use fecscan::render::{Answer, Format, to_vec};
use fecscan::sql::{Filter, GivenTables, Join, Repeats, RowSelect, TableNames};
use tempfile::TempDir;

use crate::common::by::By;
use crate::common::condition::{Condition, Kind, Operand};
use crate::common::function_twin::key;
use crate::common::joins::{Joined, JoinedRow, Own, Place, Twin};
use crate::common::run::{Setting, mapped};
use crate::conditions::tested;
use crate::{choices, is_text, setting};

/// What separates the rows from the rows of the joined files.
const SEPARATOR: u8 = 0x1e;

/// The joined files, in the order in which their rows stand in the data.
const JOINED: [Schema; 3] = [Cm, Ccl, Cn];

/// A function of a column.
type Key = (&'static str, Place);

const KEYS: [Key; 20] = [
    ("", Joined(Cm, 2)),
    ("", Joined(Cm, 11)),
    ("", Joined(Cm, 15)),
    ("zip5", Joined(Cm, 8)),
    ("first_name", Joined(Cm, 2)),
    ("", Joined(Cm, 1)),
    ("", Joined(Ccl, 5)),
    ("", Joined(Ccl, 1)),
    ("", Joined(Ccl, 7)),
    ("", Joined(Cn, 2)),
    ("last_name", Joined(Cn, 2)),
    ("first_name", Joined(Cn, 2)),
    ("", Joined(Cn, 3)),
    ("zip5", Joined(Cn, 15)),
    ("", Joined(Cn, 1)),
    ("", Own(1)),
    ("", Own(10)),
    ("month", Own(14)),
    ("first_name", Own(8)),
    ("", Own(21)),
];

/// Compares one question on joined files with the twin's result.
pub fn compare(data: &[u8]) {
    let (
        [
            form,
            sort,
            test,
            operator,
            value,
            picks @ ..,
            level,
            task,
            shift,
        ],
        data,
    ) = choices::<12>(data);
    let mut parts = data.split(|&byte| byte == SEPARATOR);
    let rows = parts.next().unwrap_or_default();
    let joined: Vec<_> = iter::zip(JOINED, parts).collect();
    if !is_text(rows) || !joined.iter().all(|(_, rows)| is_text(rows)) {
        return;
    }
    let (files, setting) = (Files::write(rows, &joined), setting([level, task, shift]));
    let given = files.given(&joined, setting);
    let case = Case {
        twin: Twin::new(&joined),
        schemas: joined.iter().map(|(schema, _)| *schema).collect(),
        setting,
        rows,
        files,
        given,
    };
    let mut keys: Vec<Key> = Vec::new();
    for (nth, pick) in picks.into_iter().enumerate() {
        let key = KEYS[usize::from(pick) % KEYS.len()];
        if !keys.contains(&key) && (nth == 0 || pick < 128) {
            keys.push(key);
        }
    }
    let condition = (form / 2 % 2 == 1).then(|| {
        let tested = KEYS[usize::from(test) % KEYS.len()];
        case.condition(tested, operator, value)
    });
    match form % 2 {
        0 => case.groups(&keys, condition.as_ref(), sort),
        _ => case.export(&keys, condition.as_ref()),
    }
}

/// Rows and joined files, and the way to work.
struct Case<'a> {
    twin: Twin,
    schemas: Vec<Schema>,
    setting: Setting,
    rows: &'a [u8],
    files: &'static Files,
    given: GivenTables,
}

/// A condition as typed, the key that it tests, and the twin's.
type Tested = (String, Key, Condition);

impl Case<'_> {
    /// Tells whether the files are joined that lead to the column.
    fn has(&self, (_, place): Key) -> bool {
        let is_joined = |schema| self.schemas.contains(&schema);
        match place {
            Own(_) => true,
            Joined(Cn, _) => is_joined(Cn) && (is_joined(Cm) || is_joined(Ccl)),
            Joined(schema, _) => is_joined(schema),
        }
    }

    /// Makes a condition from a value of the rows.
    fn condition(&self, key: Key, test: u8, nth: u8) -> Tested {
        let (function, place) = key;
        let call = match function {
            "" => "@",
            "month" => "date_trunc('month', @)",
            "zip5" => "zip5(@)",
            "first_name" => "first_name(@)",
            _ => "last_name(@)",
        };
        let kind = match place {
            Own(14) => Kind::Day,
            Own(21) => Kind::Whole,
            _ => Kind::Text,
        };
        // The twin has the value as the only column.
        let operand = Operand {
            call,
            column: 1,
            kind,
        };
        let rows = self.twin.all(Schema::Indiv, self.rows);
        let literal = |nth: usize| {
            let row = rows.get(nth % rows.len().max(1))?;
            operand.literal_of(row.value(place))
        };
        let literals = [literal(nth.into()), literal(usize::from(nth) + 1)];
        let condition = Condition::Of(operand, tested(operand, test, literals, nth));
        let condition = match test {
            0..128 => condition,
            _ => Condition::Not(Box::new(condition)),
        };
        let name = |_| typed(("", place));
        (condition.typed_of(&name), key, condition)
    }

    /// Returns the joined rows for which the condition is true. Columns of rows without a partner are NULL.
    fn rows(&self, condition: Option<&Tested>) -> Vec<JoinedRow<'_>> {
        let holds = |row: &JoinedRow<'_>| {
            let Some((_, (_, place), condition)) = condition else {
                return true;
            };
            let value = match *place {
                Joined(schema, _) if row.partner(schema).is_none() => None,
                place => Some(row.value(place)),
            };
            condition.truth(&|_| value) == Some(true)
        };
        let mut rows = self.twin.all(Schema::Indiv, self.rows);
        rows.retain(holds);
        rows
    }

    /// Compares groups by joined columns with the rows of the statement that reads the joined files itself.
    fn groups(&self, keys: &[Key], condition: Option<&Tested>, sort: u8) {
        let distinct = KEYS[usize::from(sort / 16)].1;
        let of_sql = |key| match key {
            ("month", place) => format!("date_trunc('month', {})", typed(("", place))),
            key => typed(key),
        };
        let typed_keys: Vec<_> = keys.iter().map(|&key| of_sql(key)).collect();
        let aggregates = format!("count(DISTINCT {}), sum(amount)", typed(("", distinct)));
        let orders = ["", "count DESC", "1", "sum(amount)"];
        let by = By {
            given: self.given.clone(),
            ..By::new(&typed_keys.join(", "), &aggregates)
        };
        let conditions: Vec<_> = condition
            .map(|(typed, ..)| typed.clone())
            .into_iter()
            .collect();
        let by = by
            .filtered(&conditions)
            .sorted(orders[usize::from(sort) % orders.len()], None);
        let what = || format!("{:?}, {:?}, {:?}", by.question, by.conditions, self.setting);
        let used = keys.iter().chain(condition.map(|(_, tested, _)| tested));
        let is_joined = used.into_iter().all(|&key| self.has(key)) && self.has(("", distinct));
        let (rows, setting) = (self.files.rows(), &self.setting);
        assert_eq!(by.bound().is_ok(), is_joined, "{}", what());
        if !is_joined {
            return;
        }
        let alone = by
            .statement(rows.to_str().unwrap(), TableNames::Files)
            .unwrap();
        // A statement asks the rows of a file for its schema, and `--with` believes its name.
        let is_doubted = |error: &Error| error.to_string().contains("of schema");
        let expected = match fecscan::scan([&rows]).sql(&alone) {
            Err(error) if is_doubted(&error) => return,
            answer => answer.unwrap(),
        };
        let found = by.grouped(setting, &[&rows]).unwrap();
        let csv = |answer: &dyn Answer| {
            to_vec(answer, Format::Csv)
                .unwrap()
                .escape_ascii()
                .to_string()
        };
        assert_eq!(csv(&found), csv(&expected), "{}", what());
    }

    fn export(&self, keys: &[Key], condition: Option<&Tested>) {
        // The month of a key is another one than that of SQL.
        let keys = keys.iter().copied().filter(|key| key.0 != "month");
        let keys: &[Key] = &keys.collect::<Vec<_>>();
        if keys.is_empty() {
            return;
        }
        let typed_keys: Vec<_> = keys.iter().map(|&key| typed(key)).collect();
        let what = || {
            format!(
                "{typed_keys:?}, {:?}, {:?}",
                condition.map(|(typed, ..)| typed),
                self.setting
            )
        };
        let mut question = ExportQuestion::default();
        question.add_columns(&typed_keys.join(",")).unwrap();
        let conditions: Vec<_> = condition.iter().map(|(typed, ..)| typed.clone()).collect();
        let (columns, schema) = (&question.columns, Schema::Indiv);
        let joined = RowSelect::joined(columns, &conditions, schema, "-", &self.given);
        let used = keys.iter().chain(condition.map(|(_, tested, _)| tested));
        if !used.into_iter().all(|&key| self.has(key)) {
            assert!(joined.is_err(), "{}: a file is not joined", what());
            return;
        }
        let (select, filter) = joined.unwrap();
        let mut out = Vec::new();
        let fold = RowFold::new(question, Format::Csv, &mut out).selecting(Some(select));
        let engine = self.setting.engine().with_filter(filter);
        let folded = self
            .setting
            .fold(&engine, &fold, &[], &[&self.files.rows()]);
        fold.finish(folded.unwrap().partial, engine.workers())
            .unwrap();
        let rows = self.rows(condition);
        // Without any condition, a last line that does not end does not count, as in wc.
        if condition.is_some() {
            let counted = Filter::new(&conditions)
                .unwrap()
                .with_tables(self.given.clone());
            let counted = counted.joined(schema, "-", Repeats::EachMatch).unwrap();
            let engine = engine.with_filter(counted);
            let inputs = [self.files.rows()];
            let counted = self
                .setting
                .fold(&engine, &LineCount, &[], &[&inputs[0]])
                .unwrap();
            assert_eq!(counted.lines, rows.len() as u64, "{}", what());
        }
        let value = |row: &JoinedRow<'_>, (function, place): Key| key(function, row.value(place));
        let cells = |row: &JoinedRow<'_>| keys.iter().map(|&key| value(row, key)).collect();
        let expected: Vec<Vec<Vec<u8>>> = rows.iter().map(cells).collect();
        let mut reader = csv::Reader::from_reader(&out[..]);
        let found = reader.byte_records().map(Result::unwrap);
        let found: Vec<Vec<_>> = found
            .map(|row| row.iter().map(<[u8]>::to_vec).collect())
            .collect();
        assert_eq!(found, expected, "{}", what());
    }
}

/// Returns a key as a user types it.
fn typed((function, place): Key) -> String {
    let column = match place {
        Own(number) => format!("#{number}"),
        Joined(schema, number) => format!("{}.#{number}", schema.name()),
    };
    match function {
        "" => column,
        function => format!("{function}({column})"),
    }
}

/// Files whose names tell their schema, in memory.
struct Files(TempDir);

impl Files {
    /// Overwrites the files of the previous case.
    fn write(rows: &[u8], joined: &[(Schema, &[u8])]) -> &'static Files {
        static FILES: LazyLock<Files> =
            LazyLock::new(|| Files(tempfile::tempdir_in("/dev/shm").unwrap()));
        fs::write(FILES.rows(), rows).unwrap();
        for (schema, rows) in joined {
            fs::write(FILES.path(*schema), rows).unwrap();
        }
        &FILES
    }

    fn rows(&self) -> std::path::PathBuf {
        self.path(Schema::Indiv)
    }

    fn path(&self, schema: Schema) -> std::path::PathBuf {
        self.0.path().join(format!("{}.txt", schema.name()))
    }

    fn given(&self, joined: &[(Schema, &[u8])], setting: Setting) -> GivenTables {
        let mut opening = OpenOptions::default();
        opening.io = mapped();
        let joins = joined
            .iter()
            .map(|(schema, _)| Join::new(self.path(*schema)));
        let joins: Vec<_> = joins.collect();
        GivenTables::open(&joins, &opening, setting.engine().options()).unwrap()
    }
}
