//! Chooses the members of an archive that are read.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::{Member, shown};
use crate::error::{Error, Note};
use crate::fec::schema::Schema;

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
    /// The rows of [`Members::TopLevelText`] in any order: the slices in the folder `by_date`, if there are some, and their sizes
    /// add up to that of the one member that they repeat.
    InAnyOrder,
}

/// What becomes of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    LeftOut,
    Read,
    /// It is read instead of the member that it repeats, if all slices together have the bytes of that.
    Slice,
}

/// Chooses the members of one archive, and remembers the others for notes.
#[derive(Debug)]
pub(super) struct Chooser<'a> {
    members: &'a Members,
    /// For each pattern whether it has matched a name.
    has_matched: Vec<bool>,
    /// The sizes of the slices, and of the members that they repeat, if slices may be read.
    sums: Sums,
    /// The members that are left out with slices among them, and without.
    left_out: [LeftOut; 2],
}

/// The members of each kind, and their bytes together.
#[derive(Debug, Default)]
pub(super) struct Sums {
    slices: u64,
    slice_bytes: u64,
    whole: Vec<String>,
    whole_bytes: u64,
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
            sums: Sums::default(),
            left_out: Default::default(),
        }
    }

    /// Tells what becomes of the member `name` of this number of bytes.
    pub fn role(&mut self, name: &[u8], bytes: u64) -> Role {
        if matches!(self.members, Members::Slices | Members::InAnyOrder) {
            self.sums.add(name, bytes);
        }
        let is_read = match self.members {
            Members::TopLevelText | Members::InAnyOrder => is_whole(name),
            Members::Slices => is_slice(name),
            Members::Matching(patterns) => {
                let matches: Vec<_> = patterns.iter().map(|one| one.matches(name)).collect();
                for (has_matched, matches) in self.has_matched.iter_mut().zip(&matches) {
                    *has_matched |= matches;
                }
                matches.contains(&true)
            }
        };
        if is_read {
            return Role::Read;
        }
        let [all, others] = &mut self.left_out;
        all.add(name);
        if *self.members == Members::InAnyOrder && is_slice(name) {
            return Role::Slice;
        }
        others.add(name);
        Role::LeftOut
    }

    /// Tells whether the `slices` are read instead of the `members` that they repeat. There is one of these, and the names of all
    /// tell the same schema.
    pub fn takes(&mut self, slices: &[Member], members: &[Member]) -> bool {
        if *self.members != Members::InAnyOrder {
            return false;
        }
        let sums = &mut self.sums;
        let schema = |member: &Member| Schema::of_file_name(OsStr::from_bytes(&member.name));
        let takes = slices.len() as u64 == sums.slices
            && sums.slices > 1
            && sums.slice_bytes == sums.whole_bytes
            && members.len() == 1
            && slices
                .iter()
                .all(|slice| schema(slice) == schema(&members[0]));
        if takes {
            self.left_out.reverse();
        } else {
            sums.slices = 0;
        }
        takes
    }

    /// Checks that slices have the bytes of what they repeat.
    ///
    /// # Errors
    /// If they have not, with both numbers.
    pub fn check(&self) -> Result<(), Error> {
        let Sums {
            slice_bytes,
            whole_bytes,
            ..
        } = self.sums;
        if *self.members == Members::Slices && slice_bytes != whole_bytes {
            return Err(self.sums.differ());
        }
        Ok(())
    }

    /// Returns notes on the choice.
    pub fn notes(&self) -> Vec<Note> {
        if let Members::Matching(patterns) = self.members {
            let patterns = patterns.iter().zip(&self.has_matched);
            let others = patterns.filter(|(_, has_matched)| !**has_matched);
            let note = |text: &[u8]| Note::new(format!("no member matches '{}'", shown(text)));
            return others.map(|(pattern, _)| note(&pattern.0)).collect();
        }
        let slices = (self.sums.slices > 0).then(|| self.sums.note());
        let left_out = self.left_out[0].notes();
        let left_out = left_out.filter(|_| *self.members != Members::Slices);
        slices.into_iter().chain(left_out).collect()
    }

    /// Returns the message for an archive without chosen members.
    pub fn nothing_chosen(&self) -> &'static str {
        match self.members {
            Members::TopLevelText | Members::InAnyOrder => "has no .txt member outside of folders",
            Members::Matching(_) => "has no member that matches a pattern",
            Members::Slices => "has no slices in a folder by_date",
        }
    }
}

impl Sums {
    fn add(&mut self, name: &[u8], bytes: u64) {
        if is_slice(name) {
            self.slices += 1;
            self.slice_bytes = self.slice_bytes.saturating_add(bytes);
        } else if is_whole(name) {
            self.whole.push(shown(name));
            self.whole_bytes = self.whole_bytes.saturating_add(bytes);
        }
    }

    fn note(&self) -> Note {
        let slices = match self.slices {
            1 => "1 slice in by_date is".to_owned(),
            slices => format!("{slices} slices in by_date are"),
        };
        let whole = self.whole.join(", ");
        Note::new(format!(
            "{slices} read instead of {whole}: as many bytes, in another order"
        ))
    }

    fn differ(&self) -> Error {
        let whole = match &self.whole[..] {
            [] => "there is no .txt member outside of folders that they repeat".to_owned(),
            names => format!("{} has {}", names.join(" and "), self.whole_bytes),
        };
        let what = format!(
            "its {} {} bytes together, and {whole}",
            match self.slices {
                1 => "slice in by_date has".to_owned(),
                many => format!("{many} slices in by_date have"),
            },
            self.slice_bytes
        );
        Error::input(what).advise("read it without --slices")
    }
}

/// Tells whether a member is a slice, by its name.
fn is_slice(name: &[u8]) -> bool {
    folder(name) == Some(SLICES) && is_text(name)
}

/// Tells whether a member is one that slices may repeat.
fn is_whole(name: &[u8]) -> bool {
    folder(name).is_none() && is_text(name)
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
