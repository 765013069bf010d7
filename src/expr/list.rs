//! Columns and functions of columns, as a user types them.

use super::functions;
use super::{Key, KeyFunction};
use crate::error::Error;

/// The names of the aggregates of groups, which some type where a function can stand.
pub(crate) const AGGREGATES: [&str; 7] = [
    "sum", "min", "max", "mean", "median", "quantile", "distinct",
];

/// What other programs call our functions.
const OTHER_NAMES: [(&str, &str); 12] = [
    ("left", "prefix"),
    ("substr", "prefix"),
    ("substring", "prefix"),
    ("dow", "weekday"),
    ("dayofweek", "weekday"),
    ("date_trunc", "month"),
    ("strftime", "month"),
    ("length", "len"),
    ("ucase", "upper"),
    ("lcase", "lower"),
    ("strip", "trim"),
    ("cut", "bin"),
];

/// The purpose of a list, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Rows are grouped by it.
    Group,
    /// An aggregate is of it.
    Aggregate,
    /// Rows of another table are found by it.
    Join,
}

impl Role {
    fn noun(self) -> &'static str {
        match self {
            Role::Group => "key",
            Role::Aggregate | Role::Join => "column",
        }
    }

    /// Returns what a user may type.
    pub(super) fn example(self) -> &'static str {
        match self {
            Role::Group => "fecscan by 'STATE,month(TRANSACTION_DT)'",
            Role::Aggregate => "--distinct 'zip5(ZIP_CODE)'",
            Role::Join => "--on 'zip5(ZIP_CODE)=geo.zip'",
        }
    }

    /// Returns a description of the items, with an example.
    pub(crate) fn description(self) -> String {
        let description = match self {
            Role::Group => "a key is a column, or a function of one",
            Role::Aggregate => "an aggregate is of a column, or of a function of one",
            Role::Join => "tables are joined on a column of the rows, or on a function of one",
        };
        format!("{description}: {}", self.example())
    }
}

