//! Chooses the members of an archive that are read.

use std::ffi::OsStr;

use crc32fast::Hasher;

use super::shown;
use crate::error::{Error, Note};
use crate::input::compressed::Expected;

/// Which members of an archive are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Members {
    /// The members whose names end with `.txt`, outside of folders. The FEC's folders hold the same rows
    /// again, sliced by date.
    #[default]
    TopLevelText,
    /// The members whose whole names match one of these patterns.
    Matching(Vec<Pattern>),
    /// The slices in the folder `by_date`, instead of the members that they repeat. Only if their sizes add up.
    Slices,
}

/// Chooses the members of one archive, and remembers the others for notes.
#[derive(Debug)]
pub(super) struct Chooser<'a> {
    members: &'a Members,
    /// For each pattern whether it has matched a name.
    has_matched: Vec<bool>,
    /// The contents of the slices, and of the members that they repeat, if slices are read.
    slices: Contents,
    whole: Contents,
    left_out: LeftOut,
}

/// The contents of members, one after the other.
#[derive(Debug, Default)]
struct Contents {
    names: Vec<String>,
    bytes: u64,
    crc: Hasher,
}

/// The folder of the slices.
const SLICES: &[u8] = b"by_date/";

impl<'a> Chooser<'a> {
    pub fn new(members: &'a Members) -> Chooser<'a> {
        Chooser {
            members,
            has_matched: match members {
                Members::Matching(patterns) => vec![false; patterns.len()],
                _ => Vec::new(),
            },
            slices: Contents::default(),
            whole: Contents::default(),
            left_out: LeftOut::default(),
        }
    }

    /// Tells whether the member `name` with this content is read.
    pub fn chooses(&mut self, name: &[u8], content: Expected) -> bool {
        if *self.members == Members::Slices {
            if is_slice(name) {
                self.slices.add(name, content);
            } else if is_whole(name) {
                self.whole.add(name, content);
            }
        }
        let is_read = match self.members {
            Members::TopLevelText => is_whole(name),
            Members::Slices => is_slice(name),
            Members::Matching(patterns) => {
                // No pattern means metadata by chance, as `*itcont.txt` might.
                let is_chosen = |pattern: &Pattern| {
                    pattern.0 == name || !is_metadata(name) && pattern.matches(name)
                };
                let chosen: Vec<_> = patterns.iter().map(is_chosen).collect();
                for (has_matched, is_chosen) in self.has_matched.iter_mut().zip(&chosen) {
                    *has_matched |= is_chosen;
                }
                chosen.contains(&true)
            }
        };
        if !is_read && !is_metadata(name) {
            self.left_out.add(name);
        }
        is_read
    }

    /// Checks that slices have as many bytes as what they repeat.
    ///
    /// # Errors
    /// If they have not, with both numbers.
    pub fn check(&self) -> Result<(), Error> {
        if *self.members == Members::Slices && self.slices.bytes != self.whole.bytes {
            return Err(self.slices_differ());
        }
        Ok(())
    }

    /// Tells whether the slices, one after the other, are known to be what they repeat.
    pub fn repeats_whole(&self) -> bool {
        let [slices, whole] = [&self.slices, &self.whole].map(|all| all.crc.clone().finalize());
        self.slices.bytes == self.whole.bytes && slices == whole
    }

    /// Returns notes on the choice.
    pub fn notes(&self) -> Vec<Note> {
        if let Members::Matching(patterns) = self.members {
            let patterns = patterns.iter().zip(&self.has_matched);
            let others = patterns.filter(|(_, has_matched)| !**has_matched);
            let note = |text: &[u8]| Note::new(format!("no member matches '{}'", shown(text)));
            return others.map(|(pattern, _)| note(&pattern.0)).collect();
        }
        if *self.members == Members::Slices {
            return vec![self.note_on_slices()];
        }
        self.left_out.notes().collect()
    }

    fn note_on_slices(&self) -> Note {
        let slices = match self.slices.names.len() {
            1 => "1 slice in by_date is".to_owned(),
            slices => format!("{slices} slices in by_date are"),
        };
        let whole = self.whole.names.join(", ");
        let likeness = if self.repeats_whole() {
            "the same bytes"
        } else {
            "as many bytes, in another order; that they are the same rows is not checked"
        };
        Note::new(format!("{slices} read instead of {whole}: {likeness}"))
    }

    fn slices_differ(&self) -> Error {
        let whole = match &self.whole.names[..] {
            [] => "there is no .txt member outside of folders that they repeat".to_owned(),
            names => format!("{} has {}", names.join(" and "), self.whole.bytes),
        };
        let what = format!(
            "its {} {} bytes together, and {whole}",
            match self.slices.names.len() {
                1 => "slice in by_date has".to_owned(),
                many => format!("{many} slices in by_date have"),
            },
            self.slices.bytes
        );
        Error::input(what).advise("read it without --slices")
    }

    /// Returns the message for an archive without chosen members.
    pub fn nothing_chosen(&self) -> &'static str {
        match self.members {
            Members::TopLevelText => "has no .txt member outside of folders",
            Members::Matching(_) => "has no member that matches a pattern",
            Members::Slices => "has no slices in a folder by_date",
        }
    }
}

