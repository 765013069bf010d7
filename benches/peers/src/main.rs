//! `fecscan-peers QUESTION FILE`: the questions of peers.py by csveee, each as a fold written by hand. A row of an answer is a line,
//! with `|` between its values.

use std::error::Error;
use std::io::{BufWriter, Write};

use ahash::{AHashMap, AHashSet};
use csveee::{Parser, ParserBuilder};

const CMTE_ID: usize = 0;
const IMAGE_NUM: usize = 4;
const TYPE: usize = 5;
const NAME: usize = 7;
const STATE: usize = 9;
const ZIP: usize = 10;
const EMPLOYER: usize = 11;
const OCCUPATION: usize = 12;
const DATE: usize = 13;
const AMOUNT: usize = 14;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;
type Fields<'a, const N: usize> = [&'a mut [u8]; N];

/// Numbers in hundredths.
#[derive(Clone, Copy, Debug)]
struct Totals {
    count: u64,
    sum: i64,
    min: i64,
    max: i64,
}

const NOTHING: Totals = Totals {
    count: 0,
    sum: 0,
    min: i64::MAX,
    max: i64::MIN,
};

impl Totals {
    fn add(&mut self, number: Option<i64>) {
        self.count += 1;
        if let Some(number) = number {
            self.sum += number;
            self.min = self.min.min(number);
            self.max = self.max.max(number);
        }
    }

