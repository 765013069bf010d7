//! Rows as JSON: the encoder `rowjson` beside general ones, on the shapes of an article about a faster encoder for Go, and the
//! steps of that article.
//!
//! Maps and structs are made before the time begins. Rows go to a writer that counts bytes. Each encoder's output is compared once with
//! the rows, value by value, and its number of bytes in each turn. Times are processor times.

mod shapes;

use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;
use std::io::{self, BufWriter, Write};
use std::iter;

use rowjson::{Buffer, Json, RowWriter, Value};
use rustix::time::{ClockId, clock_gettime};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::common::rounds::{Amount, Arm, compare};
use shapes::{Contribution, Ride, TABLES, Table, Ten, Twenty, table};

/// The bytes that the article's encoder writes at a time: Go's default, and as many as `RowWriter` does.
const SMALL_WRITES: usize = 4 << 10;
const LARGE_WRITES: usize = 128 << 10;

/// Rounds of turns side by side: as many as write these bytes, within bounds.
const ROUNDS_BYTES: u64 = 1 << 30;
const ROUNDS_MIN: u64 = 11;
const ROUNDS_MAX: u64 = 201;

/// Counts bytes, and forgets them.
#[derive(Default)]
struct Counted(u64);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += black_box(bytes).len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

type WriteAll<'a> = dyn Fn(&mut dyn Write) + 'a;

/// Something that writes all rows of a table as an array.
struct Encoder<'a> {
    name: &'static str,
    write: Box<WriteAll<'a>>,
    /// The bytes that this one writes less than `RowWriter`: it has fewer newlines.
    fewer_bytes: u64,
}

impl Encoder<'_> {
    /// Returns the number of bytes and the processor's time, in seconds.
    fn turn(&self) -> (u64, f64) {
        let mut counted = Counted::default();
        let begun = processor_nanoseconds();
        (self.write)(&mut counted);
        let taken = processor_nanoseconds() - begun;
        (counted.0 + self.fewer_bytes, taken as f64 / 1e9)
    }

    fn assert_writes(&self, table: &Table) {
        let mut json = Vec::new();
        (self.write)(&mut json);
        let found: Vec<HashMap<String, String>> = serde_json::from_slice(&json).expect("JSON");
        let values = table.values();
        let rows = values.chunks(table.keys.len());
        assert_eq!(found.len(), rows.len(), "{}", self.name);
        for (found, row) in found.iter().zip(rows) {
            assert_eq!(found.len(), row.len());
            for (key, value) in table.keys.iter().zip(row) {
                assert_eq!(found[*key], *value, "{} of {}", self.name, table.name);
            }
        }
    }
}

/// Returns the time that this thread has run. Others that have the processor for some of a turn do not count.
fn processor_nanoseconds() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Writes with serde_json, all in one call.
fn serde_json<'a, T: Serialize + 'a>(
    name: &'static str,
    rows: Vec<T>,
    writes: usize,
) -> Encoder<'a> {
    Encoder {
        name,
        fewer_bytes: rows.len() as u64 + 2,
        write: Box::new(move |out| {
            let mut out = BufWriter::with_capacity(writes, out);
            serde_json::to_writer(&mut out, &rows).expect("nothing fails");
            out.flush().expect("nothing fails");
        }),
    }
}

/// Writes objects by hand, and leaves their values to serde_json, as the article's encoder does.
fn by_hand<'a, R, K: AsRef<[u8]>, F: Iterator<Item = (K, &'a str)>>(
    name: &'static str,
    rows: &'a [R],
    writes: usize,
    fields: impl Fn(&'a R) -> F + 'a,
) -> Encoder<'a> {
    Encoder {
        name,
        fewer_bytes: 2,
        write: Box::new(move |out| {
            let mut out = BufWriter::with_capacity(writes, out);
            let mut all = || -> io::Result<()> {
                out.write_all(b"[")?;
                for (nth, row) in rows.iter().enumerate() {
                    out.write_all(if nth == 0 { b"" } else { b",\n" })?;
                    for (nth, (key, value)) in fields(row).enumerate() {
                        out.write_all(if nth == 0 { b"{" } else { b"," })?;
                        out.write_all(key.as_ref())?;
                        serde_json::to_writer(&mut out, value)?;
                    }
                    out.write_all(b"}")?;
                }
                out.write_all(b"]\n")?;
                out.flush()
            };
            all().expect("nothing fails");
        }),
    }
}

/// Returns a key as JSON, with its colon.
fn quoted(key: &str) -> Vec<u8> {
    let mut quoted = serde_json::to_vec(key).expect("nothing fails");
    quoted.push(b':');
    quoted
}

type Map<'a> = HashMap<&'a str, &'a str>;

/// A map whose keys are sorted when it is written, as Go's encoder does.
struct Sorted<'a>(&'a Map<'a>);

impl Serialize for Sorted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let sorted: BTreeMap<_, _> = self.0.iter().collect();
        sorted.serialize(serializer)
    }
}

/// Returns general encoders, and those between, which are the steps of the article.
fn ladder<'a>(
    table: &'a Table,
    rows: &'a [&'a [&'a str]],
    maps: &'a [Map<'a>],
) -> Vec<Encoder<'a>> {
    let escaped = |map: &'a Map<'a>| map.iter().map(|(key, value)| (quoted(key), *value));
    let cached = |map: &'a Map<'a>| map.iter().map(|(key, value)| (&table.known[key], *value));
    let in_order = |row: &'a &[&str]| iter::zip(&table.quoted, row.iter().copied());
    let sorted = maps.iter().map(Sorted).collect();
    vec![
        serde_json("serde_json, maps with sorted keys", sorted, SMALL_WRITES),
        by_hand("keys unsorted", maps, SMALL_WRITES, escaped),
        by_hand("keys escaped once", maps, SMALL_WRITES, cached),
        by_hand("large writes", maps, LARGE_WRITES, cached),
        by_hand("no maps", rows, LARGE_WRITES, in_order),
        serde_json("serde_json, maps", maps.iter().collect(), LARGE_WRITES),
    ]
}

