//! What is wrong with a statement, and the sentences that say it. All errors of SQL are worded here.

use sqlparser::tokenizer::Span;

use super::aggregates::Function as Aggregate;
use super::functions::{Function, WrongCall};
use super::types::Type;
use super::value::Value;
use crate::error::{Error, ErrorKind, escaped};
use crate::fec::schema::Schema;
use crate::render::one_or_many;

/// What is wrong, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Wrong {
    what: String,
    advice: Option<String>,
    span: Span,
}

/// Returns what a name may be that is no column.
fn unknown_name(name: &str) -> String {
    let is_name = |of: &Schema| {
        let mut columns = of.columns().iter();
        columns.any(|column| column.name.eq_ignore_ascii_case(name))
    };
    let shown = escaped(name.as_bytes());
    if Function::named(name).is_some() {
        return format!("the function takes parentheses: {shown}(..)");
    }
    match Schema::ALL.iter().find(|schema| is_name(schema)) {
        Some(schema) => format!("it is a column of {}: join its file", schema.name()),
        None => format!("a text takes single quotes: '{shown}'"),
    }
}

impl Wrong {
    fn new(what: impl Into<String>, span: Span) -> Wrong {
        Wrong {
            what: what.into(),
            advice: None,
            span,
        }
    }

    fn advise(mut self, advice: impl Into<String>) -> Wrong {
        self.advice = Some(advice.into());
        self
    }

    /// Says what an error does, at a place.
    pub(super) fn of_error(error: &Error, span: Span) -> Wrong {
        let wrong = Wrong::new(error.to_string(), span);
        match error.advice() {
            Some(advice) => wrong.advise(advice),
            None => wrong,
        }
    }

    pub(super) fn syntax(what: String, span: Span) -> Wrong {
        let mut what = what;
        if let Some(first) = what.get(..1) {
            let small = first.to_lowercase();
            what.replace_range(..1, &small);
        }
        Wrong::new(what, span)
    }

    pub(super) fn too_long(bytes: usize, most: usize) -> Wrong {
        let what = format!("the statement has {bytes} bytes, and {most} are the most");
        Wrong::new(what, super::parse::START).advise("join a file with the long list of values")
    }

    pub(super) fn too_deep(most: usize, span: Span) -> Wrong {
        let what = format!("expressions stand more than {most} deep in each other");
        Wrong::new(what, span).advise("leave out parentheses, or connect fewer operators")
    }

    pub(super) fn no_query(first: &str, span: Span) -> Wrong {
        let shown = escaped(first.as_bytes());
        let advice = match &first.to_ascii_uppercase()[..] {
            "DESCRIBE" | "DESC" | "SHOW" | "SUMMARIZE" => {
                "fecscan columns indiv lists the columns, and fecscan info FILE shows values of each"
            }
            "COPY" | "CREATE" | "INSERT" | "UPDATE" | "DELETE" | "EXPORT" => {
                "fecscan only reads files; -o FILE writes the result"
            }
            "PIVOT" => {
                "write an aggregate for each column: sum(amount) FILTER (WHERE STATE = 'CA') AS CA"
            }
            _ => "write SELECT ... FROM 'FILE'",
        };
        Wrong::new(
            format!("a statement begins with SELECT, WITH or FROM, and not with '{shown}'"),
            span,
        )
        .advise(advice)
    }

    pub(super) fn no_condition(span: Span) -> Wrong {
        Wrong::new("a condition is empty", span).advise("write one such as STATE = 'CA'")
    }

    pub(super) fn too_many_queries(most: usize, span: Span) -> Wrong {
        let what = format!("a statement of more than {most} queries");
        Wrong::unsupported(&what, "ask it in parts, and read their results", span)
    }

    pub(super) fn too_many_joins(most: usize, span: Span) -> Wrong {
        let what = format!("a statement of more than {most} joins");
        Wrong::unsupported(&what, "join fewer tables, and read the result", span)
    }

    pub(super) fn too_many_regexes(most: usize, span: Span) -> Wrong {
        Wrong::new(
            format!("there are more than {most} regular expressions"),
            span,
        )
        .advise("put alternatives into one: NAME ~ 'ANN|MARY'")
    }

