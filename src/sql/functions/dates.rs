//! Functions of days.

use super::{Function, Gives, Kernel, OF_TEXT, Parameter, Prepared, Row, literal_text};
use crate::fec::date;
use crate::sql::evaluate::Fault;
use crate::sql::expression::Expression;
use crate::sql::types::Type;

const OF_DAY: Function = Function {
    takes: &[Parameter::Date],
    gives: Gives::Always(Type::BigInt),
    ..OF_TEXT
};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

/// A unit of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sql) enum Part {
    Year,
    Quarter,
    Month,
    Week,
    Day,
}

pub(super) static TABLE: &[Function] = &[
    Function {
        names: &["year"],
        kernel: Kernel::Whole(|row| (row.day(0) / 10_000).into()),
        help: "the year of a DATE: year(DATE '2018-01-31') is 2018",
        ..OF_DAY
    },
    Function {
        names: &["quarter"],
        kernel: Kernel::Whole(|row| quarter(row.day(0)).into()),
        help: "the quarter of a DATE, 1 to 4",
        ..OF_DAY
    },
    Function {
        names: &["month"],
        kernel: Kernel::Whole(|row| month(row.day(0)).into()),
        help: "the month of a DATE, 1 to 12",
        ..OF_DAY
    },
    Function {
        names: &["week", "weekofyear"],
        kernel: Kernel::Whole(|row| date::week(row.day(0)).1.into()),
        help: "the week of a DATE by ISO 8601, 1 to 53",
        ..OF_DAY
    },
    Function {
        names: &["day", "dayofmonth"],
        kernel: Kernel::Whole(|row| (row.day(0) % 100).into()),
        help: "the day of the month of a DATE",
        ..OF_DAY
    },
    Function {
        names: &["dayofyear"],
        kernel: Kernel::Whole(|row| day_of_year(row.day(0)).into()),
        help: "the day of the year of a DATE, 1 to 366",
        ..OF_DAY
    },
    Function {
        names: &["isodow"],
        kernel: Kernel::Whole(|row| (date::weekday(row.day(0)) + 1).into()),
        help: "the day of the week of a DATE: 1 is Monday, 7 Sunday",
        ..OF_DAY
    },
    Function {
        names: &["dayofweek", "weekday"],
        kernel: Kernel::Whole(|row| ((date::weekday(row.day(0)) + 1) % 7).into()),
        help: "the day of the week of a DATE: 0 is Sunday, 6 Saturday",
        ..OF_DAY
    },
    Function {
        names: &["dayname"],
        gives: Gives::Always(Type::Varchar),
        kernel: Kernel::Text(|row, out| {
            out.extend_from_slice(WEEKDAYS[date::weekday(row.day(0)) as usize].as_bytes());
        }),
        help: "the day of the week of a DATE: dayname(DATE '2018-01-31') is 'Wednesday'",
        ..OF_DAY
    },
    Function {
        names: &["monthname"],
        gives: Gives::Always(Type::Varchar),
        kernel: Kernel::Text(|row, out| out.extend_from_slice(month_name(row.day(0)).as_bytes())),
        help: "the name of the month of a DATE: monthname(DATE '2018-01-31') is 'January'",
        ..OF_DAY
    },
    Function {
        names: &["date_trunc"],
        takes: &[Parameter::TextLiteral, Parameter::Date],
        gives: Gives::Always(Type::Date),
        kernel: Kernel::Whole(|row| truncated(row.day(1), part_of(row)).into()),
        prepare: |arguments| part(arguments, "date_trunc"),
        help: "the first day of the year, quarter, month or week of a DATE: date_trunc('month', DATE '2018-01-31')",
        ..OF_DAY
    },
    Function {
        names: &["last_day"],
        gives: Gives::Always(Type::Date),
        kernel: Kernel::Whole(|row| last_of_month(row.day(0)).into()),
        help: "the last day of the month of a DATE: last_day(DATE '2018-02-05') is 2018-02-28",
        ..OF_DAY
    },
    Function {
        names: &["date_diff", "datediff"],
        takes: &[Parameter::TextLiteral, Parameter::Date, Parameter::Date],
        kernel: Kernel::Whole(|row| difference(part_of(row), row.day(1), row.day(2))),
        prepare: |arguments| part(arguments, "date_diff"),
        help: "how often a year, quarter, month or day begins between two DATEs, or how many whole weeks lie there",
        ..OF_DAY
    },
    Function {
        names: &["make_date"],
        takes: &[Parameter::Whole, Parameter::Whole, Parameter::Whole],
        gives: Gives::Always(Type::Date),
        kernel: Kernel::Number(|row| {
            let [year, month, day] = [0, 1, 2].map(|nth| row.whole(nth));
            let are_in =
                (1..=9999).contains(&year) && (0..=99).contains(&month) && (0..=99).contains(&day);
            let text = format!("{year:04}-{month:02}-{day:02}");
            let day = date::of_iso(text.as_bytes()).filter(|_| are_in);
            day.map(i128::from).ok_or(Fault::Refused(
                "there is no such day in the years 1 to 9999",
            ))
        }),
        help: "a DATE of a year, a month and a day: make_date(2018, 1, 31)",
        ..OF_DAY
    },
    Function {
        names: &["strftime"],
        takes: &[Parameter::Date, Parameter::TextLiteral],
        gives: Gives::Always(Type::Varchar),
        kernel: Kernel::Text(|row, out| {
            if let Prepared::Format(directives) = row.prepared {
                directives
                    .iter()
                    .for_each(|directive| directive.append(row.day(0), out));
            }
        }),
        prepare: format,
        help: "a DATE as text: strftime(DATE '2018-01-31', '%m/%d/%Y') is '01/31/2018'",
        ..OF_DAY
    },
];

