//! Words of which each line that passes a condition has one. Whole blocks without any are passed over.

use crate::fec::origin::ORIGIN;
use crate::scan::Needles;
use crate::sql::expression::{Expression, Node};
use crate::sql::file::Read;
use crate::sql::functions::Prepared;

/// The fewest bytes that are searched for: shorter texts are in most blocks.
const BYTES_LEAST: usize = 3;

/// The most words that are searched for. Each takes as long as the first.
const WORDS_MOST: usize = 8;

/// Words of which a line has one, and whether in letters of either case.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words {
    words: Vec<Vec<u8>>,
    ignores_case: bool,
}

/// Returns the words of a condition that is a pattern of a column of the file.
pub(super) fn words(condition: &Expression, read: &[Read]) -> Option<Words> {
    let Node::Call(function, arguments, prepared) = &condition.of else {
        return None;
    };
    let Node::Column(nth) = arguments.first()?.of else {
        return None;
    };
    let read = &read[nth];
    if read.place >= ORIGIN || read.joined.is_some() {
        return None;
    }
    match prepared {
        Prepared::Like(like) => {
            let ignores_case = function.names == ["~~*"];
            let runs = like.texts().flat_map(|text| runs(text, ignores_case));
            let longest = runs.max_by_key(|run| run.len())?;
            Words::of([longest].into_iter(), ignores_case)
        }
        Prepared::Regex(regex, _) if function.names[0] == "regexp_matches" => {
            let options = arguments.get(2).and_then(Expression::as_literal);
            let text = regex.as_str();
            let (text, ignores_case) = match text.strip_prefix("(?i)") {
                Some(rest) => (rest, true),
                None => (text, options.is_some()),
            };
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == ' ';
            let alternatives = text.split('|').map(|word| {
                let is_plain = word.chars().all(is_plain);
                let runs = runs(word.as_bytes(), ignores_case).filter(|_| is_plain);
                runs.max_by_key(|run| run.len())
            });
            let alternatives = alternatives.collect::<Option<Vec<_>>>()?;
            Words::of(alternatives.into_iter(), ignores_case)
        }
        _ => None,
    }
}

/// Returns what finds the words of alternatives; none if there are too many.
pub(super) fn needles(alternatives: Vec<Words>) -> Option<Needles> {
    let ignores_case = alternatives.iter().any(|words| words.ignores_case);
    let words: Vec<_> = alternatives
        .into_iter()
        .flat_map(|words| words.words)
        .collect();
    let are_few = !words.is_empty() && words.len() <= WORDS_MOST;
    are_few.then(|| Needles::new(words.iter().map(Vec::as_slice), !ignores_case))
}

impl Words {
    fn of<'w>(words: impl Iterator<Item = &'w [u8]>, ignores_case: bool) -> Option<Words> {
        let words: Vec<_> = words.map(<[u8]>::to_vec).collect();
        let are_long = words.iter().all(|word| word.len() >= BYTES_LEAST);
        are_long.then_some(Words {
            words,
            ignores_case,
        })
    }
}

/// Returns the parts of a text that stand in a line as they are. Other letters have k, s and i as another case: the Kelvin sign, the long s,
/// the Turkish I.
fn runs(text: &[u8], ignores_case: bool) -> impl Iterator<Item = &[u8]> {
    let breaks = move |byte: &u8| {
        let is_plain = byte.is_ascii_alphanumeric() || *byte == b' ';
        !is_plain || ignores_case && matches!(byte.to_ascii_lowercase(), b'k' | b's' | b'i')
    };
    text.split(breaks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_others_are_the_case_of_break_words() {
        let longest = |text: &'static str, ignores_case| {
            let runs = runs(text.as_bytes(), ignores_case);
            runs.max_by_key(|run| run.len()).unwrap_or_default()
        };
        assert_eq!(longest("facebook", true), b"faceboo");
        assert_eq!(longest("facebook", false), b"facebook");
        assert_eq!(longest("MICROSOFT", true), b"CRO");
        assert_eq!(longest("a.bcd|ef", false), b"bcd");
    }
}
