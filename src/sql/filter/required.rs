//! Words to search for before columns are found: a line that passes a condition contains one of them.

use crate::scan::Needles;
use crate::sql::functions::like::Like;

/// The fewest bytes that are searched for: shorter texts are in most blocks.
const BYTES_LEAST: usize = 3;

/// The most words that are searched for. Each takes as long as the first.
const WORDS_MOST: usize = 8;

/// Words, and whether their letters may have either case.
#[derive(Clone, Debug)]
pub(super) struct Words {
    words: Vec<Vec<u8>>,
    ignores_case: bool,
}

/// Returns the search for the words of alternatives, unless there are too many.
pub(super) fn needles(alternatives: &[&Words]) -> Option<Needles> {
    let ignores_case = alternatives.iter().any(|words| words.ignores_case);
    let words: Vec<_> = alternatives.iter().flat_map(|words| &words.words).collect();
    let are_few = !words.is_empty() && words.len() <= WORDS_MOST;
    are_few.then(|| Needles::new(words.iter().map(|word| word.as_slice()), !ignores_case))
}

impl Words {
    /// Returns the longest word of a pattern.
    pub(super) fn of_like(like: &Like, ignores_case: bool) -> Option<Words> {
        let runs = like.texts().flat_map(|text| runs(text, ignores_case));
        let longest = runs.max_by_key(|run| run.len())?;
        Words::of([longest].into_iter(), ignores_case)
    }

    /// Returns the words of a regular expression such as `GOOGLE|ALPHABET`.
    pub(super) fn of_regex(text: &str, ignores_case: bool) -> Option<Words> {
        let (text, ignores_case) = match text.strip_prefix("(?i)") {
            Some(rest) => (rest, true),
            None => (text, ignores_case),
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == ' ';
        let words = text.split('|').map(|word| {
            let runs = runs(word.as_bytes(), ignores_case);
            let longest = runs.max_by_key(|run| run.len());
            longest.filter(|_| word.chars().all(is_plain))
        });
        let words = words.collect::<Option<Vec<_>>>()?;
        Words::of(words.into_iter(), ignores_case)
    }

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
        assert_eq!(longest("MICROSOFT", true), b"OFT");
        assert_eq!(longest("a.bcd|ef", false), b"bcd");
    }
}
