//! Notes on conditions that are probably slips.
//!
//! A value that files never write, such as `$500`, equals nothing, although
//! numbers of that size are there. The answer stands, and a note says what to type instead. The same goes for
//! values that a function never makes, such as the month `01/2018`, and for names with a comma, which separates values.
//! So do zip codes compared as numbers, and lists where only one beginning can stand.

use super::Filter;
use super::condition::Condition;
use super::days;
use super::operator::Takes;
use super::predicate::{Predicate, Values};
use super::sql;
use crate::expr::functions::month_meant;
use crate::fec::amount::{Hundredths, hundredths};
use crate::fec::date;
use crate::fec::schema::{Kind, Schema};

impl Filter {
    /// Returns notes on conditions that are probably slips in a question on rows of `schema`: at most one for each.
    ///
    /// ```
    /// use fecscan::fec::schema::Schema;
    /// use fecscan::filter::Filter;
    /// let notes = |condition| Filter::new([condition]).map(|filter| filter.notes(Schema::Indiv));
    /// assert!(notes("amount=$500")?[0].ends_with(": write 'amount=500'"));
    /// assert!(notes("amount=500.00")?.is_empty(), "numbers compare by their values");
    /// # Ok::<(), fecscan::Error>(())
    /// ```
    pub fn notes(&self, schema: Schema) -> Vec<String> {
        let note = |condition: &Condition| {
            let column = self.column(condition, schema);
            // An error says what to write.
            if column.is_some_and(|(of, place)| condition.bind(of, place).is_err()) {
                return None;
            }
            let note = condition.note_on_last_comma();
            if note.is_some() || schema.layout().is_some() {
                return note;
            }
            let note = condition.note(self.kind(condition, schema), schema);
            note.or_else(|| condition.note_on_column())
        };
        let conditions = self.conditions.iter().flatten();
        conditions.filter_map(note).collect()
    }

    /// Returns the schema of the column of a condition, and its place there. Unknown columns are errors elsewhere.
    fn column(&self, condition: &Condition, schema: Schema) -> Option<(Schema, usize)> {
        let found = self.partners.column(schema, &condition.key.column).ok()?;
        Some(found.schema_and_place(schema))
    }

    /// Returns the kind of the column of a condition.
    pub(super) fn kind(&self, condition: &Condition, schema: Schema) -> Kind {
        let column = self.column(condition, schema);
        let column = column.and_then(|(of, place)| of.column_at(place));
        column.map_or(Kind::Text, |column| column.kind)
    }
}

impl Condition {
    /// Returns the values that the condition lists.
    pub(super) fn values(&self) -> Option<&Values> {
        match &self.predicate {
            Predicate::In(values) => Some(values),
            _ => None,
        }
    }

    fn note(&self, kind: Kind, schema: Schema) -> Option<String> {
        if self.operator.is_unnamed() {
            return matches!(schema, Schema::Oth | Schema::Pas2).then(|| {
                format!(
                    "files of {} have hardly any contributions by individuals, and --contributions takes no other rows: leave it out",
                    schema.name()
                )
            });
        }
        let values = match &self.predicate {
            Predicate::In(values) => &values.texts,
            Predicate::Number(..) if self.key.function.is_none() => {
                return self.note_on_order(kind);
            }
            _ if self.operator.takes == Takes::Prefix => return self.note_on_beginnings(),
            _ => return None,
        };
        let mut values = values.iter().map(|value| String::from_utf8_lossy(value));
        if !self.key.function.is_none() {
            return values.find_map(|value| self.note_on_made(&value));
        }
        match kind {
            Kind::Number => self
                .note_on_commas()
                .or_else(|| values.into_iter().find_map(|v| self.note_on_number(&v))),
            Kind::Date => values
                .into_iter()
                .find_map(|value| self.note_on_date(&value, schema)),
            Kind::ZipCode if !self.typed.contains(',') => {
                values.find_map(|value| self.note_on_zip(&value))
            }
            _ => self.note_on_names().or_else(|| self.note_on_case()),
        }
        .or_else(|| self.note_on_empty())
        .or_else(|| self.note_on_pattern())
    }

    /// Explains that files write most zip codes with nine digits.
    fn note_on_zip(&self, value: &str) -> Option<String> {
        let (column, operator) = (self.name(), self.operator.name);
        let is_short = value.len() == 5 && value.bytes().all(|b| b.is_ascii_digit());
        is_short.then(|| {
            format!(
                "{operator} compares whole texts, and files write zip codes of five digits and of nine: write 'zip5({column}){operator}{value}'"
            )
        })
    }

