//! Groups as columns.

use fecscan::render::columnar::write_results;
use fecscan::render::decoded;
use fecscan::sql::Value as Found;

use super::reading::{FORMATS, Value, day, names_in, read};

#[test]
fn groups_are_columns_of_their_types() {
    let path = "fixtures/generated-hostile.txt";
    let rows = fecscan::sql(&format!(
        "SELECT state, zip, date AS day, count(*) AS count, sum(amount), min(date), count(DISTINCT name), max(NAME) \
         FROM '{path}' GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3"
    ));
    let rows = rows.unwrap();
    let expected: Vec<_> = rows
        .rows()
        .map(|row| row.into_iter().map(value).collect::<Vec<_>>())
        .collect();
    assert!(expected.len() > 10);
    let engine = fecscan::engine::Engine::default();
    for format in FORMATS {
        let mut file = Vec::new();
        let (of_file, compression) = format;
        let workers = engine.workers();
        write_results(&rows, of_file, compression, Vec::new(), &mut file, workers).unwrap();
        assert_eq!(read(format, &file), expected, "{format:?}");
        assert_eq!(names_in(format, &file), rows.titles());
    }
}

fn value(value: Found) -> Value {
    match value {
        Found::Null => Value::Null,
        Found::Decimal { units, scale: 2 } => Value::Amount(units),
        Found::Date(date) => Value::Day(day(date)),
        Found::Whole(whole) => Value::Integer(whole as i64),
        Found::Text(text) => Value::Text(decoded(&text).into_owned()),
        other => panic!("no column has {other}"),
    }
}
