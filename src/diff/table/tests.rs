//! Tables of few entries and of many, and keys of several rows.

use std::num::NonZeroUsize;

use super::*;

fn table(entries: &[Entry<2>]) -> Table<2> {
    let mut lists = Lists::default();
    // Lists of many workers.
    for some in entries.chunks(700) {
        let mut more = Lists::default();
        some.iter().for_each(|entry| more.push(*entry));
        lists.merge(more);
    }
    Table::new(lists, &Workers::new(NonZeroUsize::MIN))
}

/// Looks up entries as a worker does. Returns how many are added, changed and equal, and how many keys were marked twice.
fn look_up(table: &Table<2>, entries: &[Entry<2>]) -> [u64; 4] {
    let mut waiting = Waiting::default();
    let mut added = Lists::default();
    let mut counts = Counts::default();
    for &entry in entries {
        waiting.push(entry, table, &mut added, &mut counts);
    }
    waiting.flush(table, &mut added, &mut counts);
    let listed: usize = added.0.iter().flatten().map(Vec::len).sum();
    assert_eq!(listed as u64, counts.added);
    [
        counts.added,
        counts.changed,
        counts.equal,
        counts.double_keys,
    ]
}

fn is_same(table: &Table<2>, entry: &Entry<2>) -> bool {
    table.find(entry).unwrap().0
}

#[test]
fn keys_are_found_whatever_their_number() {
    for keys in [0, 1, 5, 3000, 40_000_u64] {
        let hash = |key: u64| key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let entries: Vec<_> = (0..keys).map(|n| [hash(n), n]).collect();
        let table = table(&entries);
        let has_second = |entry: &Entry<2>| table.find(entry).unwrap().1.has_second();
        for entry in &entries {
            assert!(is_same(&table, entry) && !table.is_double(entry));
            assert!(!is_same(&table, &[entry[0], entry[1] + 1]));
        }
        assert_eq!(look_up(&table, &entries), [0, 0, keys, 0]);
        assert!(!entries.iter().any(has_second));
        let changed: Vec<_> = entries.iter().map(|[key, n]| [*key, n + 1]).collect();
        assert_eq!(look_up(&table, &changed), [0, keys, 0, keys]);
        assert!(entries.iter().all(has_second));
        assert_eq!(look_up(&table, &entries), [0, 0, keys, 0]);
        assert!(table.find(&[hash(keys), 0]).is_none());
        assert_eq!(look_up(&table, &[[hash(keys), 0]]), [1, 0, 0, 0]);
        assert_eq!(
            table.sums(&Workers::new(NonZeroUsize::MIN)),
            Sums::default()
        );
    }
}

#[test]
fn keys_may_have_many_rows() {
    let entries: Vec<_> = (0..30_000).map(|n| [(n % 3) << 62, n]).collect();
    let table = table(&entries);
    for entry in &entries {
        assert!(is_same(&table, entry));
    }
    let entry = [1 << 62, 0];
    assert!(!is_same(&table, &entry) && table.is_double(&entry));
    assert_eq!(look_up(&table, &[entry]), [0, 1, 0, 0]);
    let sums = Sums {
        unmarked: 20_000,
        doubles: 3,
    };
    assert_eq!(table.sums(&Workers::new(NonZeroUsize::MIN)), sums);
}
