//! The ten revisions of the article "Processing Large Files – Java, Go and 'hitting the wall'" (marcellanz.com).
//!
//! A goroutine is a task of rayon's pool here, and a channel without a buffer one of crossbeam. A substring of Go shares the memory of its
//! line; here it is a copy, up to revision 8.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use crossbeam_channel::{bounded, select};
use rayon::in_place_scope;

use crate::common::challenge::{Counts, NAMES_AT, add, month, text_lines, trimmed};
use crate::common::rounds::full_or_small;

use super::first_names::{Find, by_slice};

/// Returns the number of lines in a chunk. A check has smaller chunks, so that its file has several.
pub fn chunk_lines() -> usize {
    full_or_small(64 * 1024, 8 * 1024)
}

/// The answers of a revision.
#[derive(Default)]
pub struct Found {
    pub lines: usize,
    /// All names, or those at [`NAMES_AT`] alone. Their order is that of the lists.
    pub names: Vec<String>,
    pub months: Counts,
    pub first_names: Common,
}

/// Counts of first names, and the most common one so far.
#[derive(Default)]
pub struct Common {
    pub counts: Counts,
    pub name: String,
    pub lines: u64,
}

impl Common {
    fn add(&mut self, name: &str) {
        let lines = add(&mut self.counts, name);
        if lines > self.lines {
            self.lines = lines;
            self.name.clear();
            self.name.push_str(name);
        }
    }
}

/// What the questions need of a line.
struct Entry {
    name: String,
    first_name: Option<String>,
    month: Option<String>,
}

/// Splits the line into eight columns and the rest.
fn columns(line: &str) -> Vec<&str> {
    let mut columns = Vec::with_capacity(9);
    columns.extend(line.splitn(9, '|'));
    columns
}

impl Entry {
    fn new(line: &str, find: Find<'_>) -> Entry {
        let columns = columns(line);
        let name = columns.get(7).map_or("", |name| trimmed(name));
        Entry {
            name: name.to_owned(),
            first_name: find(name),
            month: columns.get(4).and_then(|number| month(number)),
        }
    }
}

#[derive(Default)]
struct Lists {
    names: Vec<String>,
    first_names: Vec<String>,
    months: Vec<String>,
}

impl Lists {
    fn push(&mut self, entry: Entry) {
        self.names.push(entry.name);
        self.first_names.extend(entry.first_name);
        self.months.extend(entry.month);
    }

    fn count(self) -> Found {
        let (mut months, mut first_names) = (Counts::new(), Common::default());
        for month in &self.months {
            add(&mut months, month);
        }
        for name in &self.first_names {
            first_names.add(name);
        }
        Found {
            lines: self.names.len(),
            names: self.names,
            months,
            first_names,
        }
    }
}

/// Revision 0: one thread, an expression, a list for each question.
pub fn revision_0(path: &Path, lines: usize, find: Find<'_>) -> Found {
    let mut lists = Lists::default();
    for line in text_lines(path).take(lines) {
        lists.push(Entry::new(&line, find));
    }
    lists.count()
}

/// Revision 1: a task for each line, and three channels to one thread that fills the lists.
pub fn revision_1(path: &Path, lines: usize, find: Find<'_>) -> Found {
    let ((names, name), (first_names, first_name), (months, month)) =
        (bounded(0), bounded(0), bounded(0));
    let fill = move || {
        let mut lists = Lists::default();
        loop {
            select! {
                recv(name) -> name => match name {
                    Ok(name) => lists.names.push(name),
                    // All senders go at once, when all tasks are done.
                    Err(_) => return lists.count(),
                },
                recv(first_name) -> name => lists.first_names.extend(name),
                recv(month) -> month => lists.months.extend(month),
            }
        }
    };
    thread::scope(|threads| {
        let filled = threads.spawn(fill);
        let send = |line: String| {
            let entry = Entry::new(&line, find);
            names.send(entry.name).expect("the lists are filled");
            entry.first_name.map(|name| first_names.send(name));
            entry.month.map(|month| months.send(month));
        };
        in_place_scope(|tasks| {
            for line in text_lines(path).take(lines) {
                tasks.spawn(|_| send(line));
            }
        });
        drop((names, first_names, months));
        filled.join().expect("no thread panics")
    })
}

/// Calls `each` with every full chunk of lines, in vectors from `fresh`, and returns the lines after the last full chunk.
fn chunks(
    path: &Path,
    fresh: impl Fn() -> Vec<String>,
    mut each: impl FnMut(Vec<String>),
) -> Vec<String> {
    let (mut chunk, full) = (fresh(), chunk_lines());
    for line in text_lines(path) {
        chunk.push(line);
        if chunk.len() == full {
            each(std::mem::replace(&mut chunk, fresh()));
        }
    }
    chunk
}

/// Revision 2: a task for each chunk, and one channel of entries. It never sends off the lines after the last full chunk.
pub fn revision_2(path: &Path, find: Find<'_>) -> Found {
    let (sender, receiver) = bounded(0);
    thread::scope(|threads| {
        let filled = threads.spawn(|| {
            let mut lists = Lists::default();
            receiver.into_iter().for_each(|entry| lists.push(entry));
            lists.count()
        });
        let send = |lines: Vec<String>| {
            for line in &lines {
                sender
                    .send(Entry::new(line, find))
                    .expect("the lists are filled");
            }
        };
        in_place_scope(|tasks| {
            let _lost = chunks(path, Vec::new, |lines| tasks.spawn(|_| send(lines)));
        });
        drop(sender);
        filled.join().expect("no thread panics")
    })
}

