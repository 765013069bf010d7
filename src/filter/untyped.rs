//! Notes on columns without a type: `=` compares their texts, also where numbers or dates stand there that can be written in several
//! ways.

use super::Filter;
use super::condition::Condition;
use crate::fec::date;
use crate::fec::number::Number;
use crate::fec::schema::{Kind, Schema};
use crate::input::ColumnInfo;

impl Filter {
    /// Returns notes on conditions that compare a number or a date as text with one of the `columns` of a file of another kind, in whose
    /// first rows numbers or dates stand. Codes of one length such as `02138` are equal as texts too, and so are dates that are all written
    /// in one way.
    pub fn notes_on_texts(&self, schema: Schema, columns: &[ColumnInfo]) -> Vec<String> {
        let is_number = |value: &&[u8]| Number::of(value).is_some();
        let advice = |condition: &Condition| {
            let place = schema.column(&condition.key.column).ok()?;
            let ColumnInfo { width, values } = columns.get(place)?;
            let width = *width;
            let values = values.iter().map(Vec::as_slice);
            let values: Vec<_> = values.filter(|value| !value.is_empty()).collect();
            let kind = schema.column_at(place)?.kind;
            let is_untyped = condition.key.function.is_none() && kind == Kind::Untyped;
            if !is_untyped || values.is_empty() {
                return None;
            }
            let note = |text: &[u8], what: &str, kind: &str| {
                let text = String::from_utf8_lossy(text);
                let (column, operator) = (condition.name(), condition.operator.name);
                Some(format!(
                    "{operator} compares {column} with the text '{text}', as the column has no type: for {what} add \
                     --types '{column}={kind}'"
                ))
            };
            let mut texts = condition.values()?.texts.iter().map(|text| &**text);
            let is_day = |value: &&[u8]| date::of_column(value).is_some();
            let is_written_so =
                |value: &&[u8]| value.len() == width && date::of_iso(value).is_some();
            if values.iter().all(is_day) && !values.iter().all(is_written_so) {
                let day = texts.clone().find(|text| date::of_iso(text).is_some());
                if let Some(day) = day {
                    return note(day, "days", "date");
                }
            }
            if !values.iter().all(is_number) {
                return None;
            }
            let are_codes = |number: &&[u8]| {
                let all = || values.iter().chain([number]);
                let is_like =
                    |one: &&[u8]| one.len() == number.len() && one.iter().all(u8::is_ascii_digit);
                number.len() > 1 && all().any(|one| one[0] == b'0') && all().all(is_like)
            };
            let number = texts.find(|text| is_number(text) && !are_codes(text))?;
            note(number, "numbers by value", "number")
        };
        let conditions = self.conditions.iter().flatten();
        conditions.filter_map(advice).collect()
    }
}
