//! Measures the available memory, and how much of it groups have taken.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The bytes taken to be available where the system does not tell.
const UNKNOWN: u64 = 8 << 30;

/// The chunks from one look at the memory of the process to the next: 16 MiB of input. With a look after each chunk, ten million
/// names took 1.09 of the time.
const CHUNKS_A_LOOK: u32 = 8;

/// The growth of this process since a moment: the tables of all workers, keys of any length, and rows that wait.
#[derive(Debug)]
pub(crate) struct Watch {
    /// The most bytes of growth.
    pub(crate) allowed: u64,
    /// The bytes of the process at the start.
    pub(crate) before: u64,
    /// The chunks of all workers since then.
    pub(crate) chunks: AtomicU32,
}

impl Watch {
    /// Begins to watch. The process may grow by the available memory, and by at least `least` bytes. None on systems
    /// without /proc.
    pub(crate) fn begin(least: u64) -> Option<Watch> {
        Some(Watch {
            allowed: available().max(least),
            before: Process::now()?.own,
            chunks: AtomicU32::new(0),
        })
    }

    /// Counts a chunk. Returns whether it is time to look at the memory of the process.
    pub(crate) fn is_due(&self) -> bool {
        self.chunks
            .fetch_add(1, Relaxed)
            .is_multiple_of(CHUNKS_A_LOOK)
    }

    /// Returns whether the process has taken more than a share of the allowed memory: `part` of `whole`.
    pub(crate) fn has_taken(&self, part: u64, whole: u64) -> bool {
        let Some(now) = Process::now() else {
            return false;
        };
        let taken = now.own.saturating_sub(self.before);
        let left = self.allowed.saturating_sub(taken);
        let left = left.min(now.addresses_left);
        taken / part > left / (whole - part)
    }
}

/// The memory of this process.
struct Process {
    /// Its bytes of memory, without mapped files.
    own: u64,
    /// The bytes of addresses that `ulimit -v` leaves.
    addresses_left: u64,
}

impl Process {
    fn now() -> Option<Process> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
        let addresses = kilobytes_in(&status, "VmSize:").unwrap_or(0);
        Some(Process {
            own: kilobytes_in(&status, "RssAnon:")?,
            addresses_left: addresses_in(&limits).saturating_sub(addresses),
        })
    }
}

/// Returns the bytes of memory that this process may still take. Its control groups may allow less than the system has.
pub(crate) fn available() -> u64 {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let system = kilobytes_in(&read("/proc/meminfo"), "MemAvailable:");
    let groups = left_in_groups(&read("/proc/self/cgroup"), Path::new("/sys/fs/cgroup"));
    let addresses = Process::now().map(|now| now.addresses_left);
    let known = [system, groups, addresses].into_iter().flatten();
    known.min().unwrap_or(UNKNOWN)
}

/// Returns the least memory left in the control groups of the process and in all groups around them. `text` is
/// /proc/self/cgroup, and `root` is where the groups are mounted.
///
/// A container may show paths of its host. These are missing here, and `root` itself is the container's group.
fn left_in_groups(text: &str, root: &Path) -> Option<u64> {
    let groups = text.lines().filter_map(|line| {
        let (_, line) = line.split_once(':')?;
        let (controllers, path) = line.split_once(':')?;
        let mounts: &[&str] = match controllers {
            "" => &["", "unified"],
            _ if controllers.split(',').any(|name| name == "memory") => &["memory"],
            _ => &[],
        };
        Some((mounts, path.trim_start_matches('/')))
    });
    let left = groups.flat_map(|(mounts, path)| {
        let folders = Path::new(path).ancestors();
        folders.flat_map(|folder| {
            mounts
                .iter()
                .map(move |mount| root.join(mount).join(folder))
        })
    });
    left.filter_map(|folder| left_in_group(&folder)).min()
}