impl Contents {
    fn add(&mut self, name: &[u8], content: Expected) {
        self.names.push(shown(name));
        self.bytes = self.bytes.saturating_add(content.bytes);
        let next = Hasher::new_with_initial_len(content.crc, content.bytes);
        self.crc.combine(&next);
    }
}

/// Tells whether a member is a slice, by its name.
fn is_slice(name: &[u8]) -> bool {
    folder(name) == Some(SLICES) && is_text(name) && !is_metadata(name)
}

/// Tells whether a member is one that slices may repeat.
fn is_whole(name: &[u8]) -> bool {
    folder(name).is_none() && is_text(name) && !is_metadata(name)
}

/// Tells whether a member holds what macOS knows of another one, and no rows: `__MACOSX/._itcont.txt`.
pub(super) fn is_metadata(name: &[u8]) -> bool {
    let folder = folder(name).unwrap_or_default();
    name[folder.len()..].starts_with(b"._") || folder.starts_with(b"__MACOSX/")
}

/// Tells whether a name ends with `.txt`.
fn is_text(name: &[u8]) -> bool {
    let extension = name.len().checked_sub(4).map(|at| &name[at..]);
    extension.is_some_and(|end| end.eq_ignore_ascii_case(b".txt"))
}

/// Returns the folder of the member `name`, with the separator. Some programs write `\`.
fn folder(name: &[u8]) -> Option<&[u8]> {
    let separator = name.iter().rposition(|b| matches!(b, b'/' | b'\\'))?;
    Some(&name[..=separator])
}

/// A pattern for whole names, as in a shell: `*` matches any characters, separators of folders too, and
/// `?` any one.
///
/// ```
/// use fecscan::input::Pattern;
/// let pattern = Pattern::new("by_date/itcont_2018_*.txt");
/// assert!(pattern.matches(b"by_date/itcont_2018_20170101_20171231.txt"));
/// assert!(!pattern.matches(b"itcont.txt"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Vec<u8>);

impl Pattern {
    /// Returns the pattern `text`.
    pub fn new(text: impl AsRef<OsStr>) -> Pattern {
        Pattern(text.as_ref().as_encoded_bytes().to_vec())
    }

    /// Tells whether `name` matches. It takes at most the product of their lengths.
    pub fn matches(&self, name: &[u8]) -> bool {
        let pattern = &self.0[..];
        let (mut p, mut n) = (0, 0);
        // The place after the last `*`, and the end of its match. If the rest fails, this `*` takes one
        // more byte. An earlier `*` never needs to.
        let mut star = None;
        while n < name.len() {
            match pattern.get(p) {
                Some(b'*') => {
                    p += 1;
                    star = Some((p, n));
                }
                Some(b'?') => {
                    p += 1;
                    n += character(&name[n..]);
                }
                Some(&byte) if byte == name[n] => {
                    p += 1;
                    n += 1;
                }
                _ => {
                    let Some((after, matched_to)) = star else {
                        return false;
                    };
                    (p, n) = (after, matched_to + 1);
                    star = Some((after, matched_to + 1));
                }
            }
        }
        pattern[p..].iter().all(|&byte| byte == b'*')
    }
}

/// Returns the number of bytes of the first character of `text`. An invalid byte counts as a character.
fn character(text: &[u8]) -> usize {
    let first = text.utf8_chunks().next();
    first
        .and_then(|chunk| chunk.valid().chars().next())
        .map_or(1, char::len_utf8)
}

/// The members of an archive that were not chosen.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    in_folders: u64,
    others: u64,
    /// The folder of the first, and whether all others lie there too.
    folder: Option<(Vec<u8>, bool)>,
    /// The first of the others.
    other: Option<Vec<u8>>,
}

impl LeftOut {
    /// Returns notes that name the members, and the patterns that choose them.
    fn notes(&self) -> impl Iterator<Item = Note> {
        let numbered = |n| match n {
            1 => ("member", "is"),
            _ => ("members", "are"),
        };
        let folders = self.folder.as_ref().map(|(folder, only)| {
            let (place, pattern) = if *only {
                ("a folder", format!("{}*", shown(folder)))
            } else {
                ("folders", "*/*".to_owned())
            };
            let n = self.in_folders;
            let (members, are) = numbered(n);
            Note::new(format!("{n} {members} in {place} {are} left out"))
                .advise(format!("--member '{pattern}' chooses what is there"))
        });
        let others = self.other.as_ref().map(|other| {
            let (n, other) = (self.others, shown(other));
            let such_as = if n == 1 { "" } else { "such as " };
            let (members, are) = numbered(n);
            let what = format!("{n} {members}, {such_as}{other}, {are} not .txt and left out");
            Note::new(what).advise(format!("--member '{other}' chooses it"))
        });
        folders.into_iter().chain(others)
    }

    fn add(&mut self, name: &[u8]) {
        match folder(name) {
            None => {
                self.others += 1;
                self.other.get_or_insert_with(|| name.to_owned());
            }
            Some(here) => {
                self.in_folders += 1;
                let (first, only) = self.folder.get_or_insert_with(|| (here.to_owned(), true));
                *only &= first == here;
            }
        }
    }
}

#[cfg(test)]
mod tests;
