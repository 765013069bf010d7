//! Folds of one's own: chunks in the order of the input, folds that fail, and folds of closures,
//! against the lines of the slow twin.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use fecscan::error::{Error, ErrorKind};
use fecscan::fold::{ChunkPlace, Counts, Fold, LineCount, Order, by_row};
use fecscan::input::{Input, Io, Part};
use fecscan::output::Go;
use fecscan::scan::{Filter, Need, Rows};

use crate::common::archives::{Member, gzip, zip, zstd};
use crate::common::condition::{Condition, Test};
use crate::common::run::{Setting, Way, fixtures, mapped, settings};
use crate::common::twin;

/// A chunk as a fold saw it end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ended {
    part_number: usize,
    path: Vec<u8>,
    first_line: u64,
    lines: Vec<Vec<u8>>,
}

/// What spoils a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// A row with these bytes.
    Row(&'static [u8]),
    /// The end of the chunk that has a row with these bytes.
    End(&'static [u8]),
}

/// Keeps the lines of each chunk until the chunk ends.
struct InInputOrder {
    fault: Fault,
    order: Order,
    ended: Mutex<Vec<Ended>>,
}

impl InInputOrder {
    fn new(fault: Fault, order: Order) -> InInputOrder {
        InInputOrder {
            fault,
            order,
            ended: Mutex::default(),
        }
    }

    fn fail<T>() -> Result<T, Error> {
        Err(Error::new(ErrorKind::Output, "the fold fails here"))
    }
}

/// The lines of the chunk at hand, and the number of all lines.
#[derive(Default)]
struct Kept {
    chunk: Vec<Vec<u8>>,
    total: u64,
}

impl Fold for InInputOrder {
    type Partial = Kept;

    fn need(&self, _: &Part) -> Result<Need, Error> {
        Ok(Need::Rows(vec![0]))
    }

    fn partial(&self) -> Kept {
        Kept::default()
    }

    fn rows(&self, rows: &Rows<'_>, kept: &mut Kept) -> Result<(), Error> {
        for row in rows.iter() {
            if matches!(self.fault, Fault::Row(line) if line == row.line()) {
                return InInputOrder::fail();
            }
            if self.order == Order::Input {
                kept.chunk.push(row.line().to_vec());
            }
            kept.total += 1;
        }
        Ok(())
    }

    fn merge(&self, into: &mut Kept, from: Kept) {
        into.chunk.extend(from.chunk);
        into.total += from.total;
    }

    fn order(&self) -> Order {
        self.order
    }

    fn end_chunk(&self, place: &ChunkPlace<'_>, kept: &mut Kept) -> Result<Go, Error> {
        let lines = std::mem::take(&mut kept.chunk);
        let is_at = |found: &Vec<u8>| matches!(self.fault, Fault::End(line) if line == found);
        if lines.iter().any(is_at) {
            return InInputOrder::fail();
        }
        self.ended.lock().unwrap().push(Ended {
            part_number: place.part_number,
            path: place.part.path().into_encoded_bytes(),
            first_line: place.first_line,
            lines,
        });
        Ok(Go::On)
    }
}

/// A part of the run as it should be: its path with its member, and its lines.
type Expected = (Vec<u8>, Vec<Vec<u8>>);

fn expected(path: &str, bytes: &[u8]) -> Expected {
    let lines = twin::lines_of(bytes).into_iter().map(<[u8]>::to_vec);
    (path.as_bytes().to_vec(), lines.collect())
}

/// Asserts that the chunks are those of `parts`, one after the other, up to the fault at most.
/// Returns the number of lines in them, of each part.
fn assert_in_order(ended: &[Ended], parts: &[Expected], passes: &Pass, what: &str) -> Vec<u64> {
    let mut done = vec![0_u64; parts.len()];
    let mut at = 0;
    for (nth, chunk) in ended.iter().enumerate() {
        assert!(chunk.part_number >= at, "{what}: {chunk:?}");
        at = chunk.part_number;
        let (path, lines) = &parts[at];
        assert_eq!(chunk.path, *path, "{what}");
        // Lines that the filter drops are counted too.
        assert_eq!(chunk.first_line, done[at], "{what}: {path:?}");
        let mut next = done[at] as usize;
        for line in &chunk.lines {
            while !passes(&lines[next]) {
                next += 1;
            }
            assert_eq!(*line, lines[next], "{what}: line {next}");
            next += 1;
        }
        // What the chunk drops at its end is known from the next one, or from the end.
        let following = ended[nth + 1..]
            .first()
            .filter(|later| later.part_number == at);
        let end = following.map_or(lines.len() as u64, |later| later.first_line);
        let dropped = lines[next..end as usize].iter().all(|line| !passes(line));
        assert!(
            dropped || following.is_none(),
            "{what}: lines are missing before {end}"
        );
        done[at] = match dropped {
            true => end,
            false => next as u64,
        };
    }
    done
}

type Pass = dyn Fn(&[u8]) -> bool;

/// Lines of many lengths, with all ends, and a number in each.
fn lines(mark: &str, count: usize) -> Vec<u8> {
    let line = |nth: usize| {
        let end = ["\n", "\n", "\r\n", "\n\n"][nth % 4];
        format!("{mark}{nth}|{}{end}", "x".repeat(nth * 31 % 90))
    };
    (0..count).map(line).collect::<String>().into_bytes()
}

/// Files, one of them empty, one unterminated, and the parts that they are read as.
fn several_inputs(directory: &Path) -> (Vec<PathBuf>, Vec<Expected>) {
    let texts = [
        lines("a", 300),
        Vec::new(),
        [lines("b", 77), b"last".to_vec()].concat(),
        lines("c", 1),
    ];
    let (mut paths, mut parts) = (Vec::new(), Vec::new());
    for (nth, text) in texts.iter().enumerate() {
        let path = directory.join(format!("{nth}.txt"));
        fs::write(&path, text).unwrap();
        parts.push(expected(path.to_str().unwrap(), text));
        paths.push(path);
    }
    (paths, parts)
}

#[test]
fn chunks_end_in_the_order_of_the_input_and_know_their_first_line() {
    let directory = tempfile::tempdir().unwrap();
    let (paths, parts) = several_inputs(directory.path());
    let paths: Vec<_> = paths.iter().map(PathBuf::as_path).collect();
    let total: usize = parts.iter().map(|(_, lines)| lines.len()).sum();
    for setting in settings(&[1, 2, 3, 8], &[1, 50, 64, 1000, 1 << 20]) {
        let fold = InInputOrder::new(Fault::None, Order::Input);
        let engine = setting.engine();
        let folded = setting.fold(&engine, &fold, &[0, 1], &paths).unwrap();
        assert_eq!(
            (folded.lines, folded.partial.total),
            (total as u64, total as u64)
        );
        assert!(folded.partial.chunk.is_empty(), "all chunks have ended");
        let ended = fold.ended.into_inner().unwrap();
        let done = assert_in_order(&ended, &parts, &|_| true, &format!("{setting:?}"));
        let all: Vec<_> = parts.iter().map(|(_, lines)| lines.len() as u64).collect();
        assert_eq!(done, all, "{setting:?}");
    }
}

#[test]
fn the_first_line_of_a_chunk_counts_lines_that_a_filter_drops() {
    let directory = tempfile::tempdir().unwrap();
    let (paths, parts) = several_inputs(directory.path());
    let paths: Vec<_> = paths.iter().map(PathBuf::as_path).collect();
    let condition = Condition::new(1, Test::Matches("[37]$".to_owned()));
    let passing = |lines: &[Vec<u8>]| lines.iter().filter(|line| condition.holds(line)).count();
    let matching: usize = parts.iter().map(|(_, lines)| passing(lines)).sum();
    assert!(matching > 50);
    for setting in settings(&[1, 3], &[50, 777, 1 << 20]) {
        let fold = InInputOrder::new(Fault::None, Order::Input);
        let filter = Filter::new([condition.typed()]).unwrap();
        let engine = setting.engine().with_filter(filter);
        let folded = setting.fold(&engine, &fold, &[], &paths).unwrap();
        assert_eq!(folded.lines, matching as u64);
        let ended = fold.ended.into_inner().unwrap();
        let condition = condition.clone();
        let passes = move |line: &[u8]| condition.holds(line);
        assert_in_order(&ended, &parts, &passes, &format!("{setting:?}"));
        let seen: usize = ended.iter().map(|chunk| chunk.lines.len()).sum();
        assert_eq!(seen, matching, "{setting:?}");
    }
}

/// Archives and compressed files, given to the run together.
#[test]
fn chunks_of_members_and_of_inputs_that_are_given_together_are_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let texts: Vec<_> = ["a", "b", "c", "d", "e", "f"]
        .into_iter()
        .enumerate()
        .map(|(nth, mark)| lines(mark, 200 / (nth + 1)))
        .collect();
    let archive = |members: &[(&str, usize)]| {
        let member = |(name, text): &(&str, usize)| Member::deflated(*name, &texts[*text]);
        zip(&members.iter().map(member).collect::<Vec<_>>())
    };
    let files = [
        (
            "one.zip",
            archive(&[("1.txt", 0), ("2.txt", 1), ("3.txt", 2)]),
        ),
        ("two.gz", gzip(&texts[3])),
        ("three.txt", texts[0].clone()),
        ("four.zip", archive(&[("4.txt", 4), ("5.txt", 5)])),
        ("five.zst", zstd(&texts[1])),
    ];
    for (name, bytes) in &files {
        fs::write(at(name), bytes).unwrap();
    }
    let part = |name: &str, member: &str, text: usize| {
        let path = at(name).to_str().unwrap().to_owned() + member;
        expected(&path, &texts[text])
    };
    let parts = [
        part("one.zip", ": 1.txt", 0),
        part("one.zip", ": 2.txt", 1),
        part("one.zip", ": 3.txt", 2),
        part("two.gz", "", 3),
        part("three.txt", "", 0),
        part("four.zip", ": 4.txt", 4),
        part("four.zip", ": 5.txt", 5),
        part("five.zst", "", 1),
    ];
    let all: Vec<_> = parts.iter().map(|(_, lines)| lines.len() as u64).collect();
    for setting in settings(&[1, 2, 5], &[64, 1000, 1 << 20]) {
        if setting.way == Way::Stream {
            continue;
        }
        for together in [1, files.len()] {
            let fold = InInputOrder::new(Fault::None, Order::Input);
            let engine = setting.engine();
            let mut run = engine.run(&fold);
            for group in files.chunks(together) {
                let inputs = group.iter().map(|(name, _)| open(&setting, &at(name)));
                let done = run.inputs(inputs.collect::<Vec<_>>());
                assert!(done.iter().all(Result::is_ok), "{done:?}");
            }
            let folded = run.finish();
            assert_eq!(folded.lines, all.iter().sum::<u64>());
            let ended = fold.ended.into_inner().unwrap();
            let done = assert_in_order(&ended, &parts, &|_| true, &format!("{setting:?}"));
            assert_eq!(done, all, "{setting:?}");
        }
    }
}

fn open(setting: &Setting, path: &Path) -> Input {
    let io = match setting.way {
        Way::Mapped => mapped(),
        _ => Io::read(),
    };
    Input::open(path.as_os_str(), io).unwrap()
}

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

/// A member that fails spoils its archive alone, whatever is read at the same time.
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
        error.to_string().contains("did you mean STATE? "),
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