    fn merge(&mut self, other: Totals) {
        self.count += other.count;
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

type Groups = AHashMap<Box<[u8]>, Totals>;

fn parser(delimiter: u8, header: bool) -> Parser<csveee::Arity, csveee::Bytes> {
    ParserBuilder::new()
        .bytes()
        .delimiter(delimiter)
        .quote(None)
        .escape(None)
        .has_headers(header)
        .build()
}

/// Groups rows by what `key` writes; a row of which it writes nothing and returns false is left out.
fn groups<const N: usize>(
    parser: &mut Parser<csveee::Arity, csveee::Bytes>,
    file: &str,
    key: impl Fn(&Fields<'_, N>, &mut Vec<u8>) -> bool + Sync,
    number: impl Fn(&Fields<'_, N>) -> Option<i64> + Sync,
) -> Outcome<Groups> {
    let groups = parser.parse(
        file,
        || (Groups::new(), Vec::new()),
        |(groups, scratch): &mut (Groups, Vec<u8>), fields: Fields<'_, N>| {
            scratch.clear();
            if !key(&fields, scratch) {
                return Ok(());
            }
            match groups.get_mut(&scratch[..]) {
                Some(totals) => totals.add(number(&fields)),
                None => {
                    let mut totals = NOTHING;
                    totals.add(number(&fields));
                    groups.insert(scratch[..].into(), totals);
                }
            }
            Ok(())
        },
        |states| {
            let mut all = Groups::new();
            for (groups, _) in states {
                for (key, totals) in groups.drain() {
                    all.entry(key).or_insert(NOTHING).merge(totals);
                }
            }
            all
        },
    )?;
    Ok(groups)
}

/// Groups rows of contributions.
fn by(
    file: &str,
    key: impl Fn(&Fields<'_, 21>, &mut Vec<u8>) -> bool + Sync,
    number: impl Fn(&Fields<'_, 21>) -> Option<i64> + Sync,
) -> Outcome<Groups> {
    groups(&mut parser(b'|', false), file, key, number)
}

fn none<const N: usize>(_: &Fields<'_, N>) -> Option<i64> {
    None
}

fn amount(fields: &Fields<'_, 21>) -> Option<i64> {
    hundredths(fields[AMOUNT])
}

/// Reads a number with up to two decimals.
fn hundredths(text: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match text.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let point = memchr::memchr(b'.', digits);
    let whole = &digits[..point.unwrap_or(digits.len())];
    let decimals = point.map_or(&b""[..], |point| &digits[point + 1..]);
    if whole.is_empty() && decimals.is_empty() || decimals.len() > 2 {
        return None;
    }
    let mut number = 0_i64;
    for byte in whole.iter().chain(decimals) {
        if !byte.is_ascii_digit() {
            return None;
        }
        number = number.checked_mul(10)? + i64::from(byte - b'0');
    }
    for _ in decimals.len()..2 {
        number = number.checked_mul(10)?;
    }
    Some(if is_negative { -number } else { number })
}

/// Writes `YYYY-MM` of MMDDYYYY, or nothing.
fn month(date: &[u8], key: &mut Vec<u8>) {
    let is_month = matches!(date, [b'0', b'1'..=b'9', ..] | [b'1', b'0'..=b'2', ..]);
    if date.len() == 8 && date.iter().all(u8::is_ascii_digit) && is_month {
        key.extend_from_slice(&date[4..]);
        key.push(b'-');
        key.extend_from_slice(&date[..2]);
    }
}

fn first_name(name: &[u8]) -> Option<&[u8]> {
    let comma = name.windows(2).position(|pair| pair == b", ")?;
    let rest = name[comma + 2..].trim_ascii_start();
    let first = rest.split(|&byte| byte == b' ' || byte == b',').next()?;
    (!first.is_empty()).then_some(first)
}

fn zip5(zip: &[u8]) -> &[u8] {
    zip.get(..5).unwrap_or_default()
}

fn print(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let number = number.unsigned_abs();
    format!("{sign}{}.{:02}", number / 100, number % 100)
}

/// Prints groups, the largest first; all of them, or the first ones.
fn show(groups: Groups, most: usize, show: impl Fn(&Totals) -> String) -> Outcome {
    let mut groups: Vec<_> = groups.into_iter().collect();
    let before = |one: &(Box<[u8]>, Totals), other: &(Box<[u8]>, Totals)| {
        (other.1.count, &one.0).cmp(&(one.1.count, &other.0))
    };
    if groups.len() > most {
        groups.select_nth_unstable_by(most, before);
        groups.truncate(most);
    }
    groups.sort_unstable_by(before);
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (key, totals) in &groups {
        out.write_all(key)?;
        writeln!(out, "|{}{}", totals.count, show(totals))?;
    }
    Ok(out.flush()?)
}

fn count_only(_: &Totals) -> String {
    String::new()
}

fn with_sum(totals: &Totals) -> String {
    format!("|{}", print(totals.sum))
}

/// Counts rows that `is_kept` keeps.
fn count(file: &str, is_kept: impl Fn(&Fields<'_, 21>) -> bool + Sync) -> Outcome {
    let lines = parser(b'|', false).parse(
        file,
        || 0_u64,
        |lines: &mut u64, fields: Fields<'_, 21>| {
            *lines += u64::from(is_kept(&fields));
            Ok(())
        },
        |states| states.iter().sum::<u64>(),
    )?;
    println!("{lines}");
    Ok(())
}

fn report(file: &str) -> Outcome {
    #[derive(Default)]
    struct Report {
        lines: u64,
        months: AHashMap<[u8; 6], u64>,
        first_names: AHashMap<Box<[u8]>, u64>,
    }
    let report = parser(b'|', false).parse(
        file,
        Report::default,
        |report: &mut Report, fields: Fields<'_, 21>| {
            report.lines += 1;
            if let Some(month) = fields[IMAGE_NUM].first_chunk() {
                *report.months.entry(*month).or_default() += 1;
            }
            if let Some(name) = first_name(fields[NAME]) {
                match report.first_names.get_mut(name) {
                    Some(lines) => *lines += 1,
                    None => drop(report.first_names.insert(name.into(), 1)),
                }
            }
            Ok(())
        },
        |states| {
            let mut all = Report::default();
            for report in states {
                all.lines += report.lines;
                for (month, lines) in report.months.drain() {
                    *all.months.entry(month).or_default() += lines;
                }
                for (name, lines) in report.first_names.drain() {
                    *all.first_names.entry(name).or_default() += lines;
                }
            }
            all
        },
    )?;
    println!("lines|{}", report.lines);
    for (month, lines) in &report.months {
        let month = String::from_utf8_lossy(month);
        println!("{}-{}|{lines}", &month[..4], &month[4..]);
    }
    let first = report.first_names.iter().max_by_key(|(_, lines)| **lines);
    if let Some((name, lines)) = first {
        println!("{}|{lines}", String::from_utf8_lossy(name));
    }
    Ok(())
}

/// Prints the numbers of distinct names of the states.
fn distinct(file: &str) -> Outcome {
    type Sets = AHashMap<Box<[u8]>, AHashSet<Box<[u8]>>>;
    let sets = parser(b'|', false).parse(
        file,
        Sets::new,
        |sets: &mut Sets, fields: Fields<'_, 21>| {
            let set = match sets.get_mut(&fields[STATE][..]) {
                Some(set) => set,
                None => sets.entry((&fields[STATE][..]).into()).or_default(),
            };
            if !set.contains(&fields[NAME][..]) {
                set.insert((&fields[NAME][..]).into());
            }
            Ok(())
        },
        |states| {
            let mut all = Sets::new();
            for sets in states {
                for (key, set) in sets.drain() {
                    all.entry(key).or_default().extend(set);
                }
            }
            all
        },
    )?;
    for (key, set) in &sets {
        println!("{}|{}", String::from_utf8_lossy(key), set.len());
    }
    Ok(())
}

/// Prints the medians of the states.
fn median(file: &str) -> Outcome {
    type Lists = AHashMap<Box<[u8]>, Vec<i64>>;
    let mut lists = parser(b'|', false).parse(
        file,
        Lists::new,
        |lists: &mut Lists, fields: Fields<'_, 21>| {
            let list = match lists.get_mut(&fields[STATE][..]) {
                Some(list) => list,
                None => lists.entry((&fields[STATE][..]).into()).or_default(),
            };
            list.extend(hundredths(fields[AMOUNT]));
            Ok(())
        },
        |states| {
            let mut all = Lists::new();
            for lists in states {
                for (key, list) in lists.drain() {
                    all.entry(key).or_default().extend(list);
                }
            }
            all
        },
    )?;
    for (key, list) in &mut lists {
        let nth = list.len().div_ceil(2) - 1;
        let (_, low, above) = list.select_nth_unstable(nth);
        let low = *low;
        let median = if list_is_even(nth, above.len()) {
            (low + above.iter().min().copied().unwrap_or(low)) as f64 / 200.0
        } else {
            low as f64 / 100.0
        };
        println!("{}|{median}", String::from_utf8_lossy(key));
    }
    Ok(())
}

fn list_is_even(below: usize, above: usize) -> bool {
    above > below
}

/// Groups by committee, and names it.
fn committees(file: &str) -> Outcome {
    let names = parser(b'|', false).parse(
        "cm.txt",
        AHashMap::new,
        |names: &mut AHashMap<Box<[u8]>, Box<[u8]>>, fields: Fields<'_, 15>| {
            names.insert((&fields[0][..]).into(), (&fields[1][..]).into());
            Ok(())
        },
        |states| {
            states
                .iter_mut()
                .flat_map(|names| names.drain())
                .collect::<AHashMap<_, _>>()
        },
    )?;
    let key = |fields: &Fields<'_, 21>, key: &mut Vec<u8>| {
        key.extend_from_slice(fields[CMTE_ID]);
        true
    };
    let mut named = Groups::new();
    for (key, totals) in by(file, key, amount)? {
        let name = names.get(&key).map_or(&b""[..], |name| name);
        named.insert([&key, name].join(&b'|').into(), totals);
    }
    show(named, usize::MAX, with_sum)
}