    pub(super) fn too_many_conditions(most: usize) -> Wrong {
        let what = format!("there are more than {most} conditions");
        Wrong::new(what, Span::empty())
            .advise("connect them by AND: STATE = 'CA' AND amount >= 1000")
    }

    pub(super) fn too_many_operators(most: usize, span: Span) -> Wrong {
        Wrong::new(
            format!("the statement has more than {most} operators"),
            span,
        )
        .advise("write many values as a list: STATE IN ('CA', 'NY')")
    }

    /// Says that something of SQL is not supported, and what to do instead.
    pub(super) fn unsupported(what: &str, instead: &str, span: Span) -> Wrong {
        Wrong::new(format!("{what} is not supported"), span).advise(instead)
    }

    pub(super) fn no_column(name: &str, of: &str, near: Option<&str>, span: Span) -> Wrong {
        let shown = escaped(name.as_bytes());
        let wrong = Wrong::new(format!("no column {shown} in {of}"), span);
        match near {
            Some(near) => wrong.advise(format!("did you mean {near}?")),
            None => wrong.advise(unknown_name(name)),
        }
    }

    pub(super) fn ambiguous(name: &str, one: &str, other: &str, span: Span) -> Wrong {
        let what = format!("{name} may be {one} or {other}");
        Wrong::new(what, span).advise(format!(
            "write it in its own letters, in double quotes: \"{one}\""
        ))
    }

    pub(super) fn of_two_tables(name: &str, one: &str, other: &str, span: Span) -> Wrong {
        let name = escaped(name.as_bytes());
        Wrong::new(format!("{name} is a column of {one} and of {other}"), span)
            .advise(format!("write {one}.{name} or {other}.{name}"))
    }

    pub(super) fn no_table(name: &str, span: Span) -> Wrong {
        let what = format!("no table {} in FROM", escaped(name.as_bytes()));
        Wrong::new(what, span)
    }

    pub(super) fn no_function(name: &str, near: Option<&str>, span: Span) -> Wrong {
        let wrong = Wrong::new(format!("no function {}", escaped(name.as_bytes())), span);
        match near {
            Some(near) => wrong.advise(format!("did you mean {near}?")),
            None => wrong.advise("'fecscan help sql' lists the functions"),
        }
    }

    pub(super) fn call(function: &Function, wrong: &WrongCall, title: &str, span: Span) -> Wrong {
        let name = match function.names[0] {
            "~~" => "LIKE",
            "~~*" => "ILIKE",
            name => name,
        };
        match wrong {
            WrongCall::Count => {
                let [least, most] = function.arguments();
                let count = if least == most {
                    format!("{most}")
                } else {
                    format!("{least} to {most}")
                };
                let noun = one_or_many(most as u64, "argument", "arguments");
                Wrong::new(format!("{name} takes {count} {noun}"), span)
            }
            WrongCall::Argument(nth) => {
                let takes = function.parameter(*nth);
                let cast = match takes {
                    "a text" if title == "DATE" => {
                        "compare a day with '2018-01-31', or parts of it, as in year(x) = 2018; strftime(x, '%m%d%Y') makes a text"
                    }
                    "a text" => "CAST(x AS VARCHAR) makes a text of a number or a day",
                    "a DATE" => "TRY_CAST(x AS DATE) reads a text as a day",
                    _ => "TRY_CAST(x AS DECIMAL(14,2)) reads a text as a number",
                };
                Wrong::new(format!("{name} takes {takes}, not {title}"), span).advise(cast)
            }
            WrongCall::NoLiteral(nth) => {
                let takes = function.parameter(*nth);
                Wrong::new(
                    format!("{name} takes {takes} that is the same in all rows"),
                    span,
                )
            }
            WrongCall::Literal(what) => Wrong::new(what.clone(), span),
        }
        .advise_help(function)
    }

    fn advise_help(self, function: &Function) -> Wrong {
        if self.advice.is_some() {
            return self;
        }
        let help = function.help;
        self.advise(help)
    }

    /// Says that a literal can't be compared with, or be in the place of, values of a type.
    pub(super) fn no_cast(value: &Value, to: Type, title: Option<&str>, span: Span) -> Wrong {
        let shown = match value {
            Value::Text(text) => format!("'{}'", escaped(text)),
            other => other.to_string(),
        };
        let kind = match to {
            Type::Date => "day such as '2018-01-31'",
            Type::Boolean => "truth value",
            _ => "number",
        };
        let what = match title {
            Some(title) => format!("{title} is {to}, and {shown} is not a {kind}"),
            None if to.is_number() => format!("{shown} is not of type {to}"),
            None => format!("{shown} is not a {kind}"),
        };
        Wrong::new(what, span)
    }

