//! The challenge in the steps of the article "Processing Large Files – Java, Go and 'hitting the
//! wall'" (marcellanz.com), and one more: this scanner.
//!
//! The first step is a simple program. The next ones show the costs of messages, locks and lists.
//! Every step asserts the answers to all four questions.
//!
//! | here | there |
//! |---|---|
//! | 1 one thread: strings, an expression, lists | revision 0 |
//! | 2 a message for each fact of each line | revision 1 |
//! | 3 messages of chunks | revision 3 |
//! | 4 lists and counts behind one lock | revisions 4 and 5 |
//! | 5 no expression | revision 8 |
//! | 6 no lists, and no string for each line | revision 9 |
//! | 7 this scanner | |

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use fecscan::fec::{first_name, month::Month, trimmed};

use crate::common::challenge::{
    Answers, Counts, Entry, NAMES_AT, by_expression, counted, scanner, text_lines, with_lists,
};
use crate::common::rounds::{Amount, Arm, compare, cores, full_or_small};
use crate::common::run::bench_file;

const ROUNDS: usize = 11;

/// Returns the number of lines in a chunk. The small file of a check has several chunks.
fn chunk_lines() -> usize {
    full_or_small(64 * 1024, 8 * 1024)
}

/// Takes the next message of a channel that several threads share; none when all senders are gone.
fn next<T>(messages: &Mutex<Receiver<T>>) -> Option<T> {
    messages.lock().expect("nobody panics").recv().ok()
}

/// A fact of a line, and the number of the line.
enum Fact {
    Name(usize, Option<String>),
    FirstName(String),
    Month(String),
}

/// Sends a message for each line, and from there one for each fact. The channels have no buffer, so
/// each sender waits for a receiver.
fn with_messages_of_lines(path: &Path, lines: usize) -> Answers {
    let find = by_expression();
    let (line_sender, line_receiver) = sync_channel::<(usize, String)>(0);
    let line_receiver = Mutex::new(line_receiver);
    let (fact_sender, fact_receiver) = sync_channel(0);
    let parse = |facts: SyncSender<Fact>| {
        while let Some((nth, line)) = next(&line_receiver) {
            let Entry {
                name,
                first_name,
                month,
            } = Entry::new(&line, &find);
            let all = [
                Some(Fact::Name(nth, name)),
                first_name.map(Fact::FirstName),
                month.map(Fact::Month),
            ];
            for fact in all.into_iter().flatten() {
                facts.send(fact).expect("somebody collects");
            }
        }
    };
    let collect = move || {
        let (mut names, mut months, mut first_names) = (BTreeMap::new(), Vec::new(), Vec::new());
        for fact in fact_receiver {
            match fact {
                Fact::Name(nth, name) => drop(names.insert(nth, name)),
                Fact::FirstName(first_name) => first_names.push(first_name),
                Fact::Month(month) => months.push(month),
            }
        }
        let names: Vec<_> = names.into_values().collect();
        Answers::new(&names, counted(months), counted(first_names))
    };
    thread::scope(|scope| {
        for _ in 0..cores() {
            let facts = fact_sender.clone();
            scope.spawn(|| parse(facts));
        }
        drop(fact_sender);
        let collector = scope.spawn(collect);
        for numbered in text_lines(path).take(lines).enumerate() {
            line_sender.send(numbered).expect("somebody parses");
        }
        drop(line_sender);
        collector.join().expect("nobody panics")
    })
}

/// Sends numbered chunks to threads that each do `work` until there are no more, and returns the
/// results of the threads.
fn with_chunks<C: Send, R: Send>(
    chunks: impl Iterator<Item = C>,
    work: impl Fn(&dyn Fn() -> Option<(usize, C)>) -> R + Sync,
) -> Vec<R> {
    let (sender, receiver) = sync_channel(cores());
    let receiver = Mutex::new(receiver);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores())
            .map(|_| scope.spawn(|| work(&|| next(&receiver))))
            .collect();
        for numbered in chunks.enumerate() {
            sender.send(numbered).expect("somebody works");
        }
        drop(sender);
        workers
            .into_iter()
            .map(|worker| worker.join().expect("nobody panics"))
            .collect()
    })
}

