//! FROM, the joins and the conditions of the statement that groups are short for.

use std::fmt::Write;

use sqlparser::ast::{Expr, SelectItem};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::parse;
use super::shorthand::Shorthand;
use crate::error::Error;
use crate::expr::Key;
use crate::expr::arguments::Arguments;
use crate::expr::list::as_typed;
use crate::fec::origin::ORIGIN_COLUMNS;
use crate::fec::schema::Schema;
use crate::join::table::Table;
use crate::join::{Partners, key_column};

/// The name of a table of another kind than the FEC's, whose columns are told from those of joined tables by it.
const OTHER_TABLE: &str = "scanned";

/// How a statement names joined tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinedTables {
    /// By the names that they have in memory.
    InMemory,
    /// As files, so that the statement stands alone.
    Files,
}

/// Where the rows of a statement come from.
#[derive(Clone, Debug, PartialEq)]
pub struct From {
    /// The table as it stands behind FROM, and the name that it has in expressions.
    table: String,
    name: String,
    /// The joins, as they stand behind the table.
    joins: Vec<String>,
    /// The conditions, all of which are true of each row.
    conditions: Vec<String>,
    is_joined: bool,
    /// Names of columns of the table that joined tables have too. Alone, they mean the table's.
    shared: Vec<String>,
}

impl From {
    /// Returns the rows of a table: the name of a schema, or a path in quotes.
    pub fn new(table: impl Into<String>) -> From {
        let table = table.into();
        From {
            name: table.clone(),
            table,
            joins: Vec::new(),
            conditions: Vec::new(),
            is_joined: false,
            shared: Vec::new(),
        }
    }

    /// Returns the rows of files of a schema, joined with tables by the ways that lead to them. The first of the files has this path.
    ///
    /// # Errors
    /// If the rows lead to no candidate.
    pub fn joined(
        schema: Schema,
        path: &str,
        partners: &Partners,
        tables: JoinedTables,
    ) -> Result<From, Error> {
        let scanned = if schema.layout().is_some() {
            Shorthand::files(&[path])
        } else {
            schema.name().to_owned()
        };
        let mut from = From::new(scanned);
        if schema.layout().is_some() && !partners.is_empty() {
            from.name = OTHER_TABLE.to_owned();
            let _ = write!(from.table, " AS {OTHER_TABLE}");
        }
        let joined = in_order(schema, partners);
        let keys = (0..joined.len()).map(|nth| on_key(schema, &joined[..nth], joined[nth]));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        from.is_joined = !joined.is_empty();
        from.shared = shared(schema, partners, &keys);
        for (table, key) in joined.into_iter().zip(keys) {
            let name = table.schema.name();
            let on = match &table.on {
                Some(on) => {
                    let column = as_typed(&on.column);
                    let key = from.qualified(&in_sql(&on.key)?);
                    format!("ON {key} = {name}.{column}")
                }
                None => key,
            };
            let source = match tables {
                JoinedTables::InMemory => name.to_owned(),
                JoinedTables::Files => format!("{} AS {name}", Shorthand::files(&table.files)),
            };
            from.joins.push(format!("LEFT JOIN {source} {on}"));
        }
        Ok(from)
    }

    /// Adds a condition, which is true of each row.
    ///
    /// # Errors
    /// A usage error if it is none.
    pub fn add_condition(&mut self, condition: &str) -> Result<(), Error> {
        let parsed = parse::expression(condition);
        let parsed = parsed.map_err(|wrong| wrong.error_in(condition))?;
        let printed = parsed.to_string();
        // A text with several quotes is printed as another one. Behind a comment, a line begins.
        self.conditions.push(match parse::expression(&printed) {
            Ok(again) if again == parsed => printed,
            _ => format!("{condition}\n"),
        });
        Ok(())
    }

    /// Returns an expression with the table before the names that joined tables have too.
    pub(super) fn qualified(&self, text: &str) -> String {
        if !self.is_joined {
            return text.to_owned();
        }
        let tokens = parse::all_tokens(text);
        let places: Vec<_> = (0..tokens.len())
            .filter(|nth| !matches!(tokens[*nth].token, Token::Whitespace(_)))
            .collect();
        let (mut qualified, mut done) = (String::new(), 0);
        for (nth, token) in tokens.iter().enumerate() {
            let at = places.binary_search(&nth);
            let near = |at: Option<usize>| Some(&tokens[*places.get(at?)?].token);
            let before = near(at.ok().and_then(|at| at.checked_sub(1)));
            let after = near(at.ok().map(|at| at + 1));
            if self.is_shared(&token.token) && stands_alone(before, after) {
                let start = parse::place_in(text, token.span.start);
                let _ = write!(qualified, "{}{}.", &text[done..start], self.name);
                done = start;
            }
        }
        qualified + &text[done..]
    }

    /// Returns an item of SELECT. It keeps its title.
    pub(super) fn item(&self, item: &SelectItem) -> String {
        let text = item.to_string();
        let qualified = self.qualified(&text);
        match item {
            SelectItem::UnnamedExpr(expr)
                if qualified != text && !matches!(expr, Expr::Identifier(_)) =>
            {
                format!("{qualified} AS \"{}\"", text.replace('"', "\"\""))
            }
            _ => qualified,
        }
    }