    /// Explains that case matters, if a list has values in capitals, and one in small letters that it does not have in capitals.
    fn note_on_case(&self) -> Option<String> {
        let texts = self.values()?.texts.iter();
        let texts: Vec<_> = texts.map(|text| String::from_utf8_lossy(text)).collect();
        let has_small = |text: &str| text.contains(char::is_lowercase);
        let is_large = |text: &str| !has_small(text) && text.contains(char::is_uppercase);
        let small = texts.iter().find(|text| has_small(text))?;
        let (operator, capitals) = (self.operator.name, small.to_uppercase());
        let is_slip =
            texts.iter().any(|text| is_large(text)) && !texts.iter().any(|text| *text == capitals);
        is_slip.then(|| {
            format!("{operator} compares exactly, and files have mostly capitals: write {capitals} for '{small}'")
        })
    }

    /// Explains a word for no value.
    fn note_on_empty(&self) -> Option<String> {
        let (column, operator, typed) = (self.name(), self.operator.name, self.typed.trim());
        let is_word = ["null", "nan"]
            .iter()
            .any(|word| typed.eq_ignore_ascii_case(word));
        is_word.then(|| {
            let which = if self.operator.wanted { "empty values" } else { "values that are not empty" };
            format!("{operator} compares {column} with the text '{typed}': for {which} write '{column}{operator}'")
        })
    }

    /// Explains that only expressions have patterns.
    fn note_on_pattern(&self) -> Option<String> {
        let (column, typed) = (self.name(), self.typed.trim());
        let pattern = typed.replace('*', "%");
        let is_pattern = pattern.len() > 1
            && !pattern.contains(',')
            && (pattern.starts_with('%') || pattern.ends_with('%'));
        let operator = if self.operator.wanted { "~" } else { "!~" };
        is_pattern.then(|| {
            let (plain, expression) = (self.operator.name, sql::expression(&pattern));
            format!("{plain} compares whole texts, in which % and * are letters like others: write '{column}{operator}{expression}'")
        })
    }

    /// Explains that a value which is the name of a column is a text like others.
    fn note_on_column(&self) -> Option<String> {
        let values = self.values()?;
        let is_column = |value: &&str| {
            let mut schemas = Schema::ALL.into_iter();
            match value.split_once('.') {
                Some((of, name)) => {
                    schemas.any(|schema| schema.name() == of && schema.named(name).is_some())
                }
                None => schemas
                    .flat_map(Schema::columns)
                    .any(|column| column.name == *value),
            }
        };
        let mut texts = values.texts.iter();
        let texts = texts.find_map(|text| std::str::from_utf8(text).ok().filter(is_column));
        texts.map(|value| {
            let (column, operator) = (self.name(), self.operator.name);
            format!("{value} is also a column, and {operator} compares {column} with the text '{value}': for the column write '{column}{operator}{{{value}}}'")
        })
    }

    /// Explains that zip codes have no order as numbers: some have five digits, and others nine. A year or a month is less than any
    /// image number.
    fn note_on_order(&self, kind: Kind) -> Option<String> {
        let (column, operator, typed) = (self.name(), self.operator.name, self.typed.trim());
        let (written, function, value) = match kind {
            Kind::ZipCode => {
                let written = "zip codes of five digits and of nine";
                (written, "zip5", typed.to_owned())
            }
            Kind::ImageNumber => {
                let day = date::of_column(typed.as_bytes()).map(|day| ("day", date::iso(day)));
                let month = || month_meant(typed).map(|month| ("month", month));
                let year = || (typed.len() == 4).then(|| ("year", typed.to_owned()));
                let (function, value) = day.or_else(month).or_else(year)?;
                ("image numbers of 11 digits and of 18", function, value)
            }
            _ => return None,
        };
        Some(format!(
            "{operator} compares {column} as a number, and files write {written}: write \
             '{function}({column}){operator}{value}'"
        ))
    }

    /// Explains a list of beginnings. Behind the comma of a name stands a blank.
    fn note_on_beginnings(&self) -> Option<String> {
        let typed = self.typed.trim();
        let parts: Vec<_> = typed.split(',').collect();
        let is_name = parts[1..]
            .iter()
            .any(|part| part.is_empty() || part.starts_with(' '));
        if parts.len() < 2 || is_name || typed.contains(['"', '\'']) {
            return None;
        }
        let column = self.name();
        let any = parts.iter().map(|part| regex::escape(part));
        let any = any.collect::<Vec<_>>().join("|");
        Some(format!(
            "^= compares with one beginning, a comma included; for several write '{column}~^({any})'"
        ))
    }

    /// Explains a list with a blank after a comma, which is nearly always one name.
    fn note_on_names(&self) -> Option<String> {
        let typed = self.typed.trim();
        let mut values = typed.split(',');
        let has_quotes = values
            .clone()
            .any(|value| value.trim_start().starts_with(['"', '\'']));
        let is_part = |value: &str| value.starts_with(' ') && !value.trim().is_empty();
        if has_quotes || typed.contains('"') || !values.any(is_part) {
            return None;
        }
        let (column, operator) = (self.name(), self.operator.name);
        let values: Vec<_> = typed.split(',').map(str::trim).collect();
        Some(format!(
            "a comma separates values, so '{column}{operator}{typed}' compares with {}; quotes protect a comma: \
             {column}{operator}\"{typed}\"",
            values.join(" and with ")
        ))
    }

