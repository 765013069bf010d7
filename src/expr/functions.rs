//! The functions of columns. A function is one entry here.

use super::word::WordFunction;
use crate::fec::derived;
use crate::fec::schema::Kind;
use crate::scan::Cell;

/// A function of a column: what it is called, takes and makes.
pub(crate) struct Function {
    /// The name, as typed before the parenthesis.
    pub(crate) name: &'static str,
    /// What the function takes, in words and as kinds of columns.
    pub(crate) takes: (&'static str, &'static [Kind]),
    /// Appends the value. A column that has none gives no bytes.
    pub(crate) append: fn(Cell<'_>, &mut Vec<u8>),
    /// How rows side by side make values of up to eight bytes.
    pub(crate) words: Option<WordFunction>,
    /// What a value is, in words.
    pub(crate) form: &'static str,
    /// Says whether a text may be a value.
    pub(crate) makes: fn(&str) -> bool,
    /// Returns the function and the value that are meant by a text which is no value.
    pub(crate) meant: fn(&str) -> Option<(&'static str, String)>,
    pub(crate) order: ValueOrder,
    /// How long a value takes to make, among functions.
    pub(crate) cost: u32,
}

/// How `<` and its like compare values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueOrder {
    /// As texts, with a value of the function.
    Texts,
    /// As numbers.
    Numbers,
    /// As the columns themselves.
    Columns,
}

const DATES: (&str, &[Kind]) = ("dates and image numbers", &[Kind::Date, Kind::ImageNumber]);
const NAMES: (&str, &[Kind]) = ("names", &[Kind::Text]);

pub(crate) static FUNCTIONS: [Function; 7] = [
    Function {
        name: "month",
        takes: DATES,
        append: |cell, value| {
            if let Some(date) = cell.eight_bytes()
                && let Some(month) = derived::month_of_date(*date)
            {
                let end = value.len() + 7;
                value.extend_from_slice(&(month >> 8).to_le_bytes());
                value.truncate(end);
            } else if let Some(month) = derived::month(&cell) {
                value.extend_from_slice(&month);
            }
        },
        words: Some(WordFunction::Month),
        form: "a month such as 2018-01",
        makes: |text| has_form(text, "0000-00"),
        meant: |text| match month_meant(text) {
            Some(month) => Some(("month", month)),
            None => has_form(text, "0000").then(|| ("year", text.to_owned())),
        },
        order: ValueOrder::Texts,
        cost: 2,
    },
    Function {
        name: "quarter",
        takes: DATES,
        append: |cell, value| value.extend(derived::quarter(&cell).iter().flatten()),
        words: None,
        form: "a quarter such as 2018-Q1",
        makes: |text| has_form(text, "0000-Q0"),
        meant: |text| match month_meant(text) {
            Some(month) => Some(("month", month)),
            None => has_form(text, "0000").then(|| ("year", text.to_owned())),
        },
        order: ValueOrder::Texts,
        cost: 2,
    },
    Function {
        name: "year",
        takes: DATES,
        append: |cell, value| value.extend(derived::year(&cell).iter().flatten()),
        words: Some(WordFunction::Year),
        form: "a year such as 2018",
        makes: |text| has_form(text, "0000"),
        meant: |text| month_meant(text).map(|month| ("month", month)),
        order: ValueOrder::Numbers,
        cost: 2,
    },
    Function {
        name: "weekday",
        takes: ("dates", &[Kind::Date]),
        append: |cell, value| value.extend(derived::weekday(&cell)),
        words: None,
        form: "a digit from 1, Monday, to 7, Sunday",
        makes: |text| matches!(text.as_bytes(), [b'1'..=b'7']),
        meant: |text| {
            let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
            let typed = text.to_ascii_lowercase();
            let nth = names.iter().position(|name| typed.starts_with(name))?;
            Some(("weekday", (nth + 1).to_string()))
        },
        order: ValueOrder::Numbers,
        cost: 2,
    },
    Function {
        name: "zip5",
        takes: ("zip codes", &[Kind::ZipCode]),
        append: |cell, value| {
            if let Some(five) = derived::zip5(&cell).first_chunk::<5>() {
                value.extend_from_slice(five);
            }
        },
        words: Some(WordFunction::Zip5),
        form: "five digits",
        makes: |text| has_form(text, "00000"),
        meant: |text| {
            // Spreadsheets drop the zero of the north-east.
            let meant = if has_form(text, "0000") {
                format!("0{text}")
            } else {
                String::from_utf8_lossy(derived::zip5(text.as_bytes())).into_owned()
            };
            Some(("zip5", meant))
        },
        order: ValueOrder::Columns,
        cost: 1,
    },
    Function {
        name: "first_name",
        takes: NAMES,
        append: |cell, value| value.extend_from_slice(derived::first_name(&cell)),
        words: None,
        form: "one word",
        makes: |text| first_name_meant(text) == text,
        meant: |text| Some(("first_name", first_name_meant(text))),
        order: ValueOrder::Columns,
        cost: 4,
    },
    Function {
        name: "last_name",
        takes: NAMES,
        append: |cell, value| value.extend_from_slice(derived::last_name(&cell)),
        words: None,
        form: "the part before the comma, without blanks around it",
        makes: |text| derived::last_name(text.as_bytes()) == text.as_bytes(),
        meant: |text| {
            let meant = String::from_utf8_lossy(derived::last_name(text.as_bytes()));
            Some(("last_name", meant.into_owned()))
        },
        order: ValueOrder::Columns,
        cost: 3,
    },
];

/// Says whether a text has digits where `form` has zeros, and its other bytes.
fn has_form(text: &str, form: &str) -> bool {
    let is_right = |(byte, form)| match form {
        b'0' => u8::is_ascii_digit(&byte),
        _ => byte == form,
    };
    text.len() == form.len() && text.bytes().zip(form.bytes()).all(is_right)
}

/// Returns the first name of a name, or of one that stands alone.
fn first_name_meant(text: &str) -> String {
    let name = if text.contains(',') {
        text.to_owned()
    } else {
        format!(", {text}")
    };
    String::from_utf8_lossy(derived::first_name(name.as_bytes())).into_owned()
}

/// Returns the month that `typed` means in another form, such as `01/2018`, `1-31-2018` or `201801`.
pub(crate) fn month_meant(typed: &str) -> Option<String> {
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<_> = typed.split(['/', '-', '.']).collect();
    if !parts.iter().all(is_number) {
        return None;
    }
    let (year, month) = match parts[..] {
        // The first two digits are a month or a century.
        [digits] if matches!(digits.len(), 6 | 8) => {
            if &digits[..2] <= "12" {
                (&digits[digits.len() - 4..], &digits[..2])
            } else {
                (&digits[..4], &digits[4..6])
            }
        }
        [year, month] | [year, month, _] if year.len() == 4 => (year, month),
        [month, year] | [month, _, year] if year.len() == 4 => (year, month),
        _ => return None,
    };
    let month: u32 = month.parse().ok()?;
    (1..=12)
        .contains(&month)
        .then(|| format!("{year}-{month:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_recognized_in_other_forms() {
        for (typed, meant) in [
            ("01/2018", Some("2018-01")),
            ("1-2018", Some("2018-01")),
            ("2018.12", Some("2018-12")),
            ("12/31/2018", Some("2018-12")),
            ("2018-1-31", Some("2018-01")),
            ("201802", Some("2018-02")),
            ("022018", Some("2018-02")),
            ("20180203", Some("2018-02")),
            ("02032018", Some("2018-02")),
            ("00/2018", None),
            ("13/2018", None),
            ("201813", None),
            ("2018", None),
            ("01/18", None),
            ("+1/2018", None),
            ("1//2018", None),
            ("1/1/1/2018", None),
            ("2018-\u{664}", None),
            ("9999999999999999", None),
            ("", None),
        ] {
            assert_eq!(month_meant(typed).as_deref(), meant, "{typed}");
        }
    }
}
