//! Lists of columns and functions of columns, as a user types them.

use super::functions::FUNCTIONS;
use super::{Key, KeyFunction, function_of, usage};
use crate::error::Error;

/// The names of the aggregates of groups, which some type where a function can stand.
pub(crate) const AGGREGATES: [&str; 6] = ["sum", "min", "max", "mean", "median", "distinct"];

/// The purpose of a list, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Rows are grouped by it.
    Group,
    /// Rows are exported with it.
    Export,
    /// Rows are chosen by it.
    Condition,
}

impl Role {
    fn noun(self) -> &'static str {
        match self {
            Role::Group => "key",
            Role::Export | Role::Condition => "column",
        }
    }

    /// Returns what a user may type.
    pub(super) fn example(self) -> &'static str {
        match self {
            Role::Group => "fecscan by 'STATE,month(TRANSACTION_DT)'",
            Role::Export => "fecscan export --columns 'NAME,month(TRANSACTION_DT)'",
            Role::Condition => "--where 'month(TRANSACTION_DT)=2018-01'",
        }
    }

    /// Returns a description of the items, with an example.
    pub(crate) fn description(self) -> String {
        match self {
            Role::Group => format!(
                "a key is a column, or a function of one: {}",
                self.example()
            ),
            Role::Export => format!(
                "a column of the export is one of the rows, or a function of one: {}",
                self.example()
            ),
            Role::Condition => format!(
                "a condition is on a column, or on a function of one: {}",
                self.example()
            ),
        }
    }
}

/// Parses columns and functions of columns, with commas between them.
pub(crate) fn parse(text: &str, role: Role) -> Result<Vec<Key>, Error> {
    let wrong = |what: &str| {
        usage(format!("the {}s '{text}' {what}", role.noun())).advise(format!(
            "write columns with commas between them, in quotes as far as the shell is concerned: {} itcont.txt",
            role.example()
        ))
    };
    let mut depth = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return Err(wrong("have a closing parenthesis too many")),
            b')' => depth -= 1,
            b',' if depth > 0 => return Err(wrong("have a comma inside of parentheses")),
            _ => {}
        }
        if depth > 1 {
            return Err(wrong("have parentheses inside of parentheses"));
        }
    }
    if depth > 0 {
        return Err(wrong("lack a closing parenthesis"));
    }
    text.split(',')
        .map(|key| parse_key(key.trim(), role).unwrap_or_else(|| Err(wrong("have an empty one"))))
        .collect()
}

/// Parses a key with matching parentheses. An empty one gives nothing.
fn parse_key(text: &str, role: Role) -> Option<Result<Key, Error>> {
    if !text.contains('(') {
        let column = text.to_owned();
        let function = KeyFunction::NONE;
        return (!text.is_empty()).then_some(Ok(Key { function, column }));
    }
    let Some((name, column)) = function_of(text) else {
        let noun = role.noun();
        let what = format!("the {noun} '{text}' goes on after its parenthesis");
        return Some(Err(
            usage(what).advise(format!("put commas between {noun}s"))
        ));
    };
    let key = call(name, column, role);
    (!column.is_empty() || key.is_err()).then_some(key)
}

/// Returns the key of the function `name`, of `column`.
pub(crate) fn call(name: &str, column: &str, role: Role) -> Result<Key, Error> {
    let column = column.to_owned();
    match KeyFunction::named(name) {
        Some(function) => Ok(Key { function, column }),
        None => Err(unknown_function(name, &column, role)),
    }
}

fn unknown_function(name: &str, column: &str, role: Role) -> Error {
    let names = FUNCTIONS.each_ref().map(|function| function.name);
    let wanted = name.to_ascii_lowercase();
    let distance = |known: &&&str| strsim::osa_distance(&wanted, known);
    let near = names
        .iter()
        .min_by_key(distance)
        .filter(|known| distance(known) <= 2);
    let question = match near {
        Some(near) => format!("did you mean {near}({column})? The"),
        None => "the".to_owned(),
    };
    if AGGREGATES.contains(&&wanted[..]) {
        let what = format!("{wanted}({column}) is an aggregate, not a {}", role.noun());
        return usage(what).advise(match role {
            Role::Group => format!("write --{wanted} {column}"),
            Role::Export => format!("'fecscan by' has aggregates: --{wanted} {column}"),
            Role::Condition => format!(
                "conditions choose rows one by one; 'fecscan by' has aggregates: --{wanted} {column}"
            ),
        });
    }
    let advice = format!("{question} functions are {}", names.join(", "));
    usage(format!("there is no function '{name}'"))
        .advise(format!("{advice}, as in 'month(TRANSACTION_DT)'"))
}