/// Splits a list at the commas that stand in no parentheses and in no quotes.
fn split(list: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let mut is_quoted = false;
    let is_between = |c: char| {
        match c {
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0 && !is_quoted
    };
    list.split(is_between).collect()
}

/// Returns the characters that stand in no double quotes, and their places.
pub(crate) fn outside_quotes(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut is_quoted = false;
    text.char_indices().filter(move |&(_, c)| {
        is_quoted ^= c == '"';
        !is_quoted && c != '"'
    })
}

/// Returns the name of a column without the quotes around it. Two quotes stand for one.
///
/// # Errors
/// If a quote has no partner.
pub(crate) fn unquoted(name: &str) -> Result<String, Error> {
    if !name.matches('"').count().is_multiple_of(2) {
        let what = format!("the column '{name}' has a quote without its partner");
        return Err(Error::usage(what).advise(
            "quotes protect a name with parentheses or commas: '\"zip5(ZIP_CODE)\"'; \"\" is a quote of the name",
        ));
    }
    let parts = name.split("\"\"").map(|part| part.replace('"', ""));
    Ok(parts.collect::<Vec<_>>().join("\""))
}

/// Returns the name of a column as an expression: in quotes, if it would mean something else without them.
pub(crate) fn as_typed(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_.#-".contains(c);
    // Groups are sorted by these words.
    if name.chars().all(is_plain) && !matches!(name, "count" | "key") {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}

/// The most functions that take each other's values. A call takes a piece of the stack while it is parsed, made and dropped, and a
/// partial may be written by anyone.
const CALLS_MAX: usize = 16;

/// The characters of a key that an error repeats.
const SHOWN_MAX: usize = 40;

/// Parses a key with matching parentheses. An empty one gives nothing.
pub(crate) fn parse_key(text: &str, role: Role) -> Option<Result<Key, Error>> {
    match refuse_deep(text, role) {
        Ok(()) => parse_call(text, role),
        Err(error) => Some(Err(error)),
    }
}

/// Refuses functions of functions of functions, and so on.
fn refuse_deep(text: &str, role: Role) -> Result<(), Error> {
    let mut depth = 0_usize;
    for (at, c) in outside_quotes(text) {
        match c {
            '(' if depth == CALLS_MAX => {
                let (noun, shown) = (role.noun(), text.chars().take(SHOWN_MAX));
                let shown: String = shown.collect();
                let what = format!(
                    "the {noun} '{shown}...' has more than {CALLS_MAX} functions inside of each other, at byte {}",
                    at + 1
                );
                return Err(Error::usage(what)
                    .advise(format!("call at most {CALLS_MAX} functions on a column")));
            }
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

fn parse_call(text: &str, role: Role) -> Option<Result<Key, Error>> {
    let Some((at, _)) = outside_quotes(text).find(|&(_, c)| c == '(') else {
        let function = KeyFunction::NONE;
        let key = |column| Key { function, column };
        return (!text.is_empty()).then(|| unquoted(text).map(key));
    };
    let (name, call) = (text[..at].trim(), &text[at + 1..]);
    let Some(call) = call.strip_suffix(')') else {
        let noun = role.noun();
        let what = format!("the {noun} '{text}' goes on after its parenthesis");
        return Some(Err(
            Error::usage(what).advise(format!("put commas between {noun}s"))
        ));
    };
    let parts = split(call);
    let (of, arguments) = parts.split_first().expect("a list has a part");
    let arguments: Vec<_> = arguments.iter().map(|argument| argument.trim()).collect();
    let Some(function) = functions::named(name) else {
        return Some(Err(unknown_function(name, &parts, role)));
    };
    let read = function.parameters.read(&arguments);
    let call = |key: Key, arguments| Key {
        function: key.function.then(function, arguments),
        ..key
    };
    let of = parse_call(of.trim(), role)?;
    Some(of.and_then(|key| match read {
        Ok(arguments) => Ok(call(key, arguments)),
        Err(takes) => {
            let (name, example) = (function.name, function.parameters.example());
            let call = format!("{name}({}{example})", key.name_of(&key.column));
            Err(Error::usage(format!("{name} {takes}")).advise(format!("write {call}")))
        }
    }))
}

/// Returns the error for an unknown function. It suggests one with a similar name.
fn unknown_function(name: &str, arguments: &[&str], role: Role) -> Error {
    let names: Vec<_> = KeyFunction::names().collect();
    let mut wanted = name.to_ascii_lowercase();
    let mut column = arguments[0].trim();
    // SQL names the unit first: date_trunc('month', date).
    if let [unit, of, ..] = arguments
        && wanted.starts_with("date")
    {
        wanted = unit.trim().trim_matches(['\'', '"']).to_ascii_lowercase();
        column = of.trim();
    }
    let distance = |known: &&&str| strsim::osa_distance(&wanted, known);
    let meant = OTHER_NAMES.iter().find(|(other, _)| *other == wanted);
    let near = names
        .iter()
        .min_by_key(distance)
        .filter(|known| distance(known) <= 2);
    let near = meant.map(|(_, known)| known).or(near);
    let question = match near {
        Some(near) => {
            let parameters = functions::named(near).map(|function| function.parameters);
            let example = parameters.map_or("", |parameters| parameters.example());
            format!("did you mean {near}({column}{example})? The")
        }
        None => "the".to_owned(),
    };
    if AGGREGATES.contains(&&wanted[..]) {
        let what = format!("{wanted}({column}) is an aggregate, not a {}", role.noun());
        let advice = match role {
            Role::Group => format!("write --{wanted} {column}"),
            Role::Aggregate => "an aggregate is of the values of rows".to_owned(),
            Role::Join => "a table is joined on values of rows".to_owned(),
        };
        return Error::usage(what).advise(format!(
            "{advice}; a column of this name needs double quotes"
        ));
    }
    let advice = format!("{question} functions are {}", names.join(", "));
    Error::usage(format!("there is no function '{name}'"))
        .advise(format!("{advice}, as in 'month(TRANSACTION_DT)'"))
}
