//! Tables against an ordinary map: all lengths of keys, all ways of keeping them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::*;
use crate::coding::{Damaged, Put, Reader};

/// Keys of all lengths, with zeros where padding might hide them, digits with zeros in front, and many more.
fn keys(many: u32) -> impl Iterator<Item = Vec<u8>> {
    let of_length = |length| [b'A', 0, 0xff].map(|byte: u8| vec![byte; length]);
    let numbered = (0..many).map(|n| {
        let mut key = format!("{:x}", n.wrapping_mul(2_654_435_761)).into_bytes();
        key.resize(key.len() + n as usize % 41, b'x');
        key
    });
    let digits = (0..many).map(|n| {
        let length = n as usize % 23;
        format!("{:0length$}", u64::from(n / 50).pow(n % 7)).into_bytes()
    });
    let odd = (0..40).chain([254, 255, 256, 2000]).flat_map(of_length);
    odd.chain(numbered).chain(digits)
}

fn table<T: State>(random: &RandomState, front: Front, limits: Limits) -> Table<T> {
    Table::new(random.clone(), front, 1, limits)
}

const NONE: Limits = Limits {
    direct: usize::MAX,
    direct_of_long: usize::MAX,
    waiting: usize::MAX,
    waiting_most: usize::MAX,
};

/// Limits that make a table stay direct, stream, and stream with rows that settle over and over.
const LIMITS: [Limits; 3] = [
    NONE,
    Limits {
        direct: 100,
        direct_of_long: 100,
        ..NONE
    },
    Limits {
        direct: 100,
        direct_of_long: 100,
        waiting: 0,
        waiting_most: 0,
    },
];

fn groups<T: State>(table: &mut Table<T>) -> BTreeMap<Vec<u8>, (u64, Numbers)> {
    let parts = table.each_part(|part| {
        let mut groups = Vec::new();
        part.each(|key, state| groups.push((key.to_vec(), (state.rows(), state.numbers(0)))));
        assert_eq!(groups.len(), part.len());
        groups
    });
    let all: Vec<_> = parts.into_iter().flatten().collect();
    let count = all.len();
    let map: BTreeMap<_, _> = all.into_iter().collect();
    assert_eq!(map.len(), count, "a key has two groups");
    map
}

#[test]
fn groups_are_those_of_a_map_however_they_are_kept() {
    for (nth, one) in LIMITS.into_iter().enumerate() {
        for other in &LIMITS[nth..] {
            let random = RandomState::new();
            let mut expected: BTreeMap<Vec<u8>, Sum> = BTreeMap::new();
            let mut tables = [one, *other].map(|limits| table::<Sum>(&random, Front::All, limits));
            for (nth, key) in (0..20)
                .flat_map(|_| keys(3000))
                .chain(keys(5000))
                .enumerate()
            {
                let group = expected.entry(key.clone()).or_default();
                let table = &mut tables[nth % 5 % 2];
                // A haystack goes on after the key, or ends with it.
                let haystack = [&key[..], &[b'|'; 40][..nth % 3 * 20]].concat();
                let cell = Cell::new(&haystack, key.len());
                let value = match nth % 7 {
                    0 => NO_NUMBER,
                    _ => nth as i64 - 4000,
                };
                group.add(&[value]);
                table.add(cell, &[value]);
                if nth % 85 == 0 {
                    table.end_block();
                }
            }
            let [mut into, from] = tables;
            into.merge(from);
            let expected = expected.into_iter();
            let expected = expected.map(|(key, sum)| (key, (sum.rows(), sum.numbers(0))));
            assert!(groups(&mut into) == expected.collect());
        }
    }
}

/// Rows of more values than a piece of the arena has room for, too.
#[test]
fn entries_of_any_size_are_kept() {
    for values in [0, 1, 2, 100, 126, 127, 128, 200] {
        for limits in LIMITS {
            let mut table: Table<Columns> =
                Table::new(RandomState::new(), Front::All, values, limits);
            let row: Vec<i64> = (1..).take(values).collect();
            for nth in 0..1500 {
                let key = ["", "N"][nth % 2].to_owned() + &(nth % 300).to_string();
                table.add(Cell::from(key.as_bytes()), &row);
                if nth % 10 == 9 {
                    table.end_block();
                }
            }
            let groups: usize = table
                .each_part(|part| {
                    part.each(|_, state| {
                        assert_eq!(state.rows(), 5);
                        for (column, value) in row.iter().enumerate() {
                            let sum = state.numbers(column).total.sum();
                            assert_eq!(sum, Some(5 * i128::from(*value)), "{values} values");
                        }
                    });
                    part.len()
                })
                .into_iter()
                .sum();
            assert_eq!(groups, 300);
        }
    }
}