/// Returns the lines in chunks, with a string for each line.
fn line_chunks(path: &Path) -> impl Iterator<Item = Vec<String>> {
    let (mut lines, chunk_lines) = (text_lines(path), chunk_lines());
    std::iter::from_fn(move || {
        let chunk: Vec<_> = lines.by_ref().take(chunk_lines).collect();
        (!chunk.is_empty()).then_some(chunk)
    })
}

/// Sends chunks to the threads, and the entries of chunks to one that collects lists.
fn with_messages_of_chunks(path: &Path) -> Answers {
    let find = by_expression();
    let (sender, receiver) = sync_channel(cores());
    let collect = move || {
        // Chunks are ready in any order; names need the order of the file.
        let chunks: BTreeMap<usize, Vec<Entry>> = receiver.into_iter().collect();
        let (mut names, mut months, mut first_names) = (Vec::new(), Vec::new(), Vec::new());
        for entry in chunks.into_values().flatten() {
            names.push(entry.name);
            months.extend(entry.month);
            first_names.extend(entry.first_name);
        }
        Answers::new(&names, counted(months), counted(first_names))
    };
    thread::scope(|scope| {
        let collector = scope.spawn(collect);
        with_chunks(line_chunks(path), |next| {
            while let Some((nth, chunk)) = next() {
                let entries: Vec<_> = chunk.iter().map(|line| Entry::new(line, &find)).collect();
                sender.send((nth, entries)).expect("somebody collects");
            }
        });
        drop(sender);
        collector.join().expect("nobody panics")
    })
}

/// The lists and counts behind the lock.
#[derive(Default)]
struct Shared {
    names: BTreeMap<usize, Vec<Option<String>>>,
    months: Counts,
    first_names: Counts,
}

/// Has the threads themselves fill lists and counts, one thread at a time.
fn behind_a_lock(path: &Path, find: impl Fn(&str) -> Option<&str> + Sync) -> Answers {
    let shared = Mutex::new(Shared::default());
    with_chunks(line_chunks(path), |next| {
        while let Some((nth, chunk)) = next() {
            let entries: Vec<_> = chunk.iter().map(|line| Entry::new(line, &find)).collect();
            let mut shared = shared.lock().expect("nobody panics");
            let mut names = Vec::with_capacity(entries.len());
            for Entry {
                name,
                first_name,
                month,
            } in entries
            {
                names.push(name);
                if let Some(month) = month {
                    *shared.months.entry(month).or_default() += 1;
                }
                if let Some(first_name) = first_name {
                    *shared.first_names.entry(first_name).or_default() += 1;
                }
            }
            shared.names.insert(nth, names);
        }
    });
    let Shared {
        names,
        months,
        first_names,
    } = shared.into_inner().expect("nobody panics");
    let names: Vec<_> = names.into_values().flatten().collect();
    Answers::new(&names, months, first_names)
}

/// Finds the first name in a name without a regular expression.
fn by_search(name: &str) -> Option<&str> {
    let found = first_name::first_name(name.as_bytes())?;
    std::str::from_utf8(found).ok()
}

/// Returns the lines in chunks, with one string for each chunk.
fn text_chunks(path: &Path) -> impl Iterator<Item = String> {
    let mut reader = BufReader::new(File::open(path).expect("the file can be read"));
    let (mut bytes, chunk_lines) = (0, chunk_lines());
    std::iter::from_fn(move || {
        let mut chunk = String::with_capacity(bytes);
        for _ in 0..chunk_lines {
            if reader.read_line(&mut chunk).expect("the file is UTF-8") == 0 {
                break;
            }
        }
        bytes = chunk.len();
        (bytes > 0).then_some(chunk)
    })
}