/// Returns the memory left in a control group. The system takes pages of files back, so they count as left.
fn left_in_group(folder: &Path) -> Option<u64> {
    let read = |name| fs::read_to_string(folder.join(name));
    let number = |name| read(name).ok()?.trim().parse::<u64>().ok();
    let limits = ["memory.max", "memory.high", "memory.limit_in_bytes"];
    let most = limits.into_iter().filter_map(number).min()?;
    let used = number("memory.current").or_else(|| number("memory.usage_in_bytes"))?;
    let stat = read("memory.stat").unwrap_or_default();
    // In cgroups v1, only names with a prefix include the groups inside.
    let prefix = if stat.contains("\ntotal_") {
        "total_"
    } else {
        ""
    };
    let pages = |name: &&str| {
        let line = stat
            .lines()
            .find_map(|line| line.strip_prefix(prefix)?.strip_prefix(*name));
        line?.trim().parse::<u64>().ok()
    };
    let of_files: u64 = ["active_file ", "inactive_file "]
        .iter()
        .filter_map(pages)
        .sum();
    Some(most.saturating_sub(used.saturating_sub(of_files)))
}

/// Returns the bytes of the line that begins with `name`: such lines are in /proc/meminfo and /proc/self/status.
fn kilobytes_in(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// Returns the most bytes of addresses in the text of /proc/self/limits.
fn addresses_in(text: &str) -> u64 {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"));
    let most = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    most.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_one_line_of_many() {
        let text = "MemTotal:       24684272 kB\nMemFree: 1 kB\nMemAvailable:   23801144 kB\n";
        assert_eq!(kilobytes_in(text, "MemAvailable:"), Some(23_801_144 * 1024));
        assert_eq!(kilobytes_in("MemFree: 1 kB\n", "MemAvailable:"), None);
        assert!(available() > 200_000);
        let limit =
            |most| format!("Limit  Soft  Hard  Units\nMax address space {most} unlimited bytes\n");
        assert_eq!(addresses_in(&limit("1073741824")), 1 << 30);
        assert_eq!(addresses_in(&limit("unlimited")), u64::MAX);
    }

    /// Writes files of a control group.
    fn write(folder: &Path, files: &[(&str, &str)]) {
        fs::create_dir_all(folder).unwrap();
        for (name, text) in files {
            fs::write(folder.join(name), text).unwrap();
        }
    }

    #[test]
    fn the_narrowest_of_nested_control_groups_counts() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let left = |text| left_in_groups(text, root);
        assert_eq!(left("0::/a/b\n"), None);
        let unlimited = [("memory.max", "max\n"), ("memory.current", "50\n")];
        write(&root.join("a/b"), &unlimited);
        assert_eq!(left("0::/a/b\n"), None);
        let stat = "anon 30\nfile 70\nactive_file 20\ninactive_file 45\n";
        let limits = [
            ("memory.max", "1000\n"),
            ("memory.current", "400\n"),
            ("memory.stat", stat),
        ];
        write(&root.join("a"), &limits);
        assert_eq!(left("0::/a/b\n"), Some(665));
        write(&root.join("a/b"), &[("memory.high", "300")]);
        assert_eq!(left("0::/a/b\n"), Some(250));
        // A path outside of the container.
        write(root, &[("memory.max", "90"), ("memory.current", "100")]);
        assert_eq!(left("0::/elsewhere/c\n"), Some(0));

        let older = root.join("memory/x/y");
        let limits = [
            ("memory.limit_in_bytes", "77"),
            ("memory.usage_in_bytes", "60"),
        ];
        write(&older, &limits);
        let stat = "active_file 1\ninactive_file 1\ntotal_active_file 10\ntotal_inactive_file 20\n";
        write(&older, &[("memory.stat", stat)]);
        let text = "4:cpu,memory:/x/y/z\n3:cpuset:/a\n";
        assert_eq!(left(text), Some(47));
    }

    #[test]
    fn memory_that_is_taken_is_noticed() {
        let watch = |allowed| Watch {
            allowed,
            before: 0,
            chunks: AtomicU32::new(0),
        };
        if let Some(now) = Process::now() {
            assert!(watch(now.own).has_taken(1, 2));
            assert!(!watch(u64::MAX).has_taken(1, 2));
        }
    }
}
