//! Names of columns and of functions of columns, as the documentation words them.

use std::sync::LazyLock;

use fecscan::fec::schema::Schema;
use regex::Regex;

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

/// Says whether keys call functions that [`key`] does not know, or one on what another makes, or have quotes.
pub fn is_beyond(text: &str) -> bool {
    static BEYOND: LazyLock<Regex> = LazyLock::new(|| {
        let functions = "day|week|quarter|weekday|zip3|upper|lower|trim|prefix|len|bin";
        let call = format!(r"(?-u:\b)({functions})(?-u:\s)*\(");
        Regex::new(&format!(r#"{call}|"|\([^)]*\("#)).unwrap()
    });
    BEYOND.is_match(&text.to_ascii_lowercase())
}

/// Splits a key into the name of its function and its column; nothing if it is wrong.
pub fn key(text: &str) -> Option<(&'static str, String)> {
    static CALL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?s)^([^(]*)\(([^()]*)\)$").unwrap());
    let text = text.trim();
    let (function, column) = match CALL.captures(text) {
        None if text.contains(['(', ')']) => return None,
        None => ("", text),
        Some(parts) => {
            let name = parts.get(1)?.as_str().trim().to_ascii_lowercase();
            let functions = ["month", "year", "zip5", "first_name", "last_name"];
            let known = functions.into_iter().find(|known| *known == name)?;
            (known, parts.get(2)?.as_str().trim())
        }
    };
    (!column.is_empty()).then(|| (function, column.to_owned()))
}

/// Returns the function and the number of the column, if the column has what the function takes.
pub fn place(function: &'static str, name: &str) -> Option<(&'static str, usize)> {
    let number = column(name)? + 1;
    let takes = match function {
        "" => true,
        "month" | "year" => [5, 14].contains(&number),
        "zip5" => number == 11,
        _ => ![5, 11, 14, 15].contains(&number),
    };
    takes.then_some((function, number))
}

/// Finds a column by its name, its alias, or its number from one, with or without `#`.
pub fn column(name: &str) -> Option<usize> {
    let columns = Schema::Indiv.columns();
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    (0..21).find(|&nth| {
        let number = name
            .strip_prefix('#')
            .unwrap_or(name)
            .trim_start_matches('0');
        is(columns[nth].name) || is(columns[nth].alias) || number == (nth + 1).to_string()
    })
}
