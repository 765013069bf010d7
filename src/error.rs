//! The one error type: what went wrong, in which input, where in it, and what to do about it.
//!
//! An [`Error`] is one line, `SUBJECT: what went wrong (byte B)`. The subject of a member of an archive is `ARCHIVE: MEMBER`. An error and
//! a [`Note`] are escaped as they are shown, so they are always safe to print on a terminal, whoever wrote their words. The advice stands
//! apart, because it is in the words of the command line: [`Error::with_advice`] is the line that the program prints.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;

/// The part of the work that failed.
///
/// ```
/// let error = fecscan::scan(["missing.txt"]).count().unwrap_err();
/// assert_eq!(error.kind(), fecscan::ErrorKind::Input);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The question makes no sense: an unknown column, the same path as input and output.
    Usage,
    /// An input could not be opened or read whole.
    Input,
    /// The result could not be written.
    Output,
    /// Bytes were lost or doubled: a defect of the program, or a file that changed.
    Consistency,
}

/// Describes a failure, its place, and what to do. `Debug` prints the same line as `Display`, for `?` in `main`.
///
/// ```
/// let error = fecscan::scan(["fixtures/plain.txt"]).filter("STAT = 'CA'").unwrap().count().unwrap_err();
/// assert_eq!(error.to_string(), "fixtures/plain.txt: line 1, column 1: no column STAT in indiv");
/// assert_eq!(error.advice(), Some("did you mean STATE?"));
/// assert_eq!(error.path(), Some("fixtures/plain.txt".as_ref()));
/// ```
pub struct Error {
    kind: ErrorKind,
    subject: Option<OsString>,
    member: Option<Box<str>>,
    what: Box<str>,
    byte: Option<u64>,
    advice: Option<Box<str>>,
    excerpt: Option<Box<Excerpt>>,
    source: Option<io::Error>,
}

/// A line of a statement, and the character of it where something is wrong, counted from zero.
struct Excerpt {
    line: Box<str>,
    column: usize,
}

/// The most characters of a line that are shown beside the place.
const EXCERPT_MOST: usize = 60;

impl Error {
    /// Makes an error of `kind` that says `what` went wrong.
    pub fn new(kind: ErrorKind, what: impl Into<String>) -> Error {
        Error {
            kind,
            subject: None,
            member: None,
            what: what.into().into(),
            byte: None,
            advice: None,
            excerpt: None,
            source: None,
        }
    }

    /// Makes an error of an input that could not be opened or read.
    pub(crate) fn input(what: impl Into<String>) -> Error {
        Error::new(ErrorKind::Input, what)
    }

    /// Makes a usage error.
    pub(crate) fn usage(what: impl Into<String>) -> Error {
        Error::new(ErrorKind::Usage, what)
    }

    /// Makes an error of `kind` from the words of the system, for a call that failed while `doing`
    /// something.
    pub fn io(kind: ErrorKind, doing: &str, source: io::Error) -> Error {
        let cause = system_words(&source);
        let what = if doing.is_empty() {
            cause
        } else {
            format!("{doing}: {cause}")
        };
        Error {
            source: Some(source),
            ..Error::new(kind, what)
        }
    }

    /// Makes an error from a failed read. A reader's own [`Error`] inside `error` is taken out.
    pub fn of_reading(error: io::Error) -> Error {
        error
            .downcast::<Error>()
            .unwrap_or_else(|error| Error::io(ErrorKind::Input, "read error", error))
    }

    /// Makes an error from a failed write. A writer's own [`Error`] inside `error` is taken out.
    pub fn of_writing(error: io::Error) -> Error {
        error
            .downcast::<Error>()
            .unwrap_or_else(|error| Error::io(ErrorKind::Output, "can't be written", error))
    }

    /// Adds the file or stream `name`.
    pub fn about(mut self, name: impl AsRef<OsStr>) -> Error {
        self.subject = Some(name.as_ref().to_owned());
        self
    }

    /// Adds the member `name` of an archive; [`Error::about`] names the archive.
    pub fn within(mut self, name: &[u8]) -> Error {
        self.member = Some(escaped(name).into());
        self
    }

    /// Adds the place: `byte`, counted from zero at the beginning of the input.
    pub fn at_byte(mut self, byte: u64) -> Error {
        self.byte = Some(byte);
        self
    }

    /// Adds what the user can do about it, in the words of the command line.
    pub fn advise(mut self, advice: impl Into<String>) -> Error {
        self.advice = Some(advice.into().into());
        self
    }

    /// Adds more advice after the advice that there is. A question whether something else was meant is advice enough.
    pub(crate) fn advise_more(self, more: impl Into<String>) -> Error {
        let more = more.into();
        match &self.advice {
            Some(question) if question.ends_with('?') => self,
            Some(advice) => {
                let advice = format!("{advice}; {more}");
                self.advise(advice)
            }
            None => self.advise(more),
        }
    }

    /// Adds advice before the advice that there is.
    pub(crate) fn advise_first(self, first: &str) -> Error {
        match &self.advice {
            Some(advice) => {
                let advice = format!("{first}; {advice}");
                self.advise(advice)
            }
            None => self.advise(first),
        }
    }

    /// Adds the line of a statement that it is about, and the place in it, counted from zero.
    pub(crate) fn excerpt(mut self, line: &str, column: usize) -> Error {
        let line = line.into();
        self.excerpt = Some(Box::new(Excerpt { line, column }));
        self
    }