#[test]
fn many_values_are_kept_in_their_order() {
    for limits in LIMITS {
        let random = RandomState::new();
        let mut table: Table<Columns> = Table::new(random, Front::All, 3, limits);
        for nth in 0..2000 {
            let key = format!("{}", nth % 500);
            table.add(Cell::from(key.as_bytes()), &[nth, NO_NUMBER, -nth]);
            if nth % 100 == 99 {
                table.end_block();
            }
        }
        let parts = table.each_part(|part| {
            part.each(|key, state| {
                let first: i64 = std::str::from_utf8(key).unwrap().parse().unwrap();
                let numbers = [0, 1, 2].map(|column| state.numbers(column));
                assert_eq!(state.rows(), 4);
                assert_eq!(numbers[0].total.sum(), Some(4 * i128::from(first) + 3000));
                assert_eq!(numbers[1], Numbers::default());
                assert_eq!(
                    (numbers[2].least, numbers[2].greatest),
                    (-first - 1500, -first)
                );
            });
            part.len()
        });
        assert_eq!(parts.iter().sum::<usize>(), 500);
    }
}

#[test]
fn keys_are_counted_by_their_front() {
    for limits in LIMITS {
        let random = RandomState::new();
        let mut table: Table<u64> = Table::new(random, Front::BeforeLastPipe, 0, limits);
        let mut expected: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for nth in 0..3000 {
            let front = format!("{}|{}", nth % 7, "y".repeat(nth % 5 * 20));
            let key = format!("{front}|{}", nth % 600);
            expected.entry(front).or_default().insert(nth % 600);
            table.add(Cell::from(key.as_bytes()), &[]);
            if nth % 100 == 99 {
                table.end_block();
            }
        }
        let counts = FrontCounts::of(&mut table);
        for (front, values) in expected {
            assert_eq!(counts.get(front.as_bytes()), values.len() as u64, "{front}");
        }
        assert_eq!(counts.get(b"8|"), 0);
    }
}

/// A table that takes `rows` rows with these keys, and the most bytes of its streams on the way.
fn filled(limits: Limits, rows: u64, key: impl Fn(u64) -> String) -> (Table<u64>, usize) {
    let mut table: Table<u64> = Table::new(RandomState::new(), Front::All, 0, limits);
    let mut most = 0;
    for nth in 0..rows {
        table.add(Cell::from(key(nth).as_bytes()), &[]);
        if nth % 100 == 99 {
            table.end_block();
            most = most.max(table.streams.first().map_or(0, |streams| streams.bytes()));
        }
    }
    (table, most)
}

const WAITING: usize = 1 << 20;

/// Streams with room for two pieces of each part.
const LITTLE: Limits = Limits {
    direct: 100,
    direct_of_long: 100,
    waiting: WAITING,
    waiting_most: usize::MAX,
};

#[test]
fn memory_follows_groups_and_not_rows() {
    let rows = 600_000;
    let (mut table, most) = filled(LITTLE, rows, |nth| {
        format!("{:020}", nth * nth % 10_007 % 4000)
    });
    // A part with as many bytes as may wait, and one piece more, before it settles; and all groups.
    assert!(most < 2 * WAITING + 4000 * 29, "{most} bytes");
    let groups = groups(&mut table);
    assert_eq!(groups.values().map(|(rows, _)| rows).sum::<u64>(), rows);
}

/// One key in nine of ten rows, and others once each: its rows settle, and the others' wait.
#[test]
fn a_frequent_key_takes_no_memory_beside_rare_ones() {
    let rows = 600_000;
    let key = |nth| match nth % 10 {
        0 => format!("{nth:020}"),
        _ => "frequent".to_owned(),
    };
    let (mut table, most) = filled(LITTLE, rows, key);
    let rare = rows as usize / 10 * 29;
    assert!(most < 2 * WAITING + 2 * rare, "{most} bytes");
    assert_eq!(groups(&mut table)[&b"frequent"[..]].0, rows / 10 * 9);
}

/// Grouping keys that differ saves nothing, so it is tried in a few parts only.
#[test]
fn keys_that_differ_wait_until_the_end() {
    let (mut table, _) = filled(LITTLE, 300_000, |nth| format!("{nth:020}"));
    let settled = table.streams[0].settled_groups();
    assert!(settled < 30_000, "{settled} groups");
    assert_eq!(groups(&mut table).len(), 300_000);
    let most = Limits {
        waiting_most: WAITING,
        ..LITTLE
    };
    let (table, _) = filled(most, 300_000, |nth| format!("{nth:020}"));
    let settled = table.streams[0].settled_groups();
    assert!(settled > 150_000, "{settled} groups are known too late");
}

