//! Tables against an ordinary map: all lengths of keys, all ways of keeping them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::partitions::Partitions;
use super::stored::stored_partition_of;
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

/// A table of sums of one column, or of no numbers.
fn table(random: &RandomState, columns: usize, limits: Limits) -> Table {
    let kept: Vec<_> = (0..columns)
        .map(|column| (States::Total(Vec::new()), column))
        .collect();
    Table::new(random.clone(), &kept, columns, limits)
}

/// Adds a row. The haystack goes on after its key by some bytes.
fn add(table: &mut Table, key: &[u8], behind: usize, numbers: &[i64]) {
    let haystack = [key, &[b'|'; 40][..behind]].concat();
    let mut keys = Vector::new(&haystack);
    keys.set(0, [0, key.len() as u32]);
    let numbers: Vec<_> = numbers.iter().map(|&number| [number; ROWS]).collect();
    table.add(&keys, 1, &numbers);
}

const NONE: Limits = Limits {
    near: usize::MAX,
    near_of_long: usize::MAX,
    compact_above: usize::MAX,
    compact_above_most: usize::MAX,
};

/// Limits that make a table stay direct, stream, and stream with rows that compact over and over.
const LIMITS: [Limits; 3] = [
    NONE,
    Limits {
        near: 100,
        near_of_long: 100,
        ..NONE
    },
    Limits {
        near: 100,
        near_of_long: 100,
        compact_above: 0,
        compact_above_most: 0,
    },
];

/// The rows of each group, and the values of its states.
type Known = BTreeMap<Vec<u8>, (u64, Vec<Option<i128>>)>;

fn groups(table: &Table, states: usize) -> Known {
    let parts = table.each_part(|part| {
        let groups = part.keys.iter().enumerate().map(|(nth, key)| {
            let values = (0..states).map(|state| part.totals.value(state, nth));
            (key.to_vec(), (part.totals.rows(nth), values.collect()))
        });
        groups.collect::<Vec<_>>()
    });
    let all: Vec<_> = parts.into_iter().flatten().collect();
    let count = all.len();
    let map: Known = all.into_iter().collect();
    assert_eq!(map.len(), count, "a key has two groups");
    map
}

#[test]
fn groups_are_those_of_a_map_however_they_are_kept() {
    for (nth, one) in LIMITS.into_iter().enumerate() {
        for other in &LIMITS[nth..] {
            let random = RandomState::new();
            let mut expected = Known::new();
            let mut tables = [one, *other].map(|limits| table(&random, 1, limits));
            let all = (0..20).flat_map(|_| keys(3000)).chain(keys(5000));
            for (nth, key) in all.enumerate() {
                let value = match nth % 7 {
                    0 => NO_NUMBER,
                    _ => nth as i64 - 4000,
                };
                let group = expected.entry(key.clone()).or_insert((0, vec![None]));
                group.0 += 1;
                if value != NO_NUMBER {
                    group.1 = vec![Some(group.1[0].unwrap_or(0) + i128::from(value))];
                }
                let table = &mut tables[nth % 5 % 2];
                add(table, &key, nth % 3 * 20, &[value]);
                if nth % 85 == 0 {
                    table.end_block();
                }
            }
            let [mut into, from] = tables;
            into.merge(from);
            assert!(groups(&into, 1) == expected);
        }
    }
}

/// Rows of more values than a piece of the arena has room for, too.
#[test]
fn entries_of_any_size_are_kept() {
    for values in [0, 1, 2, 100, 126, 127, 128, 200] {
        for limits in LIMITS {
            let mut table = table(&RandomState::new(), values, limits);
            let row: Vec<i64> = (1..).take(values).collect();
            for nth in 0..1500 {
                let key = ["", "N"][nth % 2].to_owned() + &(nth % 300).to_string();
                add(&mut table, key.as_bytes(), 0, &row);
                if nth % 10 == 9 {
                    table.end_block();
                }
            }
            let groups = groups(&table, values);
            assert_eq!(groups.len(), 300);
            let sums = row.iter().map(|value| Some(5 * i128::from(*value)));
            let expected = (5, sums.collect());
            assert!(
                groups.values().all(|group| *group == expected),
                "{values} values"
            );
        }
    }
}

#[test]
fn keys_are_counted_by_their_front() {
    for limits in LIMITS {
        let random = RandomState::new();
        let mut table = table(&random, 0, limits);
        let mut expected: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for nth in 0..3000 {
            let front = format!("{}\n{}", nth % 7, "y".repeat(nth % 5 * 20));
            let key = format!("{front}\n{}", nth % 600);
            expected.entry(front).or_default().insert(nth % 600);
            add(&mut table, key.as_bytes(), 0, &[]);
            if nth % 100 == 99 {
                table.end_block();
            }
        }
        let counts = DistinctCounts::of(&table);
        for (front, values) in expected {
            assert_eq!(
                counts.get(Cell::from(front.as_bytes())),
                values.len() as u64,
                "{front}"
            );
        }
        assert_eq!(counts.get(Cell::from(&b"8\n"[..])), 0);
    }
}

/// The partitions of a table that has gone over to them.
fn partitions(table: &Table) -> Option<&Partitions> {
    match &table.mode {
        Mode::Partitioned(workers) => workers.first(),
        _ => None,
    }
}

/// A table that takes `rows` rows with these keys, and the most bytes of its streams on the way.
fn filled(limits: Limits, rows: u64, key: impl Fn(u64) -> String) -> (Table, usize) {
    let mut table = table(&RandomState::new(), 0, limits);
    let mut most = 0;
    for nth in 0..rows {
        add(&mut table, key(nth).as_bytes(), 40, &[]);
        if nth % 100 == 99 {
            table.end_block();
            most = most.max(partitions(&table).map_or(0, Partitions::bytes));
        }
    }
    (table, most)
}

