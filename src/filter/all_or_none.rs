//! Notes on conditions that no line meets, or every line.
//!
//! Both are mostly slips: the case of a letter, a list in brackets, quotes around an expression. The answer stands.

use super::Filter;
use super::condition::Condition;
use super::predicate::{Predicate, Values};
use super::sql;
use crate::expr::Key;
use crate::fec::schema::{Kind, Schema};
use crate::scan::Cell;

impl Filter {
    /// Returns what a user may want to know if of the `scanned` lines none meets the conditions, or every one though a
    /// condition excludes some. Rows are of `schema`, as far as it is known.
    pub fn note_on_lines(
        &self,
        met: u64,
        scanned: Option<u64>,
        schema: Option<Schema>,
    ) -> Option<String> {
        let scanned = scanned.filter(|scanned| *scanned > 0)?;
        match met {
            0 => Some(self.note_on_none(schema)),
            _ if met == scanned => self.note_on_all(schema),
            _ => None,
        }
    }

    /// Returns the conditions that lines without a number or a date fail, as a user types them.
    pub fn reading(&self) -> Vec<String> {
        let reads = |one: &&Condition| match &one.predicate {
            Predicate::Number(..) | Predicate::Date(..) | Predicate::Text(..) => true,
            Predicate::Key(..) => one.operator.wanted,
            _ => one.operator.wanted && one.key.function.is_of_dates(),
        };
        let reading = self.conditions.iter().flatten().filter(reads);
        reading.map(Condition::text).collect()
    }

    fn note_on_none(&self, schema: Option<Schema>) -> String {
        let all = || self.conditions.iter().flatten();
        let reason = if all().any(Condition::names_a_file) {
            "; a value with @ names no file: --where \"CMTE_ID=$(paste -sd, FILE)\" takes the lines of FILE as values"
        } else if let Some(advice) = all().find_map(Condition::advice_on_form) {
            return format!("no line meets the conditions; {advice}");
        } else if self.exclude_each_other() {
            "; all of them must hold, and one = takes several values: STATE=CA,NY"
        } else if all().any(|one| one.operator.wanted && self.depends_on_case(one, schema)) {
            if all().any(|one| one.operator.wanted && one.operator.name.ends_with('=')) {
                "; = and ^= compare exactly, ~(?i) ignores case"
            } else {
                "; ~(?i) ignores case"
            }
        } else if self.conditions.len() > 1 {
            "; all of them must hold, so try them one by one"
        } else {
            ""
        };
        let has_or = |typed: &str| typed.to_ascii_lowercase().contains(" or ");
        let of_sql =
            all().filter(|condition| condition.values().is_some() && has_or(&condition.typed));
        match of_sql
            .filter_map(|condition| sql::advice(&condition.text()))
            .next()
        {
            Some(options) => {
                format!(
                    "no line meets the conditions; if 'or' is between two values, write {options}"
                )
            }
            None => format!("no line meets the conditions{reason}"),
        }
    }

    /// Speaks of the first condition that was to exclude lines.
    fn note_on_all(&self, schema: Option<Schema>) -> Option<String> {
        // That no line lacks a value is no slip, and two columns may differ in every line.
        let excludes = |one: &Condition| {
            let is_text = !matches!(one.typed.trim().as_bytes(), [] | [b'{', ..]);
            !one.operator.wanted && is_text
        };
        let excludes = |any: &&Vec<Condition>| any.iter().all(excludes);
        let any = self.conditions.iter().find(excludes)?;
        let texts: Vec<_> = any.iter().map(Condition::text).collect();
        let advice = match &any[..] {
            [_, _, ..] => Some("where all must hold, repeat --where".to_owned()),
            [one] => one.advice_on_form().or_else(|| {
                let advice = match one.operator.name {
                    "!=" => "!= compares exactly, !~(?i) ignores case",
                    _ => "!~(?i) ignores case",
                };
                self.depends_on_case(one, schema).then(|| advice.to_owned())
            }),
            [] => None,
        };
        let advice = advice.map_or(String::new(), |advice| format!("; {advice}"));
        Some(format!("every line meets '{}'{advice}", texts.join(" || ")))
    }

    /// Says whether the condition compares letters of a column of texts.
    fn depends_on_case(&self, condition: &Condition, schema: Option<Schema>) -> bool {
        let kind = schema.map(|schema| self.kind(condition, schema));
        !matches!(kind, Some(Kind::Number | Kind::Date)) && condition.compares_letters()
    }

    /// Says whether two conditions want different values of one column.
    fn exclude_each_other(&self) -> bool {
        let listed = self.conditions.iter().filter_map(|any| match &any[..] {
            [one] if one.operator.wanted => one.values().map(|values| (&one.key, values)),
            _ => None,
        });
        let listed: Vec<_> = listed.collect();
        let differ = |(nth, (key, values)): (usize, &(&Key, &Values))| {
            listed[..nth].iter().any(|(other, others)| {
                let mut texts = values.texts.iter();
                key == other && !texts.any(|text| others.holds(Cell::from(&**text)))
            })
        };
        listed.iter().enumerate().any(differ)
    }
}

impl Condition {
    /// Returns the condition as typed, without blanks around its operator.
    fn text(&self) -> String {
        format!("{}{}{}", self.name(), self.operator.name, self.typed.trim())
    }

    /// Says whether a value looks like a file of values, as other programs write one.
    fn names_a_file(&self) -> bool {
        matches!(&self.predicate, Predicate::In(values) if self.operator.name == "=" && values.texts.iter().any(|text| text.starts_with(b"@")))
    }

    /// Explains brackets, other separators and quotes, which are letters here.
    fn advice_on_form(&self) -> Option<String> {
        let (name, operator, typed) = (self.name(), self.operator.name, self.typed.trim());
        let inside = |open, close| typed.strip_prefix(open)?.strip_suffix(close);
        match self.predicate {
            Predicate::In(_) => {
                let listed = inside('(', ')').or_else(|| inside('[', ']'));
                let is_list = listed.is_some()
                    || typed.contains([';', '|']) && !typed.contains(['"', '\'', ' ']);
                is_list.then(|| {
                    let values = listed.unwrap_or(typed).replace([';', '|'], ",");
                    format!("several values stand between commas: '{name}{operator}{values}'")
                })
            }
            _ if operator.ends_with('~') => {
                let mut quotes = ['\'', '"', '/', '%'].into_iter();
                let plain = quotes.find_map(|quote| inside(quote, quote))?;
                Some(format!(
                    "an expression needs no quotes: '{name}{operator}{plain}'"
                ))
            }
            _ => None,
        }
    }

    /// Returns whether the condition compares letters, so that their case matters.
    fn compares_letters(&self) -> bool {
        let has_letters = |text: &str| text.bytes().any(|b| b.is_ascii_alphabetic());
        match self.operator.name {
            "=" | "^=" | "!=" => has_letters(&self.typed),
            "~" | "!~" if self.typed.contains("(?i") => false,
            // Letters after a backslash are classes, such as \d.
            "~" | "!~" => {
                let mut parts = self.typed.split('\\');
                let first = parts.next().unwrap_or_default();
                has_letters(first)
                    || parts.any(|part| has_letters(part.get(1..).unwrap_or_default()))
            }
            _ => false,
        }
    }
}