/// A key of digits takes eight bytes, and one that was counted as many more.
#[test]
fn keys_of_digits_take_little_memory() {
    let rows = 600_000;
    let key = |nth| format!("{:019}", nth * nth % 10_007 % 4000);
    let (mut table, most) = filled(LITTLE, rows, key);
    assert!(most < 2 * WAITING + 4000 * 16, "{most} bytes");
    assert_eq!(
        groups(&mut table)
            .values()
            .map(|(rows, _)| rows)
            .sum::<u64>(),
        rows
    );
    let (mut table, most) = filled(LITTLE, rows, |nth| format!("{nth:019}"));
    assert!(
        most < rows as usize * 8 + rows as usize / 10 * 8,
        "{most} bytes"
    );
    assert_eq!(groups(&mut table).len(), rows as usize);
}

/// Long keys stay in a table of their own for longer.
#[test]
fn long_keys_are_looked_up_rather_than_copied() {
    let limits = Limits {
        direct_of_long: 1000,
        ..LITTLE
    };
    let key = |keys: u64, length: usize| {
        move |nth: u64| format!("{:0length$}", nth * nth % 10_007 % keys)
    };
    let (mut table, _) = filled(limits, 50_000, key(900, 200));
    assert!(table.streams.is_empty());
    assert!(groups(&mut table).len() <= 900);
    assert_eq!(filled(limits, 50_000, key(900, 40)).0.streams.len(), 1);
    assert_eq!(filled(limits, 50_000, key(2000, 200)).0.streams.len(), 1);
}

/// Keys that are too long for entries of streams are known at once.
#[test]
fn very_long_keys_are_counted() {
    let mut table: Table<u64> = Table::new(RandomState::new(), Front::All, 0, LIMITS[1]);
    let mut counted = 0;
    for nth in 0..2000 {
        table.add(Cell::from(format!("{:0300}", nth / 2).as_bytes()), &[]);
        if nth % 100 == 99 {
            counted = table.end_block();
        }
    }
    assert!((800..=1000).contains(&counted), "{counted} of 1000");
}

/// Keys with long beginnings in common, and keys that are such beginnings.
#[test]
fn groups_that_are_written_down_are_read_again() {
    let mut table: Table<u64> = Table::new(RandomState::new(), Front::All, 0, NONE);
    let longer = (0..3000).map(|nth| format!("{}{nth}", "x".repeat(120 + nth % 20)));
    let keys: Vec<_> = (0..300)
        .map(|length| "x".repeat(length))
        .chain(longer)
        .collect();
    keys.iter()
        .for_each(|key| table.add(Cell::from(key.as_bytes()), &[]));
    let mut state = Vec::new();
    table.store(&mut state);
    let state = Arc::new(state);
    let (mut read, mut reader) = (table.alike(), Reader(&state));
    assert_eq!(read.load(0, &state, &mut reader), Ok(keys.len() as u64));
    assert_eq!(reader.end(), Ok(()));
    assert!(groups(&mut read) == groups(&mut table));
}

/// Otherwise a megabyte whose keys have a long beginning in common would be many gigabytes of keys.
#[test]
fn keys_share_few_bytes() {
    let first = "x".repeat(200);
    let partition = partition_of(first.as_bytes());
    let mut others = (0..).map(|nth| format!("{}y{nth}", &first[..128]));
    let other = others.find(|other| partition_of(other.as_bytes()) == partition);
    let other = other.unwrap();
    for (shared, rows) in [(126, Err(Damaged)), (127, Ok(2)), (128, Err(Damaged))] {
        let mut group = Vec::new();
        for (shared, key) in [(0, &first), (shared, &other)] {
            group.put_number(shared as u64);
            group.put_bytes(&key.as_bytes()[shared..]);
            group.put_number(1);
        }
        let mut state = Vec::new();
        for nth in 0..PARTITIONS {
            let (groups, bytes) = if nth == partition {
                (2, group.len())
            } else {
                (0, 0)
            };
            state.put_number(groups);
            state.put_number(bytes as u64);
        }
        state.extend(group);
        let state = Arc::new(state);
        let mut table: Table<u64> = Table::new(RandomState::new(), Front::All, 0, NONE);
        assert_eq!(
            table.load(0, &state, &mut Reader(&state)),
            rows,
            "{shared} shared"
        );
    }
}