/// The counts of one thread.
#[derive(Default)]
struct Counted {
    lines: u64,
    names: [Option<String>; 3],
    months: Counts,
    first_names: Counts,
}

impl Counted {
    /// Adds the line of this `number`. Only new keys need a string.
    fn add(&mut self, number: usize, line: &str) {
        let mut columns = line.split('|');
        let month = columns
            .nth(4)
            .and_then(|c| Month::of_image_number(c.as_bytes()));
        let name = columns.nth(2).map(|c| trimmed(c.as_bytes()));
        let name = name.map(|name| std::str::from_utf8(name).expect("it was text"));
        self.lines += 1;
        if let Some(nth) = NAMES_AT.iter().position(|&at| at == number) {
            self.names[nth] = name.map(str::to_owned);
        }
        if let Some(month) = month {
            add_to(&mut self.months, &month.to_string(), 1);
        }
        if let Some(first_name) = name.and_then(by_search) {
            add_to(&mut self.first_names, first_name, 1);
        }
    }

    fn merge(mut self, other: Counted) -> Counted {
        self.lines += other.lines;
        for (name, other) in self.names.iter_mut().zip(other.names) {
            *name = name.take().or(other);
        }
        other
            .months
            .iter()
            .for_each(|(month, lines)| add_to(&mut self.months, month, *lines));
        other
            .first_names
            .iter()
            .for_each(|(name, lines)| add_to(&mut self.first_names, name, *lines));
        self
    }
}

fn add_to(counts: &mut Counts, key: &str, lines: u64) {
    match counts.get_mut(key) {
        Some(count) => *count += lines,
        None => drop(counts.insert(key.to_owned(), lines)),
    }
}

/// Has every thread count by itself, and adds up the counts at the end.
fn without_lists(path: &Path) -> Answers {
    let shares = with_chunks(text_chunks(path), |next| {
        let mut counted = Counted::default();
        while let Some((nth, chunk)) = next() {
            for (number, line) in (nth * chunk_lines()..).zip(chunk.lines()) {
                counted.add(number, line);
            }
        }
        counted
    });
    let all = shares
        .into_iter()
        .reduce(Counted::merge)
        .unwrap_or_default();
    Answers::of_counts(all.lines, all.names, all.months, all.first_names)
}

pub fn run() {
    let file = bench_file();
    let path = &file.path;
    let all = with_lists(path, usize::MAX);

    // Messages of lines take too long for the whole file.
    let lines = (file.lines / 100) as usize;
    let of_few = with_lists(path, lines);
    compare(
        &format!("The challenge on 1 % of {file}"),
        Amount::Rows(lines as u64),
        ROUNDS,
        vec![
            Arm::new("1 one thread, strings, an expression, lists", || {
                assert_eq!(with_lists(path, lines), of_few);
            }),
            Arm::new("2 messages of lines", || {
                assert_eq!(with_messages_of_lines(path, lines), of_few);
            }),
        ],
        &[0],
    );

    type Step<'a> = (&'a str, &'a dyn Fn() -> Answers);
    let steps: [Step<'_>; 7] = [
        ("1 one thread, strings, an expression, lists", &|| {
            with_lists(path, usize::MAX)
        }),
        ("3 messages of chunks", &|| with_messages_of_chunks(path)),
        ("4 a shared lock", &|| behind_a_lock(path, by_expression())),
        ("5 no expression", &|| behind_a_lock(path, by_search)),
        ("6 no lists", &|| without_lists(path)),
        ("7 this scanner, 1 thread", &|| scanner(path, 1)),
        ("7 this scanner, all threads", &|| scanner(path, cores())),
    ];
    let all = &all;
    let title = format!("The challenge on {file}");
    let arms = steps.map(|(name, step)| Arm::new(name, move || assert_eq!(step(), *all)));
    compare(&title, Amount::Rows(file.lines), ROUNDS, arms.into(), &[0]);
}
