//! Columns of exports, and functions of them.

/// Expressions of SQL with an `@` in the place of their column, and the number of the column, from one on. No expression is a column as it stands.
pub const KEYS: [(&str, usize); 28] = [
    ("", 1),
    ("", 2),
    ("", 3),
    ("", 4),
    ("", 5),
    ("", 6),
    ("", 7),
    ("", 8),
    ("", 9),
    ("", 10),
    ("", 11),
    ("", 12),
    ("", 13),
    ("", 14),
    ("", 15),
    ("", 16),
    ("", 17),
    ("", 18),
    ("", 19),
    ("", 20),
    ("", 21),
    ("zip5(@)", 11),
    ("first_name(@)", 8),
    ("first_name(@)", 20),
    ("last_name(@)", 8),
    ("last_name(@)", 9),
    ("last_name(@)", 1),
    ("date_trunc('year', @)", 14),
];

/// Returns different keys that `picks` choose, the first always.
pub fn keys(picks: &[u8]) -> Vec<(&'static str, usize)> {
    let mut keys = Vec::new();
    for (nth, &pick) in picks.iter().enumerate() {
        let key = KEYS.get(usize::from(pick) % (2 * KEYS.len())).copied();
        let key = key.or((nth == 0).then(|| KEYS[usize::from(pick) % KEYS.len()]));
        keys.extend(key.filter(|key| !keys.contains(key)));
    }
    keys
}
