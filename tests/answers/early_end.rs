//! Folds that want only the beginning of the inputs, and folds that wait for their turn.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;

use fecscan::error::Error;
use fecscan::fold::{ChunkPlace, Fold, Order, Turn};
use fecscan::input::{Input, Io, Part};
use fecscan::scan::{Need, Rows};

use crate::common::archives::{Member, gzip, zip};
use crate::common::run::{Setting, Way, mapped, settings};
use crate::common::twin::lines_of;

/// When a fold says that it wants no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stops {
    /// At the row with these bytes.
    AtRow(&'static [u8]),
    /// At the end of the chunk that has it.
    AtEnd(&'static [u8]),
    Never,
}

/// Collects lines in the order of the input.
struct Until {
    stops: Stops,
    lines: Mutex<Vec<Vec<u8>>>,
}

impl Until {
    fn new(stops: Stops) -> Until {
        Until {
            stops,
            lines: Mutex::default(),
        }
    }

    fn stops_at(&self, line: &[u8]) -> bool {
        matches!(self.stops, Stops::AtRow(last) | Stops::AtEnd(last) if last == line)
    }
}

impl Fold for Until {
    /// The lines of the chunk, of a fold that does not wait for its turn.
    type Partial = Vec<Vec<u8>>;

    fn need(&self, _: &Part) -> Result<Need, Error> {
        Ok(Need::Rows(Vec::new()))
    }

    fn partial(&self) -> Vec<Vec<u8>> {
        Vec::new()
    }

    fn rows(&self, rows: &Rows<'_>, lines: &mut Vec<Vec<u8>>) -> Result<(), Error> {
        lines.extend(rows.iter().map(|row| row.line().to_vec()));
        Ok(())
    }

    fn rows_in_turn(
        &self,
        rows: &Rows<'_>,
        lines: &mut Vec<Vec<u8>>,
        turn: &Turn<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        if !matches!(self.stops, Stops::AtRow(_)) {
            return self.rows(rows, lines).map(|()| ControlFlow::Continue(()));
        }
        if turn().is_break() {
            return Ok(ControlFlow::Break(()));
        }
        for row in rows.iter() {
            self.lines.lock().unwrap().push(row.line().to_vec());
            if self.stops_at(row.line()) {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn merge(&self, into: &mut Vec<Vec<u8>>, from: Vec<Vec<u8>>) {
        into.extend(from);
    }

    fn order(&self) -> Order {
        Order::Beginning
    }

    fn end_chunk(
        &self,
        _: &ChunkPlace<'_>,
        lines: &mut Vec<Vec<u8>>,
    ) -> Result<ControlFlow<()>, Error> {
        let is_last = lines.iter().any(|line| self.stops_at(line));
        self.lines.lock().unwrap().append(lines);
        Ok(if is_last {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    }
}

fn open(setting: &Setting, path: &Path) -> Input {
    let io = match setting.way {
        Way::Mapped => mapped(),
        _ => Io::read(),
    };
    Input::open(path.as_os_str(), io).unwrap()
}

fn text(mark: &str, lines: usize) -> Vec<u8> {
    let line = |nth| format!("{mark}{nth}|{}\n", "x".repeat(nth * 37 % 120));
    (0..lines).map(line).collect::<String>().into_bytes()
}

fn last_of(bytes: &[u8]) -> Vec<Vec<u8>> {
    lines_of(bytes).into_iter().map(<[u8]>::to_vec).collect()
}

/// Everything after the last wanted line can be damaged: it is not read, or does not matter.
#[test]
fn a_run_that_a_fold_has_ended_reads_no_further_and_is_whole_up_to_there() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let (first, third) = (text("a", 200), text("c", 50));
    let second = [&text("b", 100)[..], b"LAST\n", &text("z", 300)].concat();
    let mut damaged = Member::deflated("3.txt", &third);
    damaged.crc ^= 1;
    let archive = zip(&[
        Member::deflated("1.txt", &text("m", 30)),
        Member::deflated("2.txt", &second),
        damaged,
    ]);
    let packed = gzip(&second);
    let before = last_of(&first);
    let cases = [
        ("plain", second.clone(), vec![]),
        ("gz", packed[..packed.len() - 9].to_vec(), vec![]),
        ("zip", archive, last_of(&text("m", 30))),
    ];
    let start = write("0", &first);
    let never = write("never", b"never read\n");
    for (name, bytes, between) in cases {
        let path = write(name, &bytes);
        let mut expected = [&before[..], &between].concat();
        expected.extend(last_of(&second).into_iter().take(101));
        for setting in settings(&[1, 2, 8], &[1, 100, 5000, 1 << 20]) {
            if setting.way == Way::Stream || (name != "plain" && setting.way == Way::Mapped) {
                continue;
            }
            for stops in [Stops::AtRow(b"LAST"), Stops::AtEnd(b"LAST")] {
                let what = format!("{name} {stops:?}: {setting:?}");
                let fold = Until::new(stops);
                let engine = setting.engine();
                let mut run = engine.run(&fold);
                run.input(open(&setting, &start)).unwrap();
                assert!(!run.is_complete(), "{what}");
                // The gzip file is cut after its last line, and the archive damaged after its second member.
                let outcome = run.input(open(&setting, &path));
                outcome.unwrap_or_else(|e| panic!("{what}: {e}"));
                assert!(run.is_complete(), "{what}");
                let outcomes = run.inputs([open(&setting, &never), open(&setting, &never)]);
                assert!(outcomes.iter().all(Result::is_ok), "{what}");
                let folded = run.finish();
                assert_eq!(folded.files.len(), 2, "{what}");
                let found = fold.lines.into_inner().unwrap();
                let counted = folded.lines as usize;
                match stops {
                    Stops::AtRow(_) => {
                        assert_eq!(found, expected, "{what}");
                        assert!(counted >= found.len(), "{what}");
                    }
                    _ => {
                        assert_eq!(found[..expected.len()], expected, "{what}");
                        let rest = &last_of(&second)[101..];
                        assert!(rest.starts_with(&found[expected.len()..]), "{what}");
                        assert_eq!(counted, found.len(), "{what}");
                    }
                }
            }
        }
    }
}

/// Threads and tasks do not change how many lines before the damage reach the fold.
#[test]
fn all_lines_before_damage_in_a_stream_end_for_any_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cut.gz");
    let whole = text("a", 40_000);
    let packed = gzip(&whole);
    fs::write(&path, &packed[..packed.len() / 2]).unwrap();
    let mut first: Option<Vec<Vec<u8>>> = None;
    for setting in settings(&[1, 2, 8], &[100, 20_000, 1 << 20]) {
        if setting.way != Way::Read {
            continue;
        }
        let fold = Until::new(Stops::Never);
        let engine = setting.engine();
        let mut run = engine.run(&fold);
        assert!(run.input(open(&setting, &path)).is_err());
        drop(run);
        let found = fold.lines.into_inner().unwrap();
        assert!(found.len() > 1000, "{setting:?}");
        assert!(last_of(&whole).starts_with(&found[..found.len() - 1]));
        match &first {
            None => first = Some(found),
            Some(first) => assert!(*first == found, "{setting:?}"),
        }
    }
}
