//! FROM, the joins and the conditions of the statements that commands are short for.

use std::fmt::Write;
use std::mem;

use sqlparser::ast::{Expr, Ident, SelectItem};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::given::{GivenTable, GivenTables, Join, On, key_column};
use super::names::{Clause, RowNames};
use super::parse::canonical::canonical;
use super::parse::tokens;
use super::projection::SelectList;
use super::{bind, file, parse};
use crate::error::Error;
use crate::fec::origin::ORIGIN_COLUMNS;
use crate::fec::schema::{CONTRIBUTION_TYPES, Schema};

/// The name of the scanned table if it is of another kind than the FEC's. Before a column, it tells the scanned one from a joined one.
const OTHER_TABLE: &str = "scanned";

/// How a statement names joined tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableNames {
    /// By the names that they have in memory.
    InMemory,
    /// As files, so that the statement stands alone.
    Files,
}

/// Where the rows of a statement come from.
///
/// ```
/// use fecscan::sql::{From, GivenTables, TableNames};
/// use fecscan::Schema;
///
/// let mut from = From::joined(Schema::Indiv, "itcont.txt", &GivenTables::default(), TableNames::Files)?;
/// from.add_condition("amount >= 1000")?;
/// assert_eq!(from.select(&["NAME".to_owned()], Some(10)), "SELECT NAME FROM indiv WHERE amount >= 1000 LIMIT 10");
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct From {
    /// The table as it stands behind FROM, and the name that it has in expressions.
    table: String,
    name: String,
    /// The joins, as they stand behind the table.
    joins: Vec<String>,
    /// The conditions, all of which are true of each row.
    conditions: Vec<String>,
    /// What the joined tables are.
    joined: Vec<Schema>,
    /// Names of columns that both the table and a joined one have. Alone, such a name means the table's column.
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
            joined: Vec::new(),
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
        given: &GivenTables,
        names: TableNames,
    ) -> Result<From, Error> {
        let scanned = if schema.layout().is_some() {
            in_quotes(path)
        } else {
            schema.name().to_owned()
        };
        let mut from = From::new(scanned);
        if schema.layout().is_some() && !given.is_empty() {
            from.name = OTHER_TABLE.to_owned();
            let _ = write!(from.table, " AS {OTHER_TABLE}");
        }
        let joined = in_order(schema, given);
        let keys = (0..joined.len()).map(|nth| on_key(schema, &joined[..nth], joined[nth]));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        from.joined = joined.iter().map(|table| table.schema).collect();
        from.shared = shared(schema, given, &keys);
        for (table, key) in joined.into_iter().zip(keys) {
            let name = table.name();
            let on = match &table.on {
                Some(On { key, column, .. }) => {
                    let key = from.qualified(&key.to_string());
                    format!("ON {key} = {name}.{column}")
                }
                None => key,
            };
            let source = match names {
                TableNames::InMemory => name.to_owned(),
                TableNames::Files => format!("{} AS {name}", files(&table.files)),
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

    /// Adds the condition that a row is an individual contribution by the FEC's own rule.
    pub fn add_contributions(&mut self) {
        let types = CONTRIBUTION_TYPES.map(|of| format!("'{of}'")).join(", ");
        let condition = format!("TRANSACTION_TP IN ({types})");
        self.conditions.push(condition);
    }

    /// Returns the statement that selects these columns of rows.
    pub fn select(&self, columns: &[String], limit: Option<u64>) -> String {
        let mut statement = format!("SELECT {}", columns.join(", "));
        self.write(&mut statement);
        if let Some(limit) = limit {
            let _ = write!(statement, " LIMIT {limit}");
        }
        statement
    }

    /// Returns the columns of a list for rows of a schema. Columns have the names of their tables, in whatever case they were typed. An
    /// empty list is all columns of the rows.
    pub fn columns(&self, list: &SelectList, schema: Schema) -> Vec<String> {
        if list.is_empty() {
            let all = match self.joined[..] {
                [] => "*".to_owned(),
                _ => format!("{}.*", self.name),
            };
            return vec![all];
        }
        let schemas = [schema].into_iter().chain(self.joined.iter().copied());
        let tables: Vec<_> = schemas.map(|of| file::table(0, of, None)).collect();
        let title = |name: &Ident| {
            let mut tables = tables.iter();
            let column = tables.find_map(|table| table.column(&name.value, name.span).ok()?)?;
            Some(Ident::with_quote('"', &column.name))
        };
        let column = |item: &SelectItem| match item {
            SelectItem::UnnamedExpr(Expr::Identifier(name)) => match title(name) {
                Some(title) if title.value != name.value => {
                    format!("{} AS {title}", self.qualified(&name.to_string()))
                }
                _ => self.item(item),
            },
            item => self.item(item),
        };
        let items = list.parts.iter().flat_map(|part| &part.items);
        items.map(column).collect()
    }

    /// Returns an expression with the table before the names that joined tables have too.
    pub(super) fn qualified(&self, text: &str) -> String {
        if self.joined.is_empty() {
            return text.to_owned();
        }
        let tokens = tokens::all_tokens(text);
        let places: Vec<_> = (0..tokens.len())
            .filter(|nth| !matches!(tokens[*nth].token, Token::Whitespace(_)))
            .collect();
        let (mut qualified, mut done) = (String::new(), 0);
        let mut others = OtherNames::default();
        for (nth, token) in tokens.iter().enumerate() {
            let at = places.binary_search(&nth);
            let near = |at: Option<usize>| Some(&tokens[*places.get(at?)?].token);
            let before = near(at.ok().and_then(|at| at.checked_sub(1)));
            let after = near(at.ok().map(|at| at + 1));
            let is_other = others.see(&token.token, after);
            if !is_other && self.is_shared(&token.token) && stands_alone(before, after) {
                let start = tokens::place_in(text, token.span.start);
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

/// Tells the names that are not those of columns of the rows: within a query, and behind EXCLUDE.
#[derive(Default)]
struct OtherNames {
    /// The parentheses that are open.
    depth: usize,
    /// The depth at which such names end.
    ends: Option<usize>,
    /// One name follows.
    is_one: bool,
}

impl OtherNames {
    /// Says whether a token is such a name. `after` is the one behind it that is no white space.
    fn see(&mut self, token: &Token, after: Option<&Token>) -> bool {
        if matches!(token, Token::Whitespace(_)) {
            return false;
        }
        let is_other = self.ends.is_some() || mem::take(&mut self.is_one);
        let keyword = |token: &Token| match token {
            Token::Word(word) => word.keyword,
            _ => Keyword::NoKeyword,
        };
        match token {
            Token::LParen => {
                let begins = after.map_or(Keyword::NoKeyword, keyword);
                if is_other || matches!(begins, Keyword::SELECT | Keyword::WITH) {
                    self.ends.get_or_insert(self.depth);
                }
                self.depth += 1;
            }
            Token::RParen => {
                self.depth = self.depth.saturating_sub(1);
                self.ends.take_if(|ends| *ends == self.depth);
            }
            token => self.is_one = keyword(token) == Keyword::EXCLUDE,
        }
        is_other
    }
}

impl Join {
    /// Returns how rows lead to the table, if it has a name. Columns have their names in the schema of the rows.
    pub fn canonical(&self, scanned: Schema) -> Option<String> {
        let On { name, key, column } = self.on.as_ref()?;
        // The text has other places than what was typed.
        let text = key.to_string();
        let tree = parse::expression(&text).ok()?;
        let mut names = RowNames::new(scanned, Clause::Condition);
        let bound = bind::expression(&tree, &mut names);
        let named = bound.map(|_| names.named).unwrap_or_default();
        Some(format!("{} = {name}.{column}", canonical(&text, &named)))
    }
}

/// Returns a path as a statement names it.
fn in_quotes(path: &str) -> String {
    format!("'{}'", path.replace('\'', "''"))
}

/// Returns files as FROM names them: a path, or all rows of several.
fn files(paths: &[String]) -> String {
    if let [path] = paths {
        return in_quotes(path);
    }
    let selects = paths
        .iter()
        .map(|path| format!("SELECT * FROM {}", in_quotes(path)));
    format!("({})", selects.collect::<Vec<_>>().join(" UNION ALL "))
}

/// Returns tables in the order given, but those of the FEC each behind the one that leads to it.
fn in_order(schema: Schema, given: &GivenTables) -> Vec<&GivenTable> {
    let (mut tables, mut waiting) = (Vec::new(), Vec::new());
    for table in given.iter() {
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
fn on_key(schema: Schema, before: &[&GivenTable], table: &GivenTable) -> Result<String, Error> {
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
fn shared(schema: Schema, given: &GivenTables, keys: &[String]) -> Vec<String> {
    let names = |schema: Schema| {
        let columns = schema.columns().iter();
        columns.flat_map(|column| [column.name, column.alias])
    };
    let is_merged = |name: &str| keys.iter().any(|key| *key == format!("USING ({name})"));
    let is_joined = |name: &str| {
        let mut tables = given.iter();
        tables.any(|table| names(table.schema).any(|known| known.eq_ignore_ascii_case(name)))
    };
    let shared = names(schema).filter(|name| !name.is_empty() && is_joined(name));
    // Files that are joined have these columns of every input, too.
    let of_inputs = ORIGIN_COLUMNS.iter().map(|column| column.name);
    let of_inputs = of_inputs.filter(|_| !given.is_empty());
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