fn push(field: &[u8], key: &mut Vec<u8>) -> bool {
    key.extend_from_slice(field);
    true
}

fn main() -> Outcome {
    let arguments: Vec<_> = std::env::args().collect();
    let [_, question, file] = &arguments[..] else {
        return Err("usage: fecscan-peers QUESTION FILE".into());
    };
    let upper = |text: &[u8]| text.to_ascii_uppercase();
    match &question[..] {
        "count" => count(file, |_| true),
        "state_ca" => count(file, |row| row[STATE] == b"CA"),
        "large" => count(file, |row| {
            amount(row).is_some_and(|amount| amount >= 100_000)
        }),
        "google" => {
            let finder = memchr::memmem::Finder::new("GOOGLE");
            count(file, move |row| {
                finder.find(&upper(row[EMPLOYER])).is_some()
            })
        }
        "report" => report(file),
        "state" => show(
            by(file, |row, key| push(row[STATE], key), none)?,
            usize::MAX,
            count_only,
        ),
        "state_sum" => show(
            by(file, |row, key| push(row[STATE], key), amount)?,
            usize::MAX,
            with_sum,
        ),
        "contributions" => {
            let types = "10 10J 11 11J 15 15E 15J 30 30E 30J 30T 31 31E 31J 31T 32 32E 32J 32T";
            let types: AHashSet<&[u8]> = types.split(' ').map(str::as_bytes).collect();
            let key = |row: &Fields<'_, 21>, key: &mut Vec<u8>| {
                types.contains(&row[TYPE][..]) && push(row[STATE], key)
            };
            show(by(file, key, amount)?, usize::MAX, with_sum)
        }
        "month_sum" => {
            let key = |row: &Fields<'_, 21>, key: &mut Vec<u8>| {
                month(row[DATE], key);
                true
            };
            show(by(file, key, amount)?, usize::MAX, with_sum)
        }
        "name" => show(
            by(file, |row, key| push(row[NAME], key), none)?,
            10,
            count_only,
        ),
        "donors" => {
            let key = |row: &Fields<'_, 21>, key: &mut Vec<u8>| {
                push(row[NAME], key);
                key.push(b'|');
                push(zip5(row[ZIP]), key)
            };
            show(by(file, key, none)?, 10, count_only)
        }
        "work" => {
            let key = |row: &Fields<'_, 21>, key: &mut Vec<u8>| {
                push(row[EMPLOYER], key);
                key.push(b'|');
                push(row[OCCUPATION], key)
            };
            show(by(file, key, none)?, 10, count_only)
        }
        "first_name" => {
            let key = |row: &Fields<'_, 21>, key: &mut Vec<u8>| {
                push(first_name(row[NAME]).unwrap_or_default(), key)
            };
            show(by(file, key, none)?, 10, count_only)
        }
        "buckets" => {
            let key = |row: &Fields<'_, 21>, key: &mut Vec<u8>| {
                let name = match amount(row) {
                    None => "",
                    Some(..20_001) => "<200.01",
                    Some(..50_000) => "200.01 to <500",
                    Some(..100_000) => "500 to <1000",
                    Some(..200_000) => "1000 to <2000",
                    Some(_) => ">=2000",
                };
                push(name.as_bytes(), key)
            };
            show(by(file, key, amount)?, usize::MAX, with_sum)
        }
        "distinct" => distinct(file),
        "median" => median(file),
        "committees" => committees(file),
        "stations" => {
            let key = |row: &Fields<'_, 2>, key: &mut Vec<u8>| push(row[0], key);
            let found = groups(&mut parser(b';', false), file, key, |row| {
                hundredths(row[1])
            })?;
            show(found, usize::MAX, |totals| {
                let mean = totals.sum as f64 / totals.count as f64 / 100.0;
                format!("|{}|{mean}|{}", print(totals.min), print(totals.max))
            })
        }
        // A row ends with a delimiter, so it has a seventeenth field.
        "lineitem" => {
            let key = |row: &Fields<'_, 17>, key: &mut Vec<u8>| {
                push(row[8], key);
                key.push(b'|');
                push(row[9], key)
            };
            let found = groups(&mut parser(b'|', false), file, key, |row| {
                hundredths(row[5])
            })?;
            show(found, usize::MAX, with_sum)
        }
        "tabs" => {
            let key = |row: &Fields<'_, 16>, key: &mut Vec<u8>| push(row[14], key);
            let found = groups(&mut parser(b'\t', true), file, key, |row| {
                hundredths(row[5])
            })?;
            show(found, usize::MAX, with_sum)
        }
        other => Err(format!("no question is called {other}").into()),
    }
}