    /// Explains a comma after the last value: the value after it is empty.
    fn note_on_last_comma(&self) -> Option<String> {
        let typed = self.values().map(|_| self.typed.trim())?;
        let list = typed.strip_suffix(',')?.trim_end_matches([',', ' ']);
        let (column, operator) = (self.name(), self.operator.name);
        Some(format!(
            "the value after the last comma of '{column}{operator}{typed}' is empty, and compares with empty values: \
             write '{column}{operator}{list}', or '{column}{operator}{list},\"\"' if they are meant"
        ))
    }

    /// Returns the number that a list such as `1,000` may mean, and whether it can't mean several: no number is written `000` or `$1`.
    pub(super) fn number_with_commas(&self) -> Option<(String, bool)> {
        let typed = self.typed.trim().trim_end_matches(',');
        let (first, rest) = typed.split_once(',')?;
        let digits = first.trim_start_matches(['-', '+', '$']);
        let is_start =
            (1..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        let is_one = first.contains('$') || rest.split(',').any(|group| group.starts_with('0'));
        let number = plain_number(typed).filter(|_| is_start && !rest.contains('$'))?;
        Some((number, is_one))
    }

    /// Explains a list that looks like one number with separators of thousands.
    fn note_on_commas(&self) -> Option<String> {
        let (number, _) = self.number_with_commas().filter(|(_, is_one)| !is_one)?;
        let (column, operator, typed) = (self.name(), self.operator.name, self.typed.trim());
        Some(format!(
            "a comma separates values, so '{column}{operator}{typed}' compares with {}; numbers have no commas: \
             write '{column}{operator}{number}'",
            typed.replace(',', " and with ")
        ))
    }

    fn note_on_number(&self, value: &str) -> Option<String> {
        let (column, operator) = (self.name(), self.operator.name);
        let Some(written) = plain_number(value) else {
            return (!value.is_empty()).then(|| {
                format!(
                    "files never write '{value}' in a column of numbers such as {column}: write numbers as 1000 or -25.5"
                )
            });
        };
        if hundredths(value.as_bytes()).is_some() {
            return None;
        }
        Some(format!(
            "'{value}' is no number as files write them: write '{column}{operator}{written}'"
        ))
    }

    fn note_on_date(&self, value: &str, schema: Schema) -> Option<String> {
        let (column, operator, text) = (self.name(), self.operator.name, value.as_bytes());
        let day = days::meant(value);
        let form = match schema {
            Schema::Oppexp | Schema::Weball | Schema::Webl | Schema::Webk => "MM/DD/YYYY",
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
        let is_year_first = day.is_some_and(|day| day.to_string() == value);
        let is_written_so = has_form && !is_year_first;
        if value.is_empty() || is_written_so || date::of_iso(text).is_some() {
            return None;
        }
        let month = month_meant(value).filter(|_| value.len() <= "01/2018".len());
        let advice = match (day, month) {
            (Some(day), _) => {
                let day = date::iso(day);
                format!("write '{column}{operator}{day}', which compares days")
            }
            (None, Some(month)) => format!("write 'month({column}){operator}{month}'"),
            (None, None) => days::impossible(value).unwrap_or_else(|| {
                format!(
                    "write a day as '{column}{operator}2018-01-31', and a longer time as a range: \
                     --where '{column}>=2018-01-01' --where '{column}<2018-02-01'"
                )
            }),
        };
        Some(format!(
            "{operator} compares '{value}' as text, and files write dates as {form}: {advice}"
        ))
    }

    /// Explains a value that the function of the condition never makes.
    fn note_on_made(&self, value: &str) -> Option<String> {
        let call = self.key.function.call()?;
        let function = call.function;
        if value.is_empty() || (function.makes)(value) {
            return None;
        }
        let (name, form, operator) = (self.name(), function.form, self.operator.name);
        let is_plain =
            |meant: &str| !meant.is_empty() && !meant.contains(['=', '<', '>', '"', '\'']);
        let meant = (function.meant)(value).filter(|(_, meant)| is_plain(meant));
        let column = call.of.name_of(&self.key.column);
        let same = |other: &str| {
            self.name()
                .strip_prefix(other)
                .is_some_and(|rest| rest.starts_with('('))
        };
        let advice = meant.map(|(other, meant)| {
            if same(other) {
                format!(": write '{name}{operator}{meant}'")
            } else {
                format!(": write '{other}({column}){operator}{meant}'")
            }
        });
        Some(format!(
            "{operator} compares text, and {name} is {form}, never '{value}'{}",
            advice.unwrap_or_default()
        ))
    }
}

/// Returns how files write a number, which may be typed with a dollar sign, commas or zeros too many.
pub(super) fn plain_number(typed: &str) -> Option<String> {
    let whole = typed.split_once('.').map_or(typed, |(whole, _)| whole);
    let mut groups = whole.split(',').skip(1);
    if groups.any(|group| group.len() != 3) {
        // Several numbers.
        return None;
    }
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