    fn is_shared(&self, token: &Token) -> bool {
        let Token::Word(word) = token else {
            return false;
        };
        let mut shared = self.shared.iter();
        // Numbers are those of the scanned file's columns.
        word.value.starts_with('#') || shared.any(|name| name.eq_ignore_ascii_case(&word.value))
    }

    /// Appends FROM, the joins and WHERE to a statement.
    pub(super) fn write(&self, statement: &mut String) {
        statement.push_str(" FROM ");
        statement.push_str(&self.table);
        for join in &self.joins {
            statement.push(' ');
            statement.push_str(join);
        }
        for (nth, condition) in self.conditions.iter().enumerate() {
            statement.push_str(if nth == 0 { " WHERE " } else { " AND " });
            let condition = self.qualified(condition);
            if self.conditions.len() == 1 {
                statement.push_str(&condition);
            } else {
                let _ = write!(statement, "({condition})");
            }
        }
    }
}

/// Returns the expression of a row that leads to a table. The functions of `--on` make texts, and some have other names than in SQL.
fn in_sql(key: &Key) -> Result<String, Error> {
    let mut text = as_typed(&key.column);
    let calls: Vec<_> = key.function.calls().collect();
    for call in calls.into_iter().rev() {
        text = match (call.function.name, &call.arguments) {
            (_, Arguments::Length(length)) => format!("left({text}, {length})"),
            (name, Arguments::Bounds(..)) => {
                let what = format!("{name} leads to no table");
                return Err(
                    Error::usage(what).advise("write the table's rows for the values themselves")
                );
            }
            ("len", _) => format!("length({text})::VARCHAR"),
            ("zip3", _) => format!("left(zip5({text}), 3)"),
            ("day", _) => format!("{text}::VARCHAR"),
            ("month", _) => format!("strftime({text}, '%Y-%m')"),
            ("year", _) => format!("year({text})::VARCHAR"),
            ("quarter", _) => format!("year({text}) || '-Q' || quarter({text})"),
            ("week", _) => format!("strftime({text}, '%G-W%V')"),
            ("weekday", _) => format!("isodow({text})::VARCHAR"),
            (name, Arguments::None) => format!("{name}({text})"),
        };
    }
    Ok(text)
}

/// Returns tables in the order given, but each behind the one that leads to it.
fn in_order(schema: Schema, partners: &Partners) -> Vec<&Table> {
    let (mut tables, mut waiting) = (Vec::new(), Vec::new());
    for table in partners.tables.iter() {
        if on_key(schema, &tables, table).is_err() {
            waiting.push(table);
            continue;
        }
        tables.push(table);
        let (ready, others) = waiting
            .into_iter()
            .partition(|waiting| on_key(schema, &tables, waiting).is_ok());
        tables.extend::<Vec<_>>(ready);
        waiting = others;
    }
    tables.extend(waiting);
    tables
}

/// Returns how rows of a schema lead to a table of committees, candidates or links: by the FEC's own keys. Nothing for a table with a name.
fn on_key(schema: Schema, before: &[&Table], table: &Table) -> Result<String, Error> {
    if table.on.is_some() {
        return Ok(String::new());
    }
    let (name, key) = (table.schema.name(), key_column(table.schema));
    let has_key = |schema: Schema| schema.columns().iter().any(|column| column.name == key);
    let is_of_others = before.iter().any(|table| {
        has_key(table.schema) && (table.on.is_some() || key_column(table.schema) != key)
    });
    if has_key(schema) && !is_of_others {
        return Ok(format!("USING ({key})"));
    }
    let mut links = before.iter().map(|table| table.schema);
    let link = if has_key(schema) {
        Some(schema)
    } else {
        links.find(|link| has_key(*link))
    };
    match link {
        Some(link) => Ok(format!("ON {}.{key} = {name}.{key}", link.name())),
        None => {
            let what = format!("{} has no {key}, which leads to {name}", schema.subject());
            Err(Error::usage(what).advise("join cm or ccl before it"))
        }
    }
}

/// Returns the names of columns of a schema, long and short, that joined tables have too. Those of USING are one column.
fn shared(schema: Schema, partners: &Partners, keys: &[String]) -> Vec<String> {
    let names = |schema: Schema| {
        let columns = schema.columns().iter();
        columns.flat_map(|column| [column.name, column.alias])
    };
    let is_merged = |name: &str| keys.iter().any(|key| *key == format!("USING ({name})"));
    let is_joined = |name: &str| {
        let mut tables = partners.tables.iter();
        tables.any(|table| names(table.schema).any(|known| known.eq_ignore_ascii_case(name)))
    };
    let shared = names(schema).filter(|name| !name.is_empty() && is_joined(name));
    // Files that are joined have these columns of every input, too.
    let of_inputs = ORIGIN_COLUMNS.iter().map(|column| column.name);
    let of_inputs = of_inputs.filter(|_| !partners.is_empty());
    let shared = shared.chain(of_inputs).filter(|name| !is_merged(name));
    shared.map(str::to_owned).collect()
}

/// Says whether a word between two tokens is the name of a column: no part of a longer name, no function, no type, and no name behind AS.
fn stands_alone(before: Option<&Token>, after: Option<&Token>) -> bool {
    let names_type = match before {
        Some(Token::Word(word)) => word.keyword == Keyword::AS,
        Some(token) => matches!(token, Token::Period | Token::DoubleColon),
        None => false,
    };
    let is_longer = matches!(
        after,
        Some(Token::Period | Token::LParen | Token::SingleQuotedString(_))
    );
    !names_type && !is_longer
}