    pub(super) fn no_common_type(one: Type, other: Type, span: Span) -> Wrong {
        let what = format!("{one} and {other} have no type in common");
        let advice = match (one, other) {
            (Type::Varchar, number) | (number, Type::Varchar) if number.is_number() => {
                "a text takes single quotes, and TRY_CAST(x AS DECIMAL(14,2)) reads a text as a number"
            }
            (Type::Varchar, Type::Date) | (Type::Date, Type::Varchar) => {
                "TRY_CAST(x AS DATE) reads a text as a day"
            }
            (Type::Date, number) | (number, Type::Date) if number.is_number() => {
                "a day is '2018-01-31', and year(x) is a number"
            }
            _ => "cast one of them: CAST(x AS VARCHAR)",
        };
        Wrong::new(what, span).advise(advice)
    }

    pub(super) fn interval(span: Span) -> Wrong {
        let instead =
            "add whole days, weeks, months, quarters or years to a DATE: date + INTERVAL 30 DAY";
        Wrong::unsupported("such an interval", instead, span)
    }

    pub(super) fn takes(operator: &str, takes: &str, found: Type, span: Span) -> Wrong {
        let wrong = Wrong::new(format!("{operator} takes {takes}, not {found}"), span);
        match (takes, found) {
            ("numbers", Type::Varchar) => wrong.advise(
                "write TRY_CAST(x AS DECIMAL(14,2)), or --types x=number for a column of another file",
            ),
            ("numbers", Type::Boolean) => wrong.advise("count_if(x) counts what is true"),
            _ => wrong,
        }
    }

    pub(super) fn never_null(name: &str, wanted: bool, span: Span) -> Wrong {
        let operator = if wanted { "=" } else { "<>" };
        Wrong::new(format!("{name} is never NULL; an empty field is ''"), span)
            .advise(format!("write {name} {operator} ''"))
    }

    pub(super) fn not_grouped(title: &str, span: Span) -> Wrong {
        Wrong::new(
            format!("{title} is neither in GROUP BY nor in an aggregate"),
            span,
        )
        .advise("add it to GROUP BY, or make an aggregate of it")
    }

    pub(super) fn aggregate_here(name: &str, clause: &str, span: Span) -> Wrong {
        Wrong::new(
            format!("the aggregate {name} can't stand in {clause}"),
            span,
        )
        .advise("HAVING chooses groups by aggregates")
    }

    pub(super) fn of_many_rows(what: &str, span: Span) -> Wrong {
        Wrong::new(
            format!("{what} is of many rows, and a list of columns of one"),
            span,
        )
        .advise("write the statement with 'fecscan sql'")
    }

    pub(super) fn no_columns(span: Span) -> Wrong {
        Wrong::new("a list of columns is empty", span)
            .advise("write columns or expressions of them: NAME, year(date)")
    }

    pub(super) fn aggregate_arguments(function: &Aggregate, span: Span) -> Wrong {
        let (name, counts) = (function.names[0], function.arguments());
        let count = match counts.clone().into_inner() {
            (1, 1) | (0, 1) => "1 argument".to_owned(),
            (2, 2) => "2 arguments".to_owned(),
            (least, most) => format!("{least} to {most} arguments"),
        };
        Wrong::new(format!("{name} takes {count}"), span).advise(match name {
            "count" => "write count(DISTINCT (x, y)) for pairs".to_owned(),
            _ => format!("write {}", function.example),
        })
    }

    pub(super) fn distinct_in(function: &Aggregate, span: Span) -> Wrong {
        let what = format!("DISTINCT in {}", function.names[0]);
        Wrong::unsupported(&what, "count(DISTINCT x) is", span)
    }

    pub(super) fn sum_of_double(function: &Aggregate, span: Span) -> Wrong {
        let name = function.names[0];
        let what = format!("{name} of DOUBLE, which would depend on the order of rows,");
        let instead = format!("cast the values: {name}(CAST(x AS DECIMAL(18,4)))");
        Wrong::unsupported(&what, &instead, span)
    }

