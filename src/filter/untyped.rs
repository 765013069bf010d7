//! Notes on columns without a type: `=` compares their texts, also where numbers stand there.

use super::Filter;
use super::condition::Condition;
use crate::fec::number::Number;
use crate::fec::schema::{Kind, Schema};
use crate::input::ColumnInfo;

impl Filter {
    /// Returns notes on conditions that compare a number as text with one of the `columns` of a file of another kind, in whose first
    /// rows numbers stand.
    pub fn notes_on_texts(&self, schema: Schema, columns: &[ColumnInfo]) -> Vec<String> {
        let is_number = |value: &&[u8]| Number::of(value).is_some();
        let advice = |condition: &Condition| {
            let place = schema.column(&condition.key.column).ok()?;
            let values = columns.get(place)?.values.iter().map(Vec::as_slice);
            let mut values = values.filter(|value| !value.is_empty()).peekable();
            let is_untyped =
                condition.key.function.is_none() && self.kind(condition, schema) == Kind::Untyped;
            if !is_untyped || values.peek().is_none() || !values.all(|value| is_number(&value)) {
                return None;
            }
            let mut texts = condition.values()?.texts.iter().map(|text| &**text);
            let text = String::from_utf8_lossy(texts.find(is_number)?);
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