/// Revision 3: a message for each chunk, and no line is lost.
pub fn revision_3(path: &Path, find: Find<'_>) -> Found {
    let (sender, receiver) = bounded(0);
    thread::scope(|threads| {
        let filled = threads.spawn(|| {
            let mut lists = Lists::default();
            receiver
                .into_iter()
                .flatten()
                .for_each(|entry| lists.push(entry));
            lists.count()
        });
        let send = |lines: Vec<String>| {
            let entries: Vec<_> = lines.iter().map(|line| Entry::new(line, find)).collect();
            sender.send(entries).expect("the lists are filled");
        };
        in_place_scope(|tasks| {
            let last = chunks(path, Vec::new, |lines| tasks.spawn(|_| send(lines)));
            tasks.spawn(|_| send(last));
        });
        drop(sender);
        filled.join().expect("no thread panics")
    })
}

/// Revision 4: the tasks fill the lists themselves, one at a time.
pub fn revision_4(path: &Path, find: Find<'_>) -> Found {
    let lists = Mutex::new(Lists::default());
    let append = |lines: Vec<String>| {
        let entries: Vec<_> = lines.iter().map(|line| Entry::new(line, find)).collect();
        let mut lists = lists.lock().expect("no task panics");
        entries.into_iter().for_each(|entry| lists.push(entry));
    };
    in_place_scope(|tasks| {
        let last = chunks(path, Vec::new, |lines| tasks.spawn(|_| append(lines)));
        tasks.spawn(|_| append(last));
    });
    lists.into_inner().expect("no task panics").count()
}

/// Where vectors come from.
#[derive(Clone, Copy)]
pub enum Memory {
    Fresh,
    /// As of Go's `sync.Pool`, with room for a chunk.
    Pooled,
}

struct Pool<T>(Option<Mutex<Vec<Vec<T>>>>);

impl<T> Pool<T> {
    fn new(memory: Memory) -> Pool<T> {
        Pool(match memory {
            Memory::Fresh => None,
            Memory::Pooled => Some(Mutex::default()),
        })
    }

    fn get(&self) -> Vec<T> {
        let Some(pool) = &self.0 else {
            return Vec::new();
        };
        let kept = pool.lock().expect("no task panics").pop();
        kept.unwrap_or_else(|| Vec::with_capacity(chunk_lines()))
    }

    fn put(&self, mut vector: Vec<T>) {
        if let Some(pool) = &self.0 {
            vector.clear();
            pool.lock().expect("no task panics").push(vector);
        }
    }
}

/// Revisions 5 to 8: behind the lock, the tasks also count. Revision 6 uses vectors again, 7 has a simpler expression, and 8 has none.
pub fn revisions_5_to_8(path: &Path, find: Find<'_>, memory: Memory) -> Found {
    let (lines_pool, entries_pool) = (Pool::new(memory), Pool::new(memory));
    let shared = Mutex::new((Lists::default(), Counts::new(), Common::default()));
    let append = |lines: Vec<String>| {
        let mut entries = entries_pool.get();
        entries.extend(lines.iter().map(|line| Entry::new(line, find)));
        let mut shared = shared.lock().expect("no task panics");
        let (lists, months, first_names) = &mut *shared;
        for entry in entries.drain(..) {
            if let Some(name) = &entry.first_name {
                first_names.add(name);
            }
            if let Some(month) = &entry.month {
                add(months, month);
            }
            lists.push(entry);
        }
        entries_pool.put(entries);
        lines_pool.put(lines);
    };
    in_place_scope(|tasks| {
        let last = chunks(
            path,
            || lines_pool.get(),
            |lines| tasks.spawn(|_| append(lines)),
        );
        tasks.spawn(|_| append(last));
    });
    let (lists, months, first_names) = shared.into_inner().expect("no task panics");
    Found {
        lines: lists.names.len(),
        names: lists.names,
        months,
        first_names,
    }
}

/// Revision 9: no lists, months as numbers, and slices of the lines instead of copies. A string for each line and the lock remain.
pub fn revision_9(path: &Path) -> Found {
    let lines_pool = Pool::new(Memory::Pooled);
    let shared = Mutex::new((Found::default(), HashMap::<u32, u64>::new()));
    let count = |lines: Vec<String>| {
        let mut entries = Vec::with_capacity(chunk_lines());
        for line in &lines {
            let columns = columns(line);
            let name = columns.get(7).map_or("", |name| trimmed(name));
            let month = columns
                .get(4)
                .and_then(|number| number.get(..6)?.parse().ok());
            entries.push((name, by_slice(name), month));
        }
        let mut shared = shared.lock().expect("no task panics");
        let (found, months) = &mut *shared;
        for (name, first_name, month) in entries {
            if let Some(first_name) = first_name {
                found.first_names.add(first_name);
            }
            if NAMES_AT.contains(&found.lines) {
                found.names.push(name.to_owned());
            }
            found.lines += 1;
            if let Some(month) = month {
                *months.entry(month).or_default() += 1;
            }
        }
        drop(shared);
        lines_pool.put(lines);
    };
    in_place_scope(|tasks| {
        let last = chunks(
            path,
            || lines_pool.get(),
            |lines| tasks.spawn(|_| count(lines)),
        );
        tasks.spawn(|_| count(last));
    });
    let (mut found, months) = shared.into_inner().expect("no task panics");
    let dashed =
        |(month, lines): (u32, u64)| (format!("{}-{:02}", month / 100, month % 100), lines);
    found.months = months.into_iter().map(dashed).collect();
    found
}