/// Returns the encoder, and the same with an encoder of the caller for the column in the middle.
fn row_writers<'a>(table: &'a Table, rows: &'a [&'a [&'a str]]) -> [Encoder<'a>; 2] {
    let new = |name, by_caller: Option<fn(Value<'_>, &mut Buffer)>| Encoder {
        name,
        fewer_bytes: 0,
        write: Box::new(move |out: &mut dyn Write| {
            let keys = table.keys.iter().copied();
            let mut json = RowWriter::array(keys, out).expect("the keys are good");
            if let Some(encode) = by_caller {
                json = json.encoded_by(table.keys.len() / 2, encode);
            }
            for row in rows {
                json.write_row(*row).expect("nothing fails");
            }
            json.finish().expect("nothing fails");
        }),
    };
    [
        new("RowWriter", None),
        new("RowWriter, a column encoded by the caller", Some(by_caller)),
    ]
}

/// Encodes a text as the built-in path does.
fn by_caller(value: Value<'_>, out: &mut Buffer) {
    let Value::Text(text) = value else { return };
    out.extend_from_slice(b"\"");
    out.push_text(Json, text);
    out.extend_from_slice(b"\"");
}

/// Returns the least that an encoder does: its values are escaped before the time begins, and each key and each value is copied by its
/// length. Nothing is looked at.
fn copies<'a>(table: &Table, rows: &'a [&'a [&'a str]]) -> Encoder<'a> {
    let keys = table.quoted.iter().enumerate();
    let keys: Vec<_> = keys
        .map(|(nth, key)| [if nth == 0 { &b"},\n{"[..] } else { b"," }, key].concat())
        .collect();
    let (mut values, mut lengths) = (Vec::new(), Vec::new());
    for value in rows.iter().copied().flatten() {
        let begun = values.len();
        serde_json::to_writer(&mut values, value).expect("nothing fails");
        lengths.push((values.len() - begun) as u32);
    }
    Encoder {
        name: "keys and values copied, none looked at",
        fewer_bytes: 2,
        write: Box::new(move |out| {
            let mut buffer = Vec::with_capacity(2 * LARGE_WRITES);
            let mut rest = &values[..];
            for (nth, row) in lengths.chunks(keys.len()).enumerate() {
                for (key, &length) in iter::zip(&keys, row) {
                    let value = rest.split_off(..length as usize).expect("its length");
                    buffer.extend_from_slice(key);
                    buffer.extend_from_slice(value);
                }
                if nth == 0 {
                    buffer.splice(..3, *b"[");
                }
                if buffer.len() >= LARGE_WRITES {
                    out.write_all(&buffer).expect("nothing fails");
                    buffer.clear();
                }
            }
            buffer.extend_from_slice(b"}]\n");
            out.write_all(&buffer).expect("nothing fails");
        }),
    }
}

fn structs<'a>(table: &'a Table, rows: &'a [&'a [&'a str]]) -> Encoder<'a> {
    fn of<'a, T: Serialize + 'a>(
        rows: &'a [&'a [&'a str]],
        new: fn(&[&'a str]) -> T,
    ) -> Encoder<'a> {
        let rows = rows.iter().map(|row| new(row)).collect();
        serde_json("serde_json, structs", rows, LARGE_WRITES)
    }
    match &table.keys[..] {
        keys if keys == Ten::KEYS => of(rows, Ten::of),
        keys if keys == Twenty::KEYS => of(rows, Twenty::of),
        keys if keys == Contribution::KEYS => of(rows, Contribution::of),
        keys if keys == Ride::KEYS => of(rows, Ride::of),
        keys => {
            let rows = rows.iter().map(|row| Fields(keys, row)).collect();
            serde_json("serde_json, structs", rows, LARGE_WRITES)
        }
    }
}

/// A struct of too many fields to be declared: it is written by the same calls.
struct Fields<'a>(&'a [&'static str], &'a [&'a str]);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Fields", self.0.len())?;
        for (key, value) in iter::zip(self.0, self.1) {
            fields.serialize_field(key, value)?;
        }
        fields.end()
    }
}

pub fn run() {
    for name in TABLES {
        let table = table(name);
        let values = table.values();
        let rows: Vec<_> = values.chunks(table.keys.len()).collect();
        let keys = || table.keys.iter().copied();
        let maps = rows
            .iter()
            .map(|row| iter::zip(keys(), row.iter().copied()));
        let maps: Vec<Map<'_>> = maps.map(Iterator::collect).collect();
        let mut encoders = Vec::from(row_writers(&table, &rows));
        encoders.extend(ladder(&table, &rows, &maps));
        encoders.push(structs(&table, &rows));
        encoders.push(copies(&table, &rows));
        let (bytes, _) = encoders[0].turn();
        let mut arms = Vec::new();
        for encoder in &encoders {
            encoder.assert_writes(&table);
            arms.push(Arm::timed(encoder.name, move || {
                let (written, seconds) = encoder.turn();
                assert_eq!(written, bytes);
                seconds
            }));
        }
        let rounds = (ROUNDS_BYTES / bytes).clamp(ROUNDS_MIN, ROUNDS_MAX);
        let title = format!("JSON of rows of text: {name}");
        compare(&title, Amount::Bytes(bytes), rounds as usize, arms, &[0]);
    }
}