fn month(day: u32) -> u32 {
    day / 100 % 100
}

fn last_of_month(day: u32) -> u32 {
    let of_month = |nth: u32| day / 100 * 100 + nth;
    let mut days = (28..=31).rev().map(of_month);
    days.find(|&day| date::is_day(day)).unwrap_or(day)
}

fn quarter(day: u32) -> u32 {
    month(day).div_ceil(3)
}

fn month_name(day: u32) -> &'static str {
    MONTHS[month(day).clamp(1, 12) as usize - 1]
}

fn day_of_year(day: u32) -> i32 {
    let first = day / 10_000 * 10_000 + 101;
    date::days_since_1970(day) - date::days_since_1970(first) + 1
}

/// Returns the part of the calendar that the first argument names.
fn part(arguments: &[Expression], function: &str) -> Result<Prepared, String> {
    let name = literal_text(arguments, 0)
        .unwrap_or_default()
        .to_lowercase();
    Ok(Prepared::Part(match &*name {
        "year" | "years" | "y" | "yr" => Part::Year,
        "quarter" | "quarters" => Part::Quarter,
        "month" | "months" | "mon" | "mons" => Part::Month,
        "week" | "weeks" | "w" => Part::Week,
        "day" | "days" | "d" | "dayofmonth" => Part::Day,
        _ => {
            return Err(format!(
                "{function} takes 'year', 'quarter', 'month', 'week' or 'day'"
            ));
        }
    }))
}

fn part_of(row: Row<'_>) -> Part {
    match row.prepared {
        Prepared::Part(part) => *part,
        _ => Part::Day,
    }
}

/// Returns the first day of the part of the calendar that has `day`.
fn truncated(day: u32, part: Part) -> u32 {
    match part {
        Part::Year => day / 10_000 * 10_000 + 101,
        Part::Quarter => day / 10_000 * 10_000 + (quarter(day) * 3 - 2) * 100 + 1,
        Part::Month => day / 100 * 100 + 1,
        Part::Week => {
            let days = date::days_since_1970(day) - date::weekday(day).cast_signed();
            date::of_days_since_1970(days)
        }
        Part::Day => day,
    }
}

