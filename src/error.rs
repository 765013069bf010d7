//! The one error type: what went wrong, in which input, where in it, and what to do about it.
//!
//! An [`Error`] is one line, `SUBJECT: what went wrong (byte B); what to do`. The subject of a member
//! of an archive is `ARCHIVE: MEMBER`. A program puts its own name before the line. Bytes of file names
//! and data are escaped, so an error is always safe to print on a terminal.

use std::ffi::OsStr;
use std::fmt;
use std::io;

/// The part of the work that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The options make no sense: an unknown level, the same path as input and output.
    Usage,
    /// An input could not be opened or read whole.
    Input,
    /// The result could not be written.
    Output,
    /// Bytes were lost or doubled: a defect of the program, or a file that changed.
    Consistency,
}

/// Describes a failure: its place and what to do. `Debug` prints the same line as `Display`,
/// for `?` in `main`.
pub struct Error {
    kind: ErrorKind,
    subject: Option<Box<str>>,
    member: Option<Box<str>>,
    what: Box<str>,
    byte: Option<u64>,
    advice: Option<Box<str>>,
    source: Option<io::Error>,
}

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
            source: None,
        }
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
    pub fn about(self, name: impl AsRef<OsStr>) -> Error {
        Error {
            subject: Some(escaped(name.as_ref().as_encoded_bytes()).into()),
            ..self
        }
    }

    /// Adds the member `name` of an archive; [`Error::about`] names the archive.
    pub fn within(self, name: &[u8]) -> Error {
        Error {
            member: Some(escaped(name).into()),
            ..self
        }
    }

    /// Adds the place: `byte`, counted from zero at the beginning of the input.
    pub fn at_byte(self, byte: u64) -> Error {
        Error {
            byte: Some(byte),
            ..self
        }
    }

    /// Adds what the user can do about it.
    pub fn advise(self, advice: impl Into<String>) -> Error {
        Error {
            advice: Some(advice.into().into()),
            ..self
        }
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

    /// Returns the part of the work that failed.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns whether the error names a file or stream.
    pub(crate) fn names_subject(&self) -> bool {
        self.subject.is_some()
    }

    /// Returns the byte of the input where it failed, counted from zero, if there is one.
    pub fn byte(&self) -> Option<u64> {
        self.byte
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
            write!(f, "{subject}: ")?;
        }
        if let Some(member) = &self.member {
            write!(f, "{member}: ")?;
        }
        f.write_str(&self.what)?;
        if let Some(byte) = self.byte {
            write!(f, " (byte {byte})")?;
        }
        if let Some(advice) = &self.advice {
            write!(f, "; {advice}")?;
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

/// Returns the system's words for an error, without the number that Rust appends.
fn system_words(error: &io::Error) -> String {
    let words = error.to_string();
    match words.find(" (os error ") {
        Some(end) => words[..end].to_owned(),
        None => words,
    }
}

/// Returns `bytes` as text, safe for a terminal. Control characters, text direction marks and
/// invalid UTF-8 become escapes such as `\n`, `\x1b`, `\u{202e}`.
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
/// assert_eq!(fecscan::error::escaped_lines(b"1 a\x1b[31m\n2 b\n"), b"1 a\\x1b[31m\n2 b\n");
/// ```
pub fn escaped_lines(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|&b| b == b'\n');
    let escaped = lines.flat_map(|line| match line.strip_suffix(b"\n") {
        Some(line) => escaped(line).into_bytes().into_iter().chain(Some(b'\n')),
        None => escaped(line).into_bytes().into_iter().chain(None),
    });
    escaped.collect()
}

/// Returns whether `c` controls a terminal, reorders or hides the characters around it.
pub(crate) fn is_unsafe_on_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
