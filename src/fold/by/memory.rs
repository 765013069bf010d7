//! How many groups memory has room for.

use std::fs;

/// The bytes of a group with a key of usual length: in the tables of a worker or two, and in the result.
const GROUP_BYTES: u64 = 200;

/// The bytes taken to be available where the system does not tell.
const UNKNOWN: u64 = 8 << 30;

/// Returns the number of groups that available memory has room for.
pub(super) fn max_groups() -> u64 {
    available() / GROUP_BYTES
}

/// Returns the bytes of memory that this process may still take. Its control group may allow less than the
/// system has.
fn available() -> u64 {
    let system = fs::read_to_string("/proc/meminfo");
    let system = system.ok().and_then(|text| available_in(&text));
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let most = number("/sys/fs/cgroup/memory.max");
    let used = number("/sys/fs/cgroup/memory.current");
    let group = most.map(|most| most.saturating_sub(used.unwrap_or(0)));
    let known = [system, group].into_iter().flatten();
    known.min().unwrap_or(UNKNOWN)
}

/// Returns the bytes of `MemAvailable` in the text of /proc/meminfo.
fn available_in(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_one_line_of_many() {
        let text = "MemTotal:       24684272 kB\nMemFree: 1 kB\nMemAvailable:   23801144 kB\n";
        assert_eq!(available_in(text), Some(23_801_144 * 1024));
        assert_eq!(available_in("MemFree: 1 kB\n"), None);
        assert!(max_groups() > 1000);
    }
}