    pub(super) fn quantile_of_text(function: &Aggregate, span: Span) -> Wrong {
        let what = format!("{} of a text", function.names[0]);
        Wrong::unsupported(&what, "min(x) and max(x) are", span)
    }

    pub(super) fn filter_behind(name: &str, span: Span) -> Wrong {
        Wrong::unsupported(
            &format!("FILTER behind {name}"),
            "FILTER is for aggregates",
            span,
        )
    }

    pub(super) fn grouping_without_keys(function: &Aggregate, span: Span) -> Wrong {
        let what = format!(
            "{} is about the keys that GROUP BY names",
            function.names[0]
        );
        Wrong::new(what, span).advise("write GROUP BY ROLLUP (STATE, CITY)")
    }

    pub(super) fn no_key(function: &Aggregate, span: Span) -> Wrong {
        let what = format!("{} takes expressions of GROUP BY", function.names[0]);
        Wrong::new(what, span).advise("write them as GROUP BY has them")
    }

    pub(super) fn too_many_sets(most: usize, span: Span) -> Wrong {
        Wrong::new(format!("GROUP BY has more than {most} grouping sets"), span)
            .advise("write those that you need: GROUPING SETS ((STATE, CITY), (STATE), ())")
    }

    pub(super) fn key_twice(span: Span) -> Wrong {
        let what = "a key that grouping sets have in two ways";
        Wrong::unsupported(what, "write it in one way", span)
    }

    pub(super) fn literal_in_sets(span: Span) -> Wrong {
        Wrong::unsupported("a literal in grouping sets", "leave it out", span)
    }

    pub(super) fn no_share(span: Span) -> Wrong {
        Wrong::new("a quantile takes a share from 0 to 1", span)
            .advise("write quantile_disc(amount, 0.9)")
    }

    pub(super) fn window_here(name: &str, clause: &str, span: Span) -> Wrong {
        Wrong::new(
            format!("the window function {name} can't stand in {clause}"),
            span,
        )
        .advise("QUALIFY chooses rows by window functions")
    }

    pub(super) fn window_over_keys(span: Span) -> Wrong {
        let what = "a window over keys beside GROUP BY ALL";
        Wrong::unsupported(what, "name the keys", span)
    }

    /// Says that a query within another one names a column of the outer one.
    pub(super) fn correlated(name: &str, of: &str, span: Span) -> Wrong {
        let name = escaped(name.as_bytes());
        Wrong::new(
            format!("no column {name} in {of}, and a query within another can't see the outer one's columns"),
            span,
        )
        .advise("join both tables, with SEMI JOIN for EXISTS and ANTI JOIN for NOT EXISTS, or group the inner one and join it")
    }

    pub(super) fn columns_of_subquery(columns: usize, span: Span) -> Wrong {
        Wrong::new(
            format!("a query within an expression has one column, not {columns}"),
            span,
        )
        .advise("select one column")
    }

    pub(super) fn two_columns(name: &str, of: &str, span: Span) -> Wrong {
        let name = escaped(name.as_bytes());
        Wrong::new(format!("{of} has two columns {name}"), span)
            .advise("give one of them another name with AS")
    }

    pub(super) fn other(what: impl Into<String>, advice: impl Into<String>, span: Span) -> Wrong {
        Wrong::new(what, span).advise(advice)
    }

    /// Returns the error of a statement or a condition, which it shows.
    pub(super) fn error_in(self, text: &str) -> Error {
        let start = self.span.start;
        let line = text.lines().nth((start.line as usize).saturating_sub(1));
        let error = self.error();
        match line.filter(|_| start.line > 0) {
            Some(line) => error.excerpt(line, (start.column as usize).saturating_sub(1)),
            None => error,
        }
    }

    /// Returns the error, with the line and the column.
    pub(super) fn error(self) -> Error {
        let start = self.span.start;
        let what = match start.line {
            0 => self.what,
            line => format!("line {line}, column {}: {}", start.column, self.what),
        };
        let error = Error::new(ErrorKind::Usage, what);
        match self.advice {
            Some(advice) => error.advise(advice),
            None => error,
        }
    }
}

pub(super) fn shown(value: &Value) -> String {
    let bytes = value.bytes().unwrap_or_default();
    let most = bytes.len().min(60);
    format!("'{}'", escaped(&bytes[..most]))
}
