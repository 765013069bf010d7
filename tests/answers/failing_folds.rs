//! Folds that fail: their input adds nothing, and the run goes on.

use std::fs;
use std::sync::Arc;

use fecscan::engine::Engine;
use fecscan::error::{Error, ErrorKind};
use fecscan::fold::Order;
use fecscan::fold::report::{ReportFold, ReportQuestion};

use crate::common::archives::{Member, gzip, zip};
use crate::common::chunks::{Fault, InInputOrder, assert_in_order, expected, lines, open};
use crate::common::run::{Setting, Way, settings};
use crate::common::twin;

/// A fold that fails at a row, or at the end of a chunk, ends the input with its own error. The
/// chunks before have ended in order, none after, and the run goes on with the next input.
#[test]
fn a_fold_that_fails_ends_its_input_which_adds_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let good = directory.path().join("good.txt");
    fs::write(&good, lines("g", 50)).unwrap();
    let good_lines = twin::lines_of(&lines("g", 50)).len() as u64;
    let bad = directory.path().join("bad.txt");
    for place in [0, 1, 40, 199, 200] {
        let text = [
            lines("a", place),
            b"FAIL\n".to_vec(),
            lines("z", 200 - place),
        ]
        .concat();
        fs::write(&bad, &text).unwrap();
        let parts = [expected(bad.to_str().unwrap(), &text)];
        let failing = parts[0].1.iter().position(|line| line == b"FAIL").unwrap();
        for fault in [Fault::Row(b"FAIL"), Fault::End(b"FAIL")] {
            for order in [Order::Any, Order::Input] {
                if order == Order::Any && fault != Fault::Row(b"FAIL") {
                    continue;
                }
                for setting in settings(&[1, 2, 5], &[20, 64, 1000, 1 << 20]) {
                    let what = format!("{place} {fault:?} {order:?} {setting:?}");
                    if setting.way == Way::Stream {
                        let engine = setting.engine();
                        let fold = InInputOrder::new(fault, order);
                        let failed = setting.fold(&engine, &fold, &[], &[&bad]);
                        let error = failed.err().expect(&what).to_string();
                        assert!(error.contains("the fold fails here"), "{what}: {error}");
                        continue;
                    }
                    let fold = InInputOrder::new(fault, order);
                    let engine = setting.engine();
                    let mut run = engine.run(&fold).with_numbered_lines(&[0]);
                    let error = run.input(open(&setting, &bad)).expect_err(&what);
                    assert_eq!(error.kind(), ErrorKind::Output, "{what}");
                    let message = format!("{}: the fold fails here", bad.display());
                    assert_eq!(error.to_string(), message, "{what}");
                    let before: Vec<_> = std::mem::take(&mut *fold.ended.lock().unwrap());
                    assert_in_order(&before, &parts, &|_| true, &what);
                    let ended: usize = before.iter().map(|chunk| chunk.lines.len()).sum();
                    assert!(ended <= failing, "{what}: {ended} lines ended");

                    run.input(open(&setting, &good)).expect(&what);
                    let folded = run.finish();
                    assert_eq!(folded.lines, good_lines, "{what}");
                    assert_eq!(folded.partial.total, good_lines, "{what}");
                    assert!(folded.partial.chunk.is_empty(), "{what}");
                    assert_eq!(folded.files.len(), 1, "{what}");
                    assert_eq!(folded.numbered[0].1, twin::lines_of(&lines("g", 1))[0]);
                }
            }
        }
    }
}

/// The input did not fail, and is not named.
#[test]
fn an_error_that_names_its_file_keeps_that_name() {
    let fold = ReportFold::new(ReportQuestion::default()).with_odd_row_sink(Arc::new(|_, _| {
        Err(Error::new(ErrorKind::Output, "can't be written").about("out.csv"))
    }));
    let error = Engine::default()
        .scan(&fold, ["fixtures/cut-off-row.txt"])
        .err();
    assert_eq!(error.unwrap().to_string(), "out.csv: can't be written");
}

/// A member that fails spoils its archive alone. Others are read at the same time.
#[test]
fn a_fold_that_fails_in_a_member_spoils_its_archive_alone() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let failing = [lines("b", 100), b"FAIL\n".to_vec()].concat();
    let archive = zip(&[
        Member::deflated("1.txt", &lines("a", 100)),
        Member::deflated("2.txt", &failing),
        Member::deflated("3.txt", &lines("c", 100)),
    ]);
    for (name, bytes) in [
        ("0.gz", gzip(&lines("d", 9))),
        ("1.zip", archive),
        ("2.gz", gzip(&lines("e", 30))),
    ] {
        fs::write(at(name), bytes).unwrap();
    }
    let expected_lines = [9, 30].map(|count| twin::lines_of(&lines("d", count)).len() as u64);
    for order in [Order::Any, Order::Input] {
        for threads in 1..=6 {
            for task_bytes in [64, 1 << 20] {
                let setting = Setting {
                    threads,
                    task_bytes,
                    ..settings(&[1], &[1])[0]
                };
                let fold = InInputOrder::new(Fault::Row(b"FAIL"), order);
                let engine = setting.engine();
                let mut run = engine.run(&fold);
                let inputs = ["0.gz", "1.zip", "2.gz"].map(|name| open(&setting, &at(name)));
                let done = run.inputs(inputs);
                let what = format!("{order:?} {setting:?}");
                assert!(done[0].is_ok() && done[2].is_ok(), "{what}: {done:?}");
                let error = done[1].as_ref().expect_err(&what).to_string();
                let message = format!("{}: 2.txt: the fold fails here", at("1.zip").display());
                assert_eq!(error, message, "{what}");
                let folded = run.finish();
                assert_eq!(
                    folded.partial.total,
                    expected_lines.iter().sum::<u64>(),
                    "{what}"
                );
                let lines: Vec<_> = folded.files.iter().map(|file| file.lines).collect();
                assert_eq!(lines, expected_lines, "{what}");
            }
        }
    }
}
