//! Finds the column of a key for a schema.

use super::{Found, Partners};
use crate::error::Error;
use crate::expr::Key;
use crate::expr::functions::{FUNCTIONS, Function};
use crate::expr::list::{Role, as_typed};
use crate::fec::schema::{Kind, Schema};

impl Key {
    /// Finds the column for rows of `scanned`.
    pub(crate) fn bind(
        &self,
        scanned: Schema,
        partners: &Partners,
        role: Role,
    ) -> Result<Found, Error> {
        let found = partners.column(scanned, &self.column);
        let found = found.map_err(|e| match self.function_meant(scanned) {
            Some(question) => e.advise(question),
            None if role == Role::Group && self.column.eq_ignore_ascii_case("count") => {
                e.advise("the rows of each group are counted without a key: leave it out")
            }
            None if role == Role::Aggregate
                && e.advice()
                    .is_some_and(|advice| advice.contains(',') && advice.ends_with('?')) =>
            {
                e.advise("name one column")
            }
            None if scanned.named(&self.name_of(&self.column)).is_some() => {
                let name = as_typed(&self.name_of(&self.column));
                e.advise(format!(
                    "the column of this name is '{name}', in double quotes"
                ))
            }
            None => e.advise_more(role.description()),
        })?;
        let (schema, place) = found.schema_and_place(scanned);
        // The empty column at the end of rows of oppexp holds text, if anything.
        let column = schema.column_at(place);
        let column = column.map_or(Kind::Text, |column| column.kind);
        for call in self.function.calls() {
            let (function, (takes, kinds)) = (call.function.name, call.function.takes);
            let made = &call.of;
            let kind = made.kind(column);
            if kind == Kind::Untyped || kinds.contains(&kind) {
                continue;
            }
            if let Some(name) = made.name() {
                let what = format!("{function} takes {takes}, and {name} makes none");
                return Err(Error::usage(what).advise(format!("write {function} of a column")));
            }
            let error = holds_other(schema, place, function, takes);
            let names = named(schema, kinds);
            return Err(error.advise(match &names[..] {
                [] if schema.layout().is_some() && kinds.contains(&Kind::Date) => {
                    format!(
                        "{} has no column of them: {}",
                        schema.subject(),
                        schema.date_forms()
                    )
                }
                [] => format!("{} has no column of them", schema.subject()),
                _ if kinds == [Kind::Text] => format!("write {function}(NAME)"),
                names => format!("write {}", wrapped(call.function, names).join(" or ")),
            }));
        }
        Ok(found)
    }

    /// Returns the name of the key, if its column has the name `column`.
    pub(crate) fn name_of(&self, column: &str) -> String {
        self.function.name_of(column)
    }

    /// Returns a question whether a function was meant, if this is an unknown column with the name of one.
    fn function_meant(&self, scanned: Schema) -> Option<String> {
        if !self.function.is_none() {
            return None;
        }
        // Not all near names: cand_name is near last_name.
        let typed = self.column.to_ascii_lowercase().replace('_', "");
        let typed = typed.trim_end_matches('s');
        let mut functions = FUNCTIONS.iter();
        let function = functions.find(|function| function.name.replace('_', "") == typed)?;
        let name = function.name;
        let columns = match function.takes {
            (_, [Kind::Text, ..]) => vec![scanned.columns().get(scanned.named("name")?)?.name],
            (_, kinds) => named(scanned, kinds),
        };
        let example = function.parameters.example();
        let calls = columns
            .iter()
            .map(|column| format!("'{name}({column}{example})'"));
        let calls: Vec<_> = calls.collect();
        (!calls.is_empty()).then(|| {
            let calls = calls.join(" or ");
            format!("did you mean {calls}? The shell needs the quotes")
        })
    }
}

/// Returns the names of the columns of these kinds, in the order of the kinds.
pub(crate) fn named(schema: Schema, kinds: &[Kind]) -> Vec<&'static str> {
    let columns = schema.columns().iter();
    let pairs = kinds
        .iter()
        .flat_map(|kind| columns.clone().map(move |column| (kind, column)));
    let chosen = pairs.filter(|(kind, column)| column.kind == **kind);
    chosen.map(|(_, column)| column.name).collect()
}

fn wrapped(function: &Function, names: &[&str]) -> Vec<String> {
    let example = function.parameters.example();
    let name = function.name;
    let names = names.iter();
    names
        .map(|column| format!("{name}({column}{example})"))
        .collect()
}

/// Returns the error for a column that holds something else than `function` takes.
pub(crate) fn holds_other(schema: Schema, place: usize, function: &str, takes: &str) -> Error {
    let (name, holds) = match schema.column_at(place) {
        Some(column) => (column.name.to_owned(), column.kind),
        None => (format!("#{}", place + 1), Kind::Text),
    };
    let holds = match holds {
        Kind::Text => "text",
        Kind::Number => "numbers",
        Kind::Date => "dates",
        Kind::ImageNumber => "image numbers",
        Kind::ZipCode => "zip codes",
        Kind::Untyped => "values",
    };
    let what = format!("{function} takes {takes}, and {name} holds {holds}");
    Error::usage(what)
}