fn difference(part: Part, from: u32, to: u32) -> i128 {
    let days = i128::from(date::days_since_1970(to) - date::days_since_1970(from));
    let counted = |of: fn(u32) -> u32| i128::from(of(to)) - i128::from(of(from));
    match part {
        Part::Year => counted(|day| day / 10_000),
        Part::Quarter => counted(|day| day / 10_000 * 4 + quarter(day)),
        Part::Month => counted(|day| day / 10_000 * 12 + month(day)),
        Part::Week => days / 7,
        Part::Day => days,
    }
}

/// A part of a format of days.
#[derive(Clone, Debug)]
pub(in crate::sql) enum Directive {
    Text(Box<str>),
    /// A number, in at least this many digits.
    Number(fn(u32) -> u32, usize),
    Name(fn(u32) -> &'static str, usize),
}

impl Directive {
    fn append(&self, day: u32, out: &mut Vec<u8>) {
        match self {
            Directive::Text(text) => out.extend_from_slice(text.as_bytes()),
            Directive::Number(of, digits) => {
                out.extend_from_slice(format!("{:0digits$}", of(day)).as_bytes());
            }
            Directive::Name(of, most) => {
                let name = of(day).as_bytes();
                out.extend_from_slice(&name[..name.len().min(*most)]);
            }
        }
    }
}

/// Returns the week of the year, of which the first begins with the first day of this number, counted from Monday.
fn week_from(day: u32, first: u32) -> u32 {
    let since = (date::weekday(day) + 7 - first) % 7;
    (day_of_year(day).cast_unsigned() + 6 - since) / 7
}

fn format(arguments: &[Expression]) -> Result<Prepared, String> {
    let format = literal_text(arguments, 1).unwrap_or_default();
    let (mut directives, mut text) = (Vec::new(), String::new());
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let mut letter = chars.next();
        let is_short = letter == Some('-');
        if is_short {
            letter = chars.next();
        }
        let digits = |digits| if is_short { 1 } else { digits };
        let directive = match letter {
            Some('%') if !is_short => {
                text.push('%');
                continue;
            }
            Some('Y') if !is_short => Directive::Number(|day| day / 10_000, 4),
            Some('G') if !is_short => Directive::Number(|day| date::week(day).0, 4),
            Some('y') => Directive::Number(|day| day / 10_000 % 100, digits(2)),
            Some('m') => Directive::Number(month, digits(2)),
            Some('d') => Directive::Number(|day| day % 100, digits(2)),
            Some('j') => Directive::Number(|day| day_of_year(day).cast_unsigned(), digits(3)),
            Some('V') if !is_short => Directive::Number(|day| date::week(day).1, 2),
            Some('W') if !is_short => Directive::Number(|day| week_from(day, 0), 2),
            Some('U') if !is_short => Directive::Number(|day| week_from(day, 6), 2),
            Some('u') if !is_short => Directive::Number(|day| date::weekday(day) + 1, 1),
            Some('w') if !is_short => Directive::Number(|day| (date::weekday(day) + 1) % 7, 1),
            Some('b') if !is_short => Directive::Name(month_name, 3),
            Some('B') if !is_short => Directive::Name(month_name, 9),
            Some('a') if !is_short => Directive::Name(weekday_name, 3),
            Some('A') if !is_short => Directive::Name(weekday_name, 9),
            _ => {
                let letter: String = letter.into_iter().collect();
                return Err(format!(
                    "strftime does not know %{letter}; of days it knows %Y %y %m %d %b %B %a %A %j %G %V %W %U %u %w %%"
                ));
            }
        };
        if !text.is_empty() {
            directives.push(Directive::Text(std::mem::take(&mut text).into()));
        }
        directives.push(directive);
    }
    directives.push(Directive::Text(text.into()));
    Ok(Prepared::Format(directives.into()))
}

fn weekday_name(day: u32) -> &'static str {
    WEEKDAYS[date::weekday(day) as usize]
}
