//! Groups in sentences, for text and pages.

use super::numbers::{counted, grouped as with_commas};
use super::{are_of_individuals, notes};
use crate::grouped::{Grouped, RowKinds};
use crate::sql::Value;

pub(super) fn why_empty(grouped: &Grouped) -> &'static str {
    match grouped.lines_scanned {
        Some(1..) => "no line meets the conditions",
        _ => "there are no lines",
    }
}

pub(super) fn sentences(grouped: &Grouped) -> Vec<String> {
    let distinct = grouped.distinct_groups();
    let groups = match grouped.rest() {
        Some(_) => {
            let [listed, all] = [grouped.len() as u64, distinct].map(with_commas);
            format!("{listed} of {all} groups")
        }
        None => counted(distinct, "group", "groups"),
    };
    let (scanned, matching) = match grouped.lines_scanned {
        Some(all) if grouped.lines > all => (
            all,
            format!(", {} with their partners", with_commas(grouped.lines)),
        ),
        Some(all) => (all, format!(", {} matching", with_commas(grouped.lines))),
        None => (grouped.lines, String::new()),
    };
    let scanned = counted(scanned, "line", "lines");
    let mut sentences = vec![format!("{groups}; {scanned} scanned{matching}.")];
    sentences.extend(without_sentences(grouped).map(|sentence| format!("{sentence}.")));
    let kinds = grouped.row_kinds.filter(|_| grouped.lines > 0);
    let of_individuals = are_of_individuals(&grouped.files);
    sentences.extend(kinds.map(|kinds| kinds_sentence(kinds, of_individuals)));
    sentences
}

/// Returns sentences: on rows with another number of columns, and on each key that is an expression and has no value at all.
pub(super) fn without_sentences(grouped: &Grouped) -> impl Iterator<Item = String> {
    let odd_rows = notes::odd_rows(grouped.odd_rows, grouped.lines, "").into_iter();
    let are_all = !grouped.is_empty() && grouped.rest().is_none();
    let keys = (0..grouped.key_names().len()).filter(move |&key| {
        let is_call = grouped.question.key(key).contains('(');
        let is_nothing = |value: Value| value.bytes().is_none_or(|text| text.is_empty());
        is_call && are_all && grouped.iter().all(|group| is_nothing(group.key(key)))
    });
    let lines = counted(grouped.lines, "line has", "lines have");
    let keys = keys.map(move |key| format!("{lines} no value for {}", grouped.key_names()[key]));
    odd_rows.chain(keys)
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
