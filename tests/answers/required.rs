//! Conditions whose words are searched for in all bytes, before any column is found.

use std::path::Path;

use fecscan::fold::report::OddRowPolicy;
use fecscan::sql::Filter;
use regex::bytes::Regex;

use crate::common::run::settings;
use crate::common::twin::{self, Asked};

/// Rows of any width, some of them long or empty. One in `every` has the word as EMPLOYER, and another in another column.
fn rows(count: usize, every: usize) -> Vec<u8> {
    let mut state = every as u64;
    let mut below = |bound: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % bound
    };
    let mut text = Vec::new();
    for nth in 0..count {
        let width = match below(10) {
            0 => below(25),
            _ => 21,
        };
        let mut columns = vec![format!("C{nth}"); width];
        if below(40) == 0 {
            columns.push("x".repeat(below(9000)));
        }
        let words = [
            "GOOGLE",
            "google llc",
            "A GOOGLER",
            "GOOGL|E",
            "MAPLE INC",
            "BAN\u{212a} OF X",
            "bank of x",
        ];
        let word = words[below(words.len())];
        for place in [11, 7] {
            if below(every) == 0 && place < width {
                columns[place] = word.to_owned();
            }
        }
        text.extend(columns.join("|").into_bytes());
        text.extend(if below(9) == 0 { &b"\r\n"[..] } else { b"\n" });
    }
    text.truncate(text.len() - below(3));
    text
}

/// Counts, names by line, and rows that break the schema, with their lines and bytes, against lines that are tested one by one.
#[test]
fn rows_are_those_that_a_test_of_each_line_finds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("itcont.txt");
    for (every, count) in [(1, 300), (7, 900), (300, 3000), (100_000, 2000)] {
        let text = rows(count, every);
        std::fs::write(&path, &text).unwrap();
        // The twin has a regular expression for each. The Kelvin sign is another case of the letter k.
        for (condition, expression) in [
            ("EMPLOYER ~ 'GOOGLE'", "GOOGLE"),
            ("EMPLOYER ~ '(?i)google'", "(?i)google"),
            ("regexp_matches(EMPLOYER, 'google', 'i')", "(?i)google"),
            ("EMPLOYER ~ 'MAPLE|GOOGLE'", "MAPLE|GOOGLE"),
            ("EMPLOYER ~ '(?i)a g|maple i'", "(?i)a g|maple i"),
            ("EMPLOYER ~ 'NOWHERE'", "NOWHERE"),
            ("EMPLOYER LIKE '%GOOGLE%'", "GOOGLE"),
            ("EMPLOYER LIKE '%GOO%LE%'", "GOO.*LE"),
            ("EMPLOYER ILIKE 'a_google%'", "^(?i)a.google"),
            ("EMPLOYER ILIKE '%bank of%'", "(?i)bank of"),
            ("EMPLOYER ~ '(?i)bank'", "(?i)bank"),
            (
                "EMPLOYER NOT LIKE '%GOOGLE%'",
                "^($|C|x|google|GOOGL$|MAPLE|BAN|bank)",
            ),
            (
                "EMPLOYER LIKE '%MAPLE%' OR EMPLOYER ILIKE '%google l%'",
                "MAPLE|(?i:google l)",
            ),
        ] {
            let found = Regex::new(expression).unwrap();
            let (mut matched, mut odd) = (Vec::new(), Vec::new());
            let (mut byte, mut lines) = (0, 0);
            for line in text.split_inclusive(|&b| b == b'\n') {
                let row = twin::lines_of(line)[0];
                let columns = twin::columns(row);
                lines += 1;
                if found.is_match(columns.get(11).copied().unwrap_or_default()) {
                    matched.push(columns.get(7).map(|name| name.trim_ascii().to_vec()));
                    if columns.len() != 21 {
                        odd.push((lines, byte as u64));
                    }
                }
                byte += line.len();
            }
            let names = [
                0,
                1,
                2,
                5,
                40,
                matched.len().saturating_sub(1) as u64,
                1 << 40,
            ];
            let asked = Asked {
                names: names.to_vec(),
                ..Asked::default()
            };
            for setting in settings(&[1, 3], &[1000, 50_000, 1 << 20]) {
                let filter = Filter::new([condition]).unwrap();
                let engine = setting.engine().with_filter(filter);
                let report =
                    setting.report(&engine, &asked, OddRowPolicy::List, &[Path::new(&path)]);
                let what = format!("{condition}, one in {every}: {setting:?}");
                assert_eq!(report.lines, matched.len() as u64, "{what}");
                assert_eq!(report.lines_scanned, Some(lines), "{what}");
                let expected: Vec<_> = names
                    .iter()
                    .map(|&nth| matched.get(nth as usize).cloned().flatten())
                    .collect();
                assert_eq!(report.names, expected, "{what}");
                let listed = report.odd_rows.iter().map(|row| (row.line, row.byte));
                let first = odd.iter().take(20).copied();
                assert!(listed.eq(first), "{what}: {:?}", report.odd_rows);
            }
        }
    }
}
