//! Groups in sentences, for text and pages.

use super::are_of_individuals;
use super::numbers::grouped as with_commas;
use super::page::line_or_lines;
use crate::fec::schema::Kind;
use crate::fold::by::{Grouped, RowKinds};

pub(super) fn why_empty(grouped: &Grouped) -> &'static str {
    match grouped.lines_scanned {
        Some(1..) => "no line meets the conditions",
        _ => "there are no lines",
    }
}

pub(super) fn sentences(grouped: &Grouped) -> Vec<String> {
    let groups = with_commas(grouped.distinct_groups);
    let groups = match grouped.rest() {
        Some(_) => format!("{} of {groups} groups", with_commas(grouped.len() as u64)),
        None if grouped.distinct_groups == 1 => "1 group".to_owned(),
        None => format!("{groups} groups"),
    };
    let rows = with_commas(grouped.lines);
    let rows = match grouped.lines_scanned {
        Some(all) => format!(
            "{} {} scanned, {rows} matching",
            with_commas(all),
            line_or_lines(all)
        ),
        None => format!("{rows} {} scanned", line_or_lines(grouped.lines)),
    };
    let without = without_sentences(grouped).map(|sentence| format!("{sentence}."));
    let kinds = grouped.row_kinds.filter(|_| grouped.lines > 0);
    let kinds = kinds.map(|kinds| kinds_sentence(kinds, are_of_individuals(&grouped.files)));
    let first = format!("{groups}; {rows}.");
    let left_out = left_out_sentence(grouped);
    let sentences = [first].into_iter().chain(left_out);
    sentences.chain(without).chain(kinds).collect()
}

fn left_out_sentence(grouped: &Grouped) -> Option<String> {
    let conditions = grouped.having();
    (!conditions.is_empty()).then(|| {
        let groups = match grouped.left_out {
            1 => "1 group does".to_owned(),
            groups => format!("{} groups do", with_commas(groups)),
        };
        format!("{groups} not meet {}.", conditions.join(" and "))
    })
}

/// Returns a sentence for each aggregate that some lines have no value for.
pub(super) fn without_sentences(grouped: &Grouped) -> impl Iterator<Item = String> {
    let aggregates = grouped.question.aggregates.iter();
    let names = grouped.aggregate_names().iter().zip(aggregates);
    let counted = names
        .enumerate()
        .map(|(nth, name)| (grouped.without(nth), name));
    counted
        .filter(|(lines, _)| *lines > 0)
        .map(|(lines, (name, aggregate))| {
            let (lines, have) = match lines {
                1 => ("1 line".to_owned(), "has"),
                lines => (format!("{} lines", with_commas(lines)), "have"),
            };
            let what = if aggregate.kind.takes_kind(Kind::Date) {
                "number or date"
            } else {
                "number"
            };
            format!("{lines} {have} no {what} for {name}")
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
        return "Among them are no refunds, conduit copies or memo rows.".to_owned();
    }
    let [refunds, copies, memo_rows] = [refunds, copies, memo].map(with_commas);
    let has_others = of_individuals && kinds.refunds + kinds.copies > 0;
    let hint = match (has_others, memo > 0) {
        (true, true) => " --contributions leaves out the first two, --where 'memo_cd!=X' the last.",
        (true, false) => " --contributions leaves them out.",
        (false, true) => " --where 'memo_cd!=X' leaves memo rows out.",
        (false, false) => "",
    };
    format!("Among them: refunds {refunds}, conduit copies {copies}, memo rows {memo_rows}.{hint}")
}