const WAITING: usize = 1 << 20;

/// Streams with room for two pieces of each part.
const LITTLE: Limits = Limits {
    near: 100,
    near_of_long: 100,
    compact_above: WAITING,
    compact_above_most: usize::MAX,
};

#[test]
fn memory_follows_groups_and_not_rows() {
    let rows = 600_000;
    let (table, most) = filled(LITTLE, rows, |nth| {
        format!("{:020}", nth * nth % 10_007 % 4000)
    });
    // A part with as many bytes as may wait, and one piece more, before it is compacted; and all groups.
    assert!(most < 2 * WAITING + 4000 * 29, "{most} bytes");
    let groups = groups(&table, 0);
    assert_eq!(groups.values().map(|(rows, _)| rows).sum::<u64>(), rows);
}

/// One key in nine of ten rows, and others once each: its rows compact, and the others' wait.
#[test]
fn a_frequent_key_takes_no_memory_beside_rare_ones() {
    let rows = 600_000;
    let key = |nth| match nth % 10 {
        0 => format!("{nth:020}"),
        _ => "frequent".to_owned(),
    };
    let (table, most) = filled(LITTLE, rows, key);
    let rare = rows as usize / 10 * 29;
    assert!(most < 2 * WAITING + 2 * rare, "{most} bytes");
    assert_eq!(groups(&table, 0)[&b"frequent"[..]].0, rows / 10 * 9);
}

/// Grouping keys that differ saves nothing, so it is tried in a few parts only.
#[test]
fn keys_that_differ_wait_until_the_end() {
    let (table, _) = filled(LITTLE, 300_000, |nth| format!("{nth:020}"));
    let compacted = partitions(&table).unwrap().compacted;
    assert!(compacted < 30_000, "{compacted} groups");
    assert_eq!(groups(&table, 0).len(), 300_000);
    let most = Limits {
        compact_above_most: WAITING,
        ..LITTLE
    };
    let (table, _) = filled(most, 300_000, |nth| format!("{nth:020}"));
    let compacted = partitions(&table).unwrap().compacted;
    assert!(compacted > 150_000, "{compacted} groups are known too late");
}

/// Long keys stay in a table of their own for longer.
#[test]
fn long_keys_are_looked_up_rather_than_copied() {
    let limits = Limits {
        near_of_long: 1000,
        ..LITTLE
    };
    let key = |keys: u64, length: usize| {
        move |nth: u64| format!("{:0length$}", nth * nth % 10_007 % keys)
    };
    let (table, _) = filled(limits, 50_000, key(900, 200));
    assert!(partitions(&table).is_none());
    assert!(groups(&table, 0).len() <= 900);
    assert!(partitions(&filled(limits, 50_000, key(900, 40)).0).is_some());
    assert!(partitions(&filled(limits, 50_000, key(2000, 200)).0).is_some());
}

/// Keys that are too long for entries compact like others.
#[test]
fn very_long_keys_are_counted() {
    let mut table = table(&RandomState::new(), 0, LIMITS[2]);
    let mut counted = 0;
    for nth in 0..2000 {
        add(&mut table, format!("{:0300}", nth / 2).as_bytes(), 0, &[]);
        if nth % 100 == 99 {
            counted = table.end_block();
        }
    }
    assert!((800..=1000).contains(&counted), "{counted} of 1000");
    assert!(groups(&table, 0).values().all(|(rows, _)| *rows == 2));
}

/// Keys with long beginnings in common, and keys that are such beginnings.
#[test]
fn groups_that_are_written_down_are_read_again() {
    let random = RandomState::new();
    let [mut table, mut read] = [(); 2].map(|()| table(&random, 0, NONE));
    let longer = (0..3000).map(|nth| format!("{}{nth}", "x".repeat(120 + nth % 20)));
    let keys: Vec<_> = (0..300)
        .map(|length| "x".repeat(length))
        .chain(longer)
        .collect();
    keys.iter()
        .for_each(|key| add(&mut table, key.as_bytes(), 0, &[]));
    let mut state = Vec::new();
    table.store(&mut state);
    let state = Arc::new(state);
    let mut reader = Reader(&state);
    assert_eq!(
        read.load(&|_, _| true, &state, &mut reader),
        Ok(keys.len() as u64)
    );
    assert_eq!(reader.end(), Ok(()));
    assert!(groups(&read, 0) == groups(&table, 0));
}

/// Groups of rows and of partials never meet in one table.
#[test]
#[should_panic(expected = "partials have no rows")]
fn groups_of_partials_do_not_replace_those_of_rows() {
    let random = RandomState::new();
    let [mut rows, mut partial, mut read] = [(); 3].map(|()| table(&random, 0, NONE));
    add(&mut partial, b"key", 0, &[]);
    let mut state = Vec::new();
    partial.store(&mut state);
    let state = Arc::new(state);
    read.load(&|_, _| true, &state, &mut Reader(&state))
        .unwrap();
    rows.count(Cell::from(&b"other"[..]), 1);
    rows.merge(read);
}

/// Otherwise a megabyte whose keys have a long beginning in common would be many gigabytes of keys.
#[test]
fn keys_share_few_bytes() {
    let first = "x".repeat(200);
    let partition = stored_partition_of(first.as_bytes());
    let mut others = (0..).map(|nth| format!("{}y{nth}", &first[..128]));
    let other = others.find(|other| stored_partition_of(other.as_bytes()) == partition);
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
        let mut table = table(&RandomState::new(), 0, NONE);
        assert_eq!(
            table.load(&|_, _| true, &state, &mut Reader(&state)),
            rows,
            "{shared} shared"
        );
    }
}
