//! Folds of closures, against the lines of the slow twin, and lines by number.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fecscan::error::ErrorKind;
use fecscan::fold::{Counts, LineCount, by_row};

use crate::common::chunks::lines;
use crate::common::run::{fixtures, settings};
use crate::common::twin;

/// Counts the values of `column`, counted from one, of all fixtures. A missing column is `none`.
fn values(column: usize) -> BTreeMap<Vec<u8>, u64> {
    let mut values = BTreeMap::new();
    for (_, bytes) in fixtures() {
        for line in twin::lines_of(&bytes) {
            let value = twin::columns(line)
                .get(column - 1)
                .copied()
                .unwrap_or(b"none");
            *values.entry(value.to_vec()).or_default() += 1;
        }
    }
    values
}

#[test]
fn folds_of_closures_see_every_row_of_several_files() {
    let names = fixtures();
    let paths: Vec<_> = names
        .iter()
        .map(|(name, _)| PathBuf::from(format!("fixtures/{name}.txt")))
        .collect();
    let paths: Vec<_> = paths.iter().map(PathBuf::as_path).collect();
    assert!(values(15).len() > 20);
    type Maps = [BTreeMap<Vec<u8>, u64>; 3];
    let fold = by_row(
        ["amount", "STATE", "#1"],
        Maps::default,
        |maps: &mut Maps, row| {
            for (nth, map) in maps.iter_mut().enumerate() {
                let value = row.column(nth).unwrap_or(b"none");
                *map.entry(value.to_vec()).or_default() += 1;
            }
        },
        |into, from| {
            for (map, more) in into.iter_mut().zip(from) {
                for (value, lines) in more {
                    *map.entry(value).or_default() += lines;
                }
            }
        },
    );
    let counts = by_row(
        ["STATE"],
        Counts::default,
        |states, row| states.add(row.column(0).unwrap_or(b"none"), 1),
        Counts::merge,
    );
    let expected = [values(15), values(10), values(1)];
    for setting in settings(&[1, 2, 4], &[64, 1000, 1 << 20]) {
        let engine = setting.engine();
        let folded = setting.fold(&engine, &fold, &[], &paths).unwrap();
        assert_eq!(folded.partial, expected, "{setting:?}");
        let mut counted = setting.fold(&engine, &counts, &[], &paths).unwrap();
        let mut ranked: Vec<_> = expected[1].clone().into_iter().collect();
        ranked.sort_by(|(one, lines), (other, more)| more.cmp(lines).then(one.cmp(other)));
        let most_common = counted.partial.most_common(ranked.len());
        assert_eq!(most_common.lines, counted.lines);
        assert_eq!(most_common.into_vec(), ranked, "{setting:?}");
    }
}

#[test]
fn a_fold_of_an_unknown_column_is_an_error_that_names_the_nearest() {
    let fold = by_row(["STAT"], || (), |(), _| (), |(), ()| ());
    let setting = settings(&[2], &[64])[0];
    let failed = setting.fold(
        &setting.engine(),
        &fold,
        &[],
        &[Path::new("fixtures/plain.txt")],
    );
    let error = failed.expect_err("there is no such column");
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(
        error.with_advice().contains("did you mean STATE?"),
        "{error}"
    );
}

/// Lines by number are a query to the engine. A fold that needs no lines does not change them.
#[test]
fn counting_returns_lines_by_number() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.txt");
    let text = lines("a", 300);
    fs::write(&path, &text).unwrap();
    let all = twin::lines_of(&text);
    let wanted = [0, 7, 150, 299, all.len() as u64 - 1, all.len() as u64];
    let expected: Vec<_> = (0..)
        .zip(&all)
        .filter(|(number, _)| wanted.contains(number))
        .map(|(number, line)| (number, line.to_vec()))
        .collect();
    for setting in settings(&[1, 3], &[1, 7, 64, 1 << 20]) {
        let folded = setting.fold(&setting.engine(), &LineCount, &wanted, &[&path]);
        assert_eq!(folded.unwrap().numbered, expected, "{setting:?}");
    }
}
