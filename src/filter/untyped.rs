//! Notes on columns without a type: `=` compares their texts, also where numbers stand there that can be written in several ways.

use super::Filter;
use super::condition::Condition;
use crate::fec::number::Number;
use crate::fec::schema::{Kind, Schema};
use crate::input::ColumnInfo;

impl Filter {
    /// Returns notes on conditions that compare a number as text with one of the `columns` of a file of another kind, in whose first
    /// rows numbers stand. Codes of one length such as `02138` are equal as texts too.
    pub fn notes_on_texts(&self, schema: Schema, columns: &[ColumnInfo]) -> Vec<String> {
        let is_number = |value: &&[u8]| Number::of(value).is_some();
        let advice = |condition: &Condition| {
            let place = schema.column(&condition.key.column).ok()?;
            let values = columns.get(place)?.values.iter().map(Vec::as_slice);
            let values: Vec<_> = values.filter(|value| !value.is_empty()).collect();
            let kind = schema.column_at(place)?.kind;
            let is_untyped = condition.key.function.is_none() && kind == Kind::Untyped;
            if !is_untyped || values.is_empty() || !values.iter().all(is_number) {
                return None;
            }
            let are_codes = |number: &&[u8]| {
                let all = || values.iter().chain([number]);
                let is_like =
                    |one: &&[u8]| one.len() == number.len() && one.iter().all(u8::is_ascii_digit);
                number.len() > 1 && all().any(|one| one[0] == b'0') && all().all(is_like)
            };
            let mut texts = condition.values()?.texts.iter().map(|text| &**text);
            let text = texts.find(|text| is_number(text) && !are_codes(text))?;
            let text = String::from_utf8_lossy(text);
            let (column, operator) = (condition.name(), condition.operator.name);
            Some(format!(
                "{operator} compares {column} with the text '{text}', as the column has no type: for numbers by value add \
                 --types '{column}=number'"
            ))
        };
        let conditions = self.conditions.iter().flatten();
        conditions.filter_map(advice).collect()
    }
}
