//! A fold that sees chunks end in the order of the input, and the chunks as they should be.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use fecscan::error::{Error, ErrorKind};
use fecscan::fold::{ChunkPlace, Fold, Order};
use fecscan::input::{Input, Io, Part};
use fecscan::scan::{Need, Rows};

use super::run::{Setting, Way, mapped};
use super::twin;

/// A chunk as a fold saw it end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    pub part_number: usize,
    pub path: Vec<u8>,
    pub first_line: u64,
    pub lines: Vec<Vec<u8>>,
}

/// What spoils a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// A row with these bytes.
    Row(&'static [u8]),
    /// The end of the chunk that has a row with these bytes.
    End(&'static [u8]),
}

/// Keeps the lines of each chunk until the chunk ends.
pub struct InInputOrder {
    pub fault: Fault,
    pub order: Order,
    pub ended: Mutex<Vec<Ended>>,
}

impl InInputOrder {
    pub fn new(fault: Fault, order: Order) -> InInputOrder {
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
pub struct Kept {
    pub chunk: Vec<Vec<u8>>,
    pub total: u64,
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

    fn end_chunk(&self, place: &ChunkPlace<'_>, kept: &mut Kept) -> Result<ControlFlow<()>, Error> {
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
        Ok(ControlFlow::Continue(()))
    }
}

/// A part of the run as it should be: its path with its member, and its lines.
pub type Expected = (Vec<u8>, Vec<Vec<u8>>);

pub fn expected(path: &str, bytes: &[u8]) -> Expected {
    let lines = twin::lines_of(bytes).into_iter().map(<[u8]>::to_vec);
    (path.as_bytes().to_vec(), lines.collect())
}

/// Asserts that the chunks are the lines of `parts` in their order, at most up to the fault.
/// Returns the number of lines in them, of each part.
pub fn assert_in_order(ended: &[Ended], parts: &[Expected], passes: &Pass, what: &str) -> Vec<u64> {
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
        done[at] = if dropped { end } else { next as u64 };
    }
    done
}

pub type Pass = dyn Fn(&[u8]) -> bool;

/// Lines of many lengths, with all ends, and a number in each.
pub fn lines(mark: &str, count: usize) -> Vec<u8> {
    let line = |nth: usize| {
        let end = ["\n", "\n", "\r\n", "\n\n"][nth % 4];
        format!("{mark}{nth}|{}{end}", "x".repeat(nth * 31 % 90))
    };
    (0..count).map(line).collect::<String>().into_bytes()
}

/// Files, one of them empty, one unterminated, and the parts that they are read as.
pub fn several_inputs(directory: &Path) -> (Vec<PathBuf>, Vec<Expected>) {
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

pub fn open(setting: &Setting, path: &Path) -> Input {
    let io = match setting.way {
        Way::Mapped => mapped(),
        _ => Io::read(),
    };
    Input::open(path.as_os_str(), io).unwrap()
}
