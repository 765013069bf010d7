//! The one error type: what went wrong, in which input, where in it, and what to do about it.
//!
//! An [`Error`] is printed as one line, `SUBJECT: what went wrong (line L, byte B); what to do`. If
//! it is about a member of an archive, the subject is `ARCHIVE: MEMBER`. Whoever prints it puts the
//! program's name in front. Bytes that came from file names or data are escaped, so that printing
//! an error to a terminal is always safe.

use std::ffi::OsStr;
use std::fmt;
use std::io;

/// What a failure is a failure of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command was asked for in a way that makes no sense: an unknown level, an output that is
    /// also an input.
    Usage,
    /// An input could not be opened or read whole.
    Input,
    /// The result could not be written.
    Output,
    /// The program found that it had lost or doubled bytes: a defect of the program, or a file that
    /// changed.
    Consistency,
}

/// Anything that can go wrong, with where it happened and what to do.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    subject: Option<Box<str>>,
    member: Option<Box<str>>,
    what: Box<str>,
    line: Option<u64>,
    byte: Option<u64>,
    advice: Option<Box<str>>,
    source: Option<io::Error>,
}

impl Error {
    /// An error of `kind` that says `what` went wrong.
    pub fn new(kind: ErrorKind, what: impl Into<String>) -> Error {
        Error {
            kind,
            subject: None,
            member: None,
            what: what.into().into(),
            line: None,
            byte: None,
            advice: None,
            source: None,
        }
    }

    /// An error of `kind` for a system call that failed while `doing` something, in the system's
    /// own words.
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

    /// The error that reading failed with. Readers that know more about it than the system does
    /// carry an [`Error`] of their own in it.
    pub fn of_reading(error: io::Error) -> Error {
        error
            .downcast::<Error>()
            .unwrap_or_else(|error| Error::io(ErrorKind::Input, "read error", error))
    }

    /// The same error, about the file or stream `name`.
    pub fn about(self, name: impl AsRef<OsStr>) -> Error {
        Error {
            subject: Some(escaped(name.as_ref().as_encoded_bytes()).into()),
            ..self
        }
    }

    /// The same error, about the member `name` of an archive that is named later.
    pub fn within(self, name: &[u8]) -> Error {
        Error {
            member: Some(escaped(name).into()),
            ..self
        }
    }

    /// The same error, at the one-based `line`.
    pub fn at_line(self, line: u64) -> Error {
        Error {
            line: Some(line),
            ..self
        }
    }

    /// The same error, at `byte`, counted from zero at the beginning of the input.
    pub fn at_byte(self, byte: u64) -> Error {
        Error {
            byte: Some(byte),
            ..self
        }
    }

    /// The same error, with what the user can do about it.
    pub fn advise(self, advice: impl Into<String>) -> Error {
        Error {
            advice: Some(advice.into().into()),
            ..self
        }
    }

    /// What this is a failure of.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Where in the input this happened, counted from zero, if it happened at a place.
    pub fn byte(&self) -> Option<u64> {
        self.byte
    }

    /// Whether whoever was reading our output has gone away. That is how `| head` ends a program,
    /// not a failure.
    pub fn is_closed_pipe(&self) -> bool {
        self.kind == ErrorKind::Output
            && self
                .source
                .as_ref()
                .is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
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
        match (self.line, self.byte) {
            (Some(line), Some(byte)) => write!(f, " (line {line}, byte {byte})")?,
            (Some(line), None) => write!(f, " (line {line})")?,
            (None, Some(byte)) => write!(f, " (byte {byte})")?,
            (None, None) => {}
        }
        if let Some(advice) = &self.advice {
            write!(f, "; {advice}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|e| e as _)
    }
}

/// A reader's error that [`Error::of_reading`] finds again.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        io::Error::other(error)
    }
}

/// The words of the system for an error, without the number that Rust appends.
fn system_words(error: &io::Error) -> String {
    let words = error.to_string();
    match words.find(" (os error ") {
        Some(end) => words[..end].to_owned(),
        None => words,
    }
}

/// `bytes` as text that does nothing to a terminal: valid UTF-8 stands as it is, except for control
/// characters and those that reorder text; these and all other bytes become escapes such as `\n`,
/// `\x1b`, `\u{202e}`.
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
                c if c.is_control() || reorders_text(c) => {
                    text.push_str(&format!("\\u{{{:x}}}", u32::from(c)))
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

/// `text` of whole lines, each of them [`escaped`].
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

/// Whether `c` changes the direction or the place of the characters around it, or hides between
/// them.
fn reorders_text(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
