//! Groups in sentences, for text and pages.

use super::numbers::{counted, grouped as with_commas};
use super::{are_of_individuals, notes};
use crate::fec::schema::Kind;
use crate::fold::by::{Aggregate, Direction, Grouped, Reading, RowKinds, Sort};

pub(super) fn why_empty(grouped: &Grouped) -> &'static str {
    match grouped.lines_scanned {
        Some(1..) => "no line meets the conditions",
        _ => "there are no lines",
    }
}

pub(super) fn sentences(grouped: &Grouped) -> Vec<String> {
    let distinct = grouped.distinct_groups;
    let groups = match grouped.rest() {
        Some(_) => {
            let [listed, all] = [grouped.len() as u64, distinct].map(with_commas);
            format!("{listed} of {all} groups")
        }
        None => counted(distinct, "group", "groups"),
    };
    let (scanned, matching) = match grouped.lines_scanned {
        Some(all) => (all, format!(", {} matching", with_commas(grouped.lines))),
        None => (grouped.lines, String::new()),
    };
    let scanned = counted(scanned, "line", "lines");
    let mut sentences = vec![format!("{groups}; {scanned} scanned{matching}.")];
    sentences.extend(order(grouped).map(|order| format!("Those {order}.")));
    let conditions = grouped.having();
    if !conditions.is_empty() {
        let groups = counted(grouped.left_out, "group does", "groups do");
        sentences.push(format!("{groups} not meet {}.", conditions.join(" and ")));
    }
    sentences.extend(without_sentences(grouped).map(|sentence| format!("{sentence}.")));
    let kinds = grouped.row_kinds.filter(|_| grouped.lines > 0);
    let of_individuals = are_of_individuals(&grouped.files);
    sentences.extend(kinds.map(|kinds| kinds_sentence(kinds, of_individuals)));
    sentences
}

/// Says by what groups were chosen, if an aggregate could have been meant: of a sum, groups are in the order of that.
pub(super) fn order(grouped: &Grouped) -> Option<String> {
    let is_cut = grouped.question.top.is_some()
        && grouped.rest().is_some()
        && grouped.question.chosen_sort().is_none()
        && grouped.question.sort() == Sort::Count;
    let is_cut = is_cut && !grouped.question.aggregates.is_empty();
    let name = grouped.aggregate_names().first().filter(|_| is_cut)?;
    let which = match grouped.question.direction {
        Direction::Ascending => "fewest",
        Direction::Descending => "most",
    };
    Some(format!(
        "listed have the {which} lines; --sort '{name}' orders by that"
    ))
}

/// Returns sentences: on rows with another number of columns, on each key that is a function and has no value at all, and on each
/// aggregate that some lines have no value for.
pub(super) fn without_sentences(grouped: &Grouped) -> impl Iterator<Item = String> {
    let odd_rows = notes::odd_rows(grouped.odd_rows, grouped.lines, "").into_iter();
    let are_all = !grouped.is_empty() && grouped.rest().is_none() && grouped.left_out == 0;
    let keys = (0..grouped.key_names().len()).filter(move |&key| {
        let is_function = !grouped.question.keys[key].function.is_none();
        is_function && are_all && grouped.iter().all(|group| group.key(key).is_empty())
    });
    let lines = counted(grouped.lines, "line has", "lines have");
    let keys = keys.map(move |key| format!("{lines} no value for {}", grouped.key_names()[key]));
    odd_rows.chain(keys).chain(without_values(grouped))
}

/// Returns a sentence for all aggregates that the same number of lines have no value for, with the same advice.
fn without_values(grouped: &Grouped) -> impl Iterator<Item = String> {
    let mut sentences: Vec<(u64, &str, Vec<&str>, String)> = Vec::new();
    let aggregates = grouped.question.aggregates.iter();
    let names = grouped.aggregate_names().iter().zip(aggregates);
    for (nth, (name, aggregate)) in names.enumerate() {
        let without = grouped.without(nth);
        if without == 0 {
            continue;
        }
        let what = match grouped.reading(nth) {
            Some(Reading::Date) => "date",
            _ => "number",
        };
        let advice = advice_on_types(grouped, nth, aggregate);
        let is_same = |known: &&mut (u64, &str, Vec<&str>, String)| {
            (known.0, known.1, &known.3) == (without, what, &advice)
        };
        match sentences.iter_mut().find(is_same) {
            Some((.., names, _)) => names.push(name),
            None => sentences.push((without, what, vec![name], advice)),
        }
    }
    sentences.into_iter().map(|(lines, what, names, advice)| {
        let lines = counted(lines, "line has", "lines have");
        format!("{lines} no {what} for {}{advice}", names.join(", "))
    })
}

/// Returns advice to give a column a type by which more of its values are read, if there is one.
fn advice_on_types(grouped: &Grouped, nth: usize, aggregate: &Aggregate) -> String {
    let column = &aggregate.of.column;
    let is_untyped = matches!(
        grouped.reading(nth),
        Some(Reading::Untyped | Reading::Whole)
    );
    let may_be_dates = is_untyped && aggregate.kind.takes_kind(Kind::Date);
    let typed = match grouped.decimals_needed(nth) {
        Some(decimals) => Some((
            format!("number:{decimals}"),
            format!(
                "{decimals} decimals, with {} digits before them",
                18 - decimals
            ),
        )),
        // Columns of joined tables have no option.
        None if may_be_dates && grouped.without(nth) == grouped.lines && !column.contains('.') => {
            Some(("date".to_owned(), "dates".to_owned()))
        }
        None => None,
    };
    let typed = typed.filter(|_| !column.contains(','));
    typed.map_or(String::new(), |(kind, what)| {
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let quote = if column.bytes().all(is_plain) {
            ""
        } else {
            "'"
        };
        format!("; --types {quote}{column}={kind}{quote} reads {what}")
    })
}

/// Returns the sentence on rows that count money that other rows count, too.
fn kinds_sentence(kinds: RowKinds, of_individuals: bool) -> String {
    let RowKinds {
        refunds,
        copies,
        memo,
    } = kinds;
    if (refunds, copies, memo) == (0, 0, 0) {
        // Other files may lack the column of the first two.
        let none = if of_individuals {
            "refunds, conduit copies or memo rows"
        } else {
            "memo rows"
        };
        return format!("Among them are no {none}.");
    }
    let [refunds, copies, memo_rows] = [refunds, copies, memo].map(with_commas);
    let has_others = kinds.refunds + kinds.copies > 0;
    let others = if of_individuals || has_others {
        format!("refunds {refunds}, conduit copies {copies}, ")
    } else {
        String::new()
    };
    let hint = match (has_others && of_individuals, memo > 0) {
        (true, true) => {
            " --contributions leaves out the first two, --where \"memo_cd <> 'X'\" the last."
        }
        (true, false) => " --contributions leaves them out.",
        (false, true) => " --where \"memo_cd <> 'X'\" leaves memo rows out.",
        (false, false) => "",
    };
    format!("Among them: {others}memo rows {memo_rows}.{hint}")
}