    /// Returns the part of a statement that it is about, with a mark below the place: two lines, safe to print.
    #[doc(hidden)]
    pub fn marked(&self) -> Option<String> {
        let Excerpt { line, column } = self.excerpt.as_deref()?;
        let first = column.saturating_sub(EXCERPT_MOST);
        let part = |from: usize, to: usize| -> String {
            let chars = line.chars().skip(from).take(to.saturating_sub(from));
            escaped(chars.collect::<String>().as_bytes())
        };
        let (before, after) = (part(first, *column), part(*column, column + EXCERPT_MOST));
        let blanks = " ".repeat(unicode_width::UnicodeWidthStr::width(&*before));
        Some(format!("  {before}{after}\n  {blanks}^\n"))
    }

    /// Returns the part of the work that failed.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the path of the file or the name of the stream that it is about.
    pub fn path(&self) -> Option<&OsStr> {
        self.subject.as_deref()
    }

    /// Returns the byte of the input where it failed, counted from zero, if there is one.
    pub fn byte(&self) -> Option<u64> {
        self.byte
    }

    /// Returns what to do about it, in the words of the command line: it may name options of the program.
    pub fn advice(&self) -> Option<&str> {
        self.advice.as_deref()
    }

    /// Returns the error and the advice in one line, as the program prints them.
    #[doc(hidden)]
    pub fn with_advice(&self) -> String {
        advised(self, self.advice())
    }

    /// Returns whether the reader of our output is gone. `| head` does that, and it is no failure.
    pub fn is_closed_pipe(&self) -> bool {
        self.kind == ErrorKind::Output
            && self
                .source
                .as_ref()
                .is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// An error of an input.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::of_reading(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(subject) = &self.subject {
            write!(f, "{}: ", escaped(subject.as_encoded_bytes()))?;
        }
        if let Some(member) = &self.member {
            write!(f, "{member}: ")?;
        }
        f.write_str(&escaped(self.what.as_bytes()))?;
        if let Some(byte) = self.byte {
            write!(f, " (byte {byte})")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|e| e as _)
    }
}

/// Wraps a reader's error for [`Error::of_reading`].
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        io::Error::other(error)
    }
}

/// A note on an input that was read: members of an archive that were left out, for example.
///
/// ```
/// let top = fecscan::scan(["fixtures/plain.txt"]).group_by("STATE")?.run()?;
/// assert_eq!(top.files[0].notes, [], "all of it was read");
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    text: String,
    advice: Option<String>,
}

impl Note {
    pub(crate) fn new(text: impl Into<String>) -> Note {
        Note {
            text: text.into(),
            advice: None,
        }
    }

    pub(crate) fn advise(mut self, advice: String) -> Note {
        self.advice = Some(advice);
        self
    }

    /// Returns what to do about it, in the words of the command line.
    pub fn advice(&self) -> Option<&str> {
        self.advice.as_deref()
    }

    /// Returns the note and the advice, as the program prints them.
    #[doc(hidden)]
    pub fn with_advice(&self) -> String {
        advised(self, self.advice())
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escaped(self.text.as_bytes()))
    }
}

fn advised(text: &impl fmt::Display, advice: Option<&str>) -> String {
    match advice {
        None => text.to_string(),
        Some(advice) => format!("{text}; {}", escaped(advice.as_bytes())),
    }
}

/// Returns the system's words for an error, without the number that Rust appends.
fn system_words(error: &io::Error) -> String {
    let words = error.to_string();
    match words.find(" (os error ") {
        Some(end) => words[..end].to_owned(),
        None => words,
    }
}

/// Returns `bytes` as text, safe for a terminal. Control characters, text direction marks, what no text has, and
/// invalid UTF-8 become escapes such as `\n`, `\x1b`, `\u{202e}`. Text that is escaped stays as it is.
///
/// ```
/// assert_eq!(fecscan::error::escaped(b"itcont.txt"), "itcont.txt");
/// assert_eq!(fecscan::error::escaped(b"a\x1b[31m\xff"), r"a\x1b[31m\xff");
/// ```
pub fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                '\0'..='\x1f' | '\x7f' => text.push_str(&format!("\\x{:02x}", u32::from(c))),
                c if is_unsafe_on_terminal(c) => {
                    text.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
                }
                c => text.push(c),
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// Returns the lines of `text`, each of them [`escaped`].
///
/// ```
/// assert_eq!(fecscan::error::escaped_lines(b"1 a\x1b[31m\n2\tb\n"), b"1 a\\x1b[31m\n2\\tb\n");
/// ```
pub fn escaped_lines(text: &[u8]) -> Vec<u8> {
    escaped_between(text, b"\n")
}

/// Returns the fields of the lines of `text`, which have tabs between them, each of them [`escaped`].
///
/// ```
/// assert_eq!(fecscan::error::escaped_fields(b"1 a\x1b[31m\n2\tb\n"), b"1 a\\x1b[31m\n2\tb\n");
/// ```
pub fn escaped_fields(text: &[u8]) -> Vec<u8> {
    escaped_between(text, b"\n\t")
}

/// Escapes all but the `kept` bytes.
fn escaped_between(text: &[u8], kept: &[u8]) -> Vec<u8> {
    let is_kept = |byte: &u8| kept.contains(byte);
    let mut out = Vec::with_capacity(text.len());
    for part in text.split_inclusive(is_kept) {
        let (part, end) = match part.split_last() {
            Some((last, part)) if is_kept(last) => (part, Some(*last)),
            _ => (part, None),
        };
        out.extend_from_slice(escaped(part).as_bytes());
        out.extend(end);
    }
    out
}

/// Returns whether `c` controls a terminal, reorders or hides the characters around it, or is none, as U+FFFF.
pub(crate) fn is_unsafe_on_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{fffe}' | '\u{ffff}')
}
