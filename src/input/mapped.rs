//! A file that is mapped: workers look at it where it lies in the page cache.

#![allow(unsafe_code)]

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::num::NonZeroU64;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::{Advice, Mmap, MmapOptions};

use super::fault::maps::Noted;
use super::watched::Watched;
use crate::plan::{Cut, Plan, lines_beginning_in};
use crate::scan::Chunk;

/// A mapped file.
#[derive(Debug)]
pub struct Mapped {
    /// Taken back before the map is.
    _noted: Noted,
    map: Mmap,
}

impl Mapped {
    /// Maps `length` bytes of `file` from `offset`. The file is `watched`, and called `name` in
    /// messages, in case that it is cut.
    pub fn new(
        file: &File,
        offset: u64,
        length: u64,
        watched: &Watched,
        name: &OsStr,
    ) -> io::Result<Mapped> {
        let length = usize::try_from(length).map_err(|_| io::ErrorKind::FileTooLarge)?;
        // SAFETY: the map is private to us and only read. What `map` asks of its caller is that
        // nobody else writes to the file meanwhile, and nobody can promise that. If it happens, the
        // bytes that we read are any bytes. All that we ever do with them is to compare and copy
        // them, in code that checks every position against lengths that it computed itself: no
        // reference to a validated value (a `str`, an enum) is ever made from the map, and no
        // unchecked access rests on what was read. If the file is cut, touching what is gone raises
        // SIGBUS, which ends the process: see `fault`.
        let map = unsafe { MmapOptions::new().offset(offset).len(length).map(file)? };
        // Advice: where it is not taken, the answer is the same.
        let _ = map.advise(Advice::Sequential);
        #[cfg(target_os = "linux")]
        let _ = map.advise(Advice::HugePage);
        let noted = Noted::new(&map, watched, offset, name.as_bytes())?;
        Ok(Mapped { _noted: noted, map })
    }

    /// Begins a pass.
    pub fn pass(&self, task_bytes: NonZeroU64, cut: Cut) -> Pass<'_> {
        let plan = Plan::new(self.map.len() as u64, task_bytes);
        Pass {
            bytes: &self.map,
            plan,
            cut,
            next_task: AtomicU64::new(0),
        }
    }
}

/// A pass over a mapped file.
#[derive(Debug)]
pub struct Pass<'a> {
    bytes: &'a [u8],
    plan: Plan,
    cut: Cut,
    next_task: AtomicU64,
}

impl<'a> Pass<'a> {
    /// The next task that is not empty.
    pub fn next(&self) -> Option<Chunk<'a>> {
        loop {
            let nominal = self
                .plan
                .nominal(self.next_task.fetch_add(1, Ordering::Relaxed))?;
            let nominal = nominal.start as usize..nominal.end as usize;
            let range = match self.cut {
                Cut::AtLines => lines_beginning_in(self.bytes, nominal),
                Cut::Anywhere => Some(nominal),
            };
            if let Some(range) = range {
                let offset = range.start as u64;
                return Some(Chunk {
                    haystack: self.bytes,
                    range,
                    offset,
                });
            }
        }
    }

    /// The bytes at `range` again.
    pub fn again(&self, range: Range<u64>) -> &'a [u8] {
        &self.bytes[range.start as usize..range.end as usize]
    }

    pub fn length(&self) -> u64 {
        self.plan.length()
    }
}
