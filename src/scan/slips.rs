//! Notes on conditions that are probably slips.
//!
//! `=` and `!=` compare text. A value that files never write, such as `500.00`, equals nothing, although
//! numbers of that size are there. The answer stands, and a note says what to type instead.

use super::filter::{Condition, Filter};
use super::predicates::Test;
use crate::fec::amount::{Hundredths, hundredths};
use crate::fec::date;
use crate::fec::schema::{Kind, Schema};

impl Filter {
    /// Returns notes on conditions that compare text with a number or a date that files of `schema` write in
    /// another way. At most one for each condition.
    ///
    /// ```
    /// use fecscan::fec::schema::Schema;
    /// use fecscan::scan::Filter;
    /// let notes = |condition| Filter::new([condition]).map(|filter| filter.notes(Schema::Indiv));
    /// assert!(notes("amount=500.00")?[0].starts_with("= compares text, and files write 500.00 as 500: "));
    /// assert!(notes("amount=500")?.is_empty());
    /// # Ok::<(), fecscan::Error>(())
    /// ```
    pub fn notes(&self, schema: Schema) -> Vec<String> {
        let conditions = self.conditions.iter();
        conditions
            .filter_map(|condition| condition.note(self.kind(condition, schema), schema))
            .collect()
    }

    /// Returns what a user may want to know if no line meets the conditions. Rows are of `schema`, as far as
    /// it is known.
    pub fn note_on_no_lines(&self, schema: Option<Schema>) -> String {
        let is_text = |condition: &&Condition| {
            let kind = schema.map(|schema| self.kind(condition, schema));
            !matches!(kind, Some(Kind::Number | Kind::Date))
        };
        let mut texts = self.conditions.iter().filter(is_text);
        let reason = match (texts.any(Condition::depends_on_case), &self.conditions[..]) {
            (true, _) => "; = compares exactly, ~(?i) ignores case",
            (false, [_, _, ..]) => "; all of them must hold, so try them one by one",
            (false, _) => "",
        };
        format!("no line meets the conditions{reason}")
    }

    /// Returns the kind of the column of a condition. Unknown columns are errors elsewhere.
    fn kind(&self, condition: &Condition, schema: Schema) -> Kind {
        let found = self.partners.column(schema, &condition.column).ok();
        let found = found.map(|found| found.schema_and_place(schema));
        let column = found.and_then(|(schema, place)| schema.columns().get(place));
        column.map_or(Kind::Text, |column| column.kind)
    }
}

impl Condition {
    fn note(&self, kind: Kind, schema: Schema) -> Option<String> {
        let values = match &self.test {
            Test::In(values) | Test::NotIn(values) => &values.texts,
            _ => return None,
        };
        let values = values.iter().map(|value| String::from_utf8_lossy(value));
        match kind {
            Kind::Number => self
                .note_on_commas()
                .or_else(|| values.into_iter().find_map(|v| self.note_on_number(&v))),
            Kind::Date => values
                .into_iter()
                .find_map(|value| self.note_on_date(&value, schema)),
            _ => None,
        }
    }

    /// Explains a list that looks like one number with separators of thousands.
    fn note_on_commas(&self) -> Option<String> {
        let typed = self.typed.trim();
        let is_group = |group: &str| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit());
        let (first, rest) = typed.split_once(',')?;
        let rest = rest.split_once('.').map_or(rest, |(whole, _)| whole);
        let digits = first.trim_start_matches(['-', '+', '$']);
        let is_start =
            (1..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        if !is_start || !rest.split(',').all(is_group) {
            return None;
        }
        let number = plain_number(typed)?;
        let (column, operator) = (&self.column, self.operator);
        Some(format!(
            "a comma separates values, so '{column}{operator}{typed}' compares with {}; numbers have no commas: \
             write '{column}{operator}{number}'",
            typed.replace(',', " and with ")
        ))
    }

    fn note_on_number(&self, value: &str) -> Option<String> {
        let (column, operator) = (&self.column, self.operator);
        let Some(written) = plain_number(value) else {
            return (!value.is_empty()).then(|| {
                format!(
                    "{operator} compares text, and files never write '{value}' in a column of numbers such as {column}; \
                     write numbers as 1000 or -25.5, or compare them with < <= > >="
                )
            });
        };
        // Files may or may not write a zero in front of the point.
        if value == written || value.replacen("0.", ".", 1) == written {
            return None;
        }
        let ranges = match self.test {
            Test::In(_) => {
                format!(
                    ", or compare numbers: --where '{column}>={written}' --where '{column}<={written}'"
                )
            }
            _ => "; < <= > >= compare numbers".to_owned(),
        };
        Some(format!(
            "{operator} compares text, and files write {value} as {written}: write '{column}{operator}{written}'{ranges}"
        ))
    }

    fn note_on_date(&self, value: &str, schema: Schema) -> Option<String> {
        let (column, operator, text) = (&self.column, self.operator, value.as_bytes());
        let iso = match text {
            &[y1, y2, y3, y4, m1, m2, d1, d2] => {
                date::of_iso(&[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2])
            }
            _ => None,
        };
        let day = date::of_column(text);
        let form = match schema {
            Schema::Oppexp => "MM/DD/YYYY",
            _ => "MMDDYYYY",
        };
        // Days that do not exist stand in files, too.
        let has_form = text.len() == form.len()
            && text
                .iter()
                .zip(form.bytes())
                .all(|(&byte, of_form)| match of_form {
                    b'/' => byte == b'/',
                    _ => byte.is_ascii_digit(),
                });
        let is_written_so = has_form && (day.is_some() || iso.is_none());
        if value.is_empty() || is_written_so || date::of_iso(text).is_some() {
            return None;
        }
        let advice = match day.or(iso) {
            Some(day) => {
                let day = date::iso(day);
                format!("write '{column}{operator}{day}', which compares days")
            }
            None => format!(
                "write a day as '{column}{operator}2018-01-31', and a longer time as a range: \
                 --where '{column}>=2018-01-01' --where '{column}<2018-02-01'"
            ),
        };
        Some(format!(
            "{operator} compares '{value}' as text, and files write dates as {form}: {advice}"
        ))
    }

    /// Returns whether the condition compares letters, so that their case matters.
    fn depends_on_case(&self) -> bool {
        let has_letters = |text: &str| text.bytes().any(|b| b.is_ascii_alphabetic());
        match self.operator {
            "=" | "^=" => has_letters(&self.typed),
            "~" if self.typed.contains("(?i") => false,
            // Letters after a backslash are classes, such as \d.
            "~" => {
                let mut parts = self.typed.split('\\');
                let first = parts.next().unwrap_or_default();
                has_letters(first)
                    || parts.any(|part| has_letters(part.get(1..).unwrap_or_default()))
            }
            _ => false,
        }
    }
}

/// Returns how files write a number, which may be typed with a dollar sign, commas or zeros too many.
pub(super) fn plain_number(typed: &str) -> Option<String> {
    let typed: String = typed.chars().filter(|c| !matches!(c, '$' | ',')).collect();
    let number = Hundredths(hundredths(typed.as_bytes())?).to_string();
    let number = number.trim_end_matches('0').trim_end_matches('.');
    let (sign, digits) = match number.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", number),
    };
    Some(match digits.strip_prefix('0') {
        Some(decimals) if !decimals.is_empty() => format!("{sign}{decimals}"),
        _ => number.to_owned(),
    })
}
