//! Partials of ranges at any bytes, and partials that lie.

use std::path::Path;
use std::sync::LazyLock;

use fecscan::fold::StoredFold;
use twox_hash::XxHash3_128;

use crate::choices;
use crate::memory_file::MemoryFile;
use crate::partials_of::{Command, Way, by, count, report};

/// The bytes of a hash at the end of a partial.
const HASH_BYTES: usize = 16;

/// Cuts a file of `data` at three places, and compares what the partials merge to with one run.
pub fn ranges(data: &[u8]) {
    let ([command, task, threads, a, b, c, d, e], bytes) = choices(data);
    if !crate::is_text(bytes) {
        return;
    }
    let file = MemoryFile::new(bytes);
    let way = Way {
        threads: if threads == 255 { 2 } else { 1 },
        task_bytes: 1 + u64::from(task),
        filter: [None, Some("STATE=CA"), Some("NAME~A")][usize::from(command / 3 % 3)],
    };
    let at = |high: u8, low: u8| u64::from(u16::from_be_bytes([high, low])) % (bytes.len() as u64 + 3);
    let mut cuts = [at(a, b), at(c, d), at(c, d) + u64::from(e % 4)];
    cuts.sort_unstable();
    let path = &file.path;
    match command % 3 {
        0 => count().assert_merges(path.as_ref(), &cuts, way),
        1 => report().assert_merges(path.as_ref(), &cuts, way),
        _ => by().assert_merges(path.as_ref(), &cuts, way),
    }
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

fn halves<F: StoredFold>(command: &Command<F>) -> Halves {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/plain.txt"));
    Halves {
        partials: [0..700, 700..u64::MAX].map(|range| command.partial(path, range, WAY)),
        whole: command.whole(path, WAY),
    }
}

/// Changes a partial as `data` says, gives it a hash that fits, and merges it. Whatever it says, nothing panics. If
/// nothing was changed, the result is that of one run.
pub fn partial(data: &[u8]) {
    static COUNT: LazyLock<Halves> = LazyLock::new(|| halves(&count()));
    static REPORT: LazyLock<Halves> = LazyLock::new(|| halves(&report()));
    static BY: LazyLock<Halves> = LazyLock::new(|| halves(&by()));
    let ([command], changes) = choices(data);
    match command % 3 {
        0 => merge_changed(&count(), &COUNT, changes),
        1 => merge_changed(&report(), &REPORT, changes),
        _ => merge_changed(&by(), &BY, changes),
    }
}

fn merge_changed<F: StoredFold>(command: &Command<F>, halves: &Halves, changes: &[u8]) {
    let [first, second] = &halves.partials;
    let content = &first[..first.len() - HASH_BYTES];
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
    let hash = XxHash3_128::oneshot(&changed);
    changed.extend_from_slice(&hash.to_le_bytes());
    let merged = command.merge(&[changed, second.clone()], WAY);
    if !is_changed {
        assert!(merged.is_ok_and(|merged| merged == halves.whole));
    }
}
