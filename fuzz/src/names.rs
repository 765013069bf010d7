//! Functions of columns, as the documentation words them.

/// Functions of columns, and columns from one on that they take. No function is a column as it stands.
pub const KEYS: [(&str, usize); 49] = [
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
    ("month", 5),
    ("month", 14),
    ("year", 5),
    ("year", 14),
    ("zip5", 11),
    ("first_name", 8),
    ("first_name", 20),
    ("last_name", 8),
    ("last_name", 9),
    ("last_name", 1),
    ("day", 14),
    ("day", 5),
    ("week", 14),
    ("week", 5),
    ("weekday", 14),
    ("quarter", 14),
    ("quarter", 5),
    ("zip3", 11),
    // As `called` of the twin writes them.
    ("upper(@)", 12),
    ("lower(@)", 9),
    ("trim(@)", 13),
    ("len(@)", 8),
    ("prefix(@,3)", 8),
    ("bin(@,0,200,500.5)", 15),
    ("upper(trim(@))", 12),
    ("bin(len(@),5,10)", 9),
    ("zip3(trim(@))", 11),
    ("month(trim(@))", 14),
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
