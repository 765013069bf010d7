//! Partials of ranges at any bytes, and partials that lie.

use std::path::Path;
use std::sync::LazyLock;

use twox_hash::XxHash3_128;

use crate::choices;
use crate::common::by::By;
use crate::common::forged::{self, Asked};
use crate::common::memory_file::MemoryFile;
use crate::common::partials::{Command, Way, by, count, report};

/// The bytes of a hash at the end of a partial.
const HASH_BYTES: usize = 16;

/// Cuts a file of `data` at up to six places, and compares what the partials merge to with one run.
pub fn ranges(data: &[u8]) {
    let ([command, task, threads, count_of_cuts, places @ ..], bytes) = choices::<16>(data);
    if !crate::is_text(bytes) {
        return;
    }
    let file = MemoryFile::new(bytes);
    let way = Way {
        threads: if threads == 255 { 2 } else { 1 },
        task_bytes: 1 + u64::from(task),
        filter: FILTERS[usize::from(command / 8) % FILTERS.len()],
    };
    let at = |[high, low]: &[u8; 2]| {
        u64::from(u16::from_be_bytes([*high, *low])) % (bytes.len() as u64 + 3)
    };
    let places = places.as_chunks().0.iter().map(at);
    let mut cuts: Vec<_> = places.take(usize::from(count_of_cuts) % 7).collect();
    cuts.sort_unstable();
    let path = file.path.as_ref();
    match command % 6 {
        0 => count().assert_merges(path, &cuts, way),
        1 => report().assert_merges(path, &cuts, way),
        2 => by().assert_merges(path, &cuts, way),
        3 => grouped(0).assert_merges(path, &cuts, way),
        4 => grouped(1).assert_merges(path, &cuts, way),
        _ => grouped(2).assert_merges(path, &cuts, way),
    }
}

const FILTERS: [Option<&str>; 4] = [
    None,
    Some("STATE = 'CA'"),
    Some("NAME ~ 'A'"),
    Some("amount >= 50"),
];

/// Keys, aggregates, and how many groups are shown, of more questions of `by`.
const GROUPINGS: [(&str, &str, Option<usize>); 3] = [
    (
        "NAME",
        "sum(amount), avg(amount), arg_max(CITY, amount)",
        Some(3),
    ),
    (
        "zip5(zip), last_name(name), date",
        "count(DISTINCT SUB_ID), min(amount), count(DISTINCT state), max(NAME)",
        None,
    ),
    (
        "left(IMAGE_NUM, 4)",
        "min(date), count(DISTINCT CMTE_ID), median(amount)",
        None,
    ),
];

/// Returns one of them.
fn grouped(nth: usize) -> By {
    let (keys, aggregates, top) = GROUPINGS[nth];
    By::new(keys, aggregates).sorted("", top)
}

const WAY: Way = Way {
    threads: 1,
    task_bytes: 4096,
    filter: None,
};

/// Two partials of a fixture, and the result.
struct Halves {
    partials: [Vec<u8>; 2],
    whole: Vec<u8>,
}

fn halves(command: &impl Command) -> Halves {
    let path = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../fixtures/plain.txt"
    ));
    Halves {
        partials: [0..700, 700..u64::MAX].map(|range| command.partial(path, range, WAY)),
        whole: command.whole(path, WAY),
    }
}

/// Merges a partial whose header `data` forges: any JSON, with a hash that fits. Nothing panics.
fn forged_header(data: &[u8]) {
    static ASKED: LazyLock<Vec<Asked>> = LazyLock::new(|| {
        // The partials name files in the folder, which stays.
        let folder = tempfile::tempdir().unwrap().keep();
        forged::every_question(&folder)
    });
    let ([which], choices) = choices(data);
    let asked = &ASKED[usize::from(which) % ASKED.len()];
    let choices = choices.as_chunks().0.iter();
    let choices: Vec<_> = choices.map(|&pair| u16::from_be_bytes(pair)).collect();
    let _ = forged::answer(&forged::forged(asked, &choices));
}

/// Merges a partial that `data` changes, with a hash that fits or the old one. Nothing panics, and the old hash is
/// refused. An unchanged partial merges to the result of one run.
pub fn partial(data: &[u8]) {
    static COUNT: LazyLock<Halves> = LazyLock::new(|| halves(&count()));
    static REPORT: LazyLock<Halves> = LazyLock::new(|| halves(&report()));
    static BY: LazyLock<Halves> = LazyLock::new(|| halves(&by()));
    static GROUPED: LazyLock<Halves> = LazyLock::new(|| halves(&grouped(1)));
    let ([kind, command], changes) = choices(data);
    if kind % 2 == 1 {
        return forged_header(changes);
    }
    let hash = if command < 224 {
        Hash::Fits
    } else {
        Hash::Stays
    };
    match command % 4 {
        0 => merge_changed(&count(), &COUNT, changes, hash),
        1 => merge_changed(&report(), &REPORT, changes, hash),
        2 => merge_changed(&by(), &BY, changes, hash),
        _ => merge_changed(&grouped(1), &GROUPED, changes, hash),
    }
}

/// The hash of a changed partial.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hash {
    /// The hash of the new bytes.
    Fits,
    /// The hash of the bytes before the change.
    Stays,
}

fn merge_changed(command: &impl Command, halves: &Halves, changes: &[u8], hash: Hash) {
    let [first, second] = &halves.partials;
    let (content, old_hash) = first.split_at(first.len() - HASH_BYTES);
    let mut changed = content.to_vec();
    for &[high, low, what, value] in changes.as_chunks().0 {
        let place = usize::from(u16::from_be_bytes([high, low])) % changed.len();
        match what % 4 {
            0 => changed[place] = value,
            1 => changed[place] ^= 1 << (value % 8),
            2 => changed.insert(place, value),
            _ if changed.len() > 1 => drop(changed.remove(place)),
            _ => {}
        }
    }
    let is_changed = changed != content;
    match hash {
        Hash::Fits => {
            let hash = XxHash3_128::oneshot(&changed);
            changed.extend_from_slice(&hash.to_le_bytes());
        }
        Hash::Stays => changed.extend_from_slice(old_hash),
    }
    let merged = command.merge(&[changed, second.clone()], WAY);
    if !is_changed {
        assert!(merged.is_ok_and(|merged| merged == halves.whole));
    } else if hash == Hash::Stays {
        assert!(merged.is_err(), "a damaged partial is merged");
    }
}
