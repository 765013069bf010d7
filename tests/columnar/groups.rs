//! Groups as columns.

use fecscan::engine::Engine;
use fecscan::fold::by::{AggregateKind, ByFold, GroupQuestion, Value as Aggregate};
use fecscan::render::columnar::write_groups;
use fecscan::render::decoded;

use super::reading::{FORMATS, Value, day, names_in, read};

#[test]
fn groups_are_columns_of_their_types() {
    let mut question = GroupQuestion::new("state,zip").unwrap();
    for (kind, column) in [
        (AggregateKind::Sum, "amount"),
        (AggregateKind::Mean, "amount"),
        (AggregateKind::Min, "date"),
        (AggregateKind::Distinct, "name"),
    ] {
        question.add_aggregate(kind, column).unwrap();
    }
    let engine = Engine::default();
    let fold = ByFold::new(question);
    let path = "fixtures/generated-hostile.txt";
    let grouped = fold.grouped(engine.scan(&fold, [path]).unwrap()).unwrap();
    let aggregate = |value: Option<Aggregate>| match value {
        None => Value::Null,
        Some(Aggregate::Amount(amount)) => Value::Amount(amount.0),
        Some(Aggregate::Date(date)) => Value::Day(day(date)),
        Some(Aggregate::Count(count)) => Value::Integer(count as i64),
        Some(_) => unreachable!("the tests know all values"),
    };
    let row = |group: fecscan::fold::by::Group<'_>| {
        let keys = (0..2).map(|nth| Value::Text(decoded(group.key(nth)).into_owned()));
        let count = [Value::Integer(group.count() as i64)];
        let values = (0..4).map(|nth| aggregate(group.value(nth)));
        keys.chain(count).chain(values).collect::<Vec<_>>()
    };
    let expected: Vec<_> = grouped.iter().map(row).collect();
    assert!(expected.len() > 10);
    let aggregates = [
        "sum(TRANSACTION_AMT)",
        "mean(TRANSACTION_AMT)",
        "min(TRANSACTION_DT)",
        "distinct(NAME)",
    ];
    for format in FORMATS {
        let mut file = Vec::new();
        let (of_file, compression) = format;
        let workers = engine.workers();
        write_groups(
            &grouped,
            of_file,
            compression,
            Vec::new(),
            &mut file,
            workers,
        )
        .unwrap();
        assert_eq!(read(format, &file), expected, "{format:?}");
        let names = names_in(format, &file);
        assert_eq!(names[..3], ["STATE", "ZIP_CODE", "count"]);
        assert_eq!(names[3..], aggregates);
    }
}
