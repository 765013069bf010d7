//! Files of other kinds, as options describe them.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, escaped};
use crate::export::Types;
use crate::fec::layout::{ColumnType, DateOrder, FirstLine, Layout, OpenLayout, Quotes};
use crate::input::{OpenOptions, file_bytes, name_of};

use super::schemas::SchemaPolicy;
use super::usage;
use crate::cli::{Common, LayoutOptions, TypesOf};

/// Returns the layout of files of another kind than the FEC's, if options describe one.
///
/// # Errors
/// If options contradict each other, or the names can't be read.
pub(super) fn layout(common: &Common, policy: SchemaPolicy) -> Result<Option<Layout>, Error> {
    // Exports alone are of one table.
    if !matches!(policy, SchemaPolicy::OneTable | SchemaPolicy::SameOrder) {
        refuse_values(&common.layout)?;
    }
    if common.contributions && describe(&common.layout) {
        let what = "--contributions is for the FEC's files";
        return Err(usage(what, "leave it out, or choose rows with --where"));
    }
    of_options(&common.layout)
}

/// Refuses to say how values are written where none are.
pub(super) fn refuse_values(given: &LayoutOptions) -> Result<(), Error> {
    if values(given).is_none() {
        return Ok(());
    }
    let what = "--types raw and typed are for the values of an export";
    Err(usage(what, "name columns: --types amount=number"))
}

/// Returns the same, whatever else is asked.
pub(super) fn of_options(given: &LayoutOptions) -> Result<Option<Layout>, Error> {
    let kinds = kinds(given);
    if !describe(given) {
        let others = [
            (!kinds.is_empty(), "--types is for columns"),
            (given.quotes.is_some(), "--quotes is for values"),
            (given.skip > 0, "--skip is for lines"),
            (given.comment.is_some(), "--comment is for lines"),
            (given.dates.is_some(), "--dates is for days"),
            (
                given.decimal_separator.is_some(),
                "--decimal-separator is for numbers",
            ),
        ];
        let Some((_, what)) = others.into_iter().find(|(is_given, _)| *is_given) else {
            return Ok(None);
        };
        let what = format!("{what} of files of other kinds");
        let advice = "say how they are read: --delimiter C, or --header";
        return Err(usage(what, advice));
    }
    let mut layout = Layout::between(given.delimiter.as_deref().unwrap_or(","))?;
    if given.header {
        layout.first_line = FirstLine::Names;
    }
    layout.quotes = given.quotes.unwrap_or_default();
    layout.skip = given.skip;
    layout.comment = given.comment;
    layout.dates = given.dates.unwrap_or_default();
    layout.decimal = given.decimal_separator;
    if layout.decimal == Some(layout.delimiter) && layout.quotes == Quotes::Data {
        let what =
            "--decimal-separator and --delimiter are the same, and quotes are bytes like others";
        return Err(usage(what, "name another delimiter, or leave out --quotes"));
    }
    layout.names = names(given)?;
    layout.kinds = kinds;
    let mut typed = HashSet::new();
    let mut names = layout.kinds.iter().map(|(name, _)| name);
    if let Some(name) = names.find(|name| !typed.insert(name.to_ascii_lowercase())) {
        let name = escaped(name.as_bytes());
        let what = format!("--types gives the column {name} two types");
        return Err(usage(what, "name each column once"));
    }
    Ok(Some(layout))
}

/// Returns a layout with what the first rows of the files at `paths` tell, and notes on it. Pipes are not looked at, and neither are files
/// that can't be opened.
///
/// # Errors
/// If nothing is known of the files, and they begin in different ways.
pub(super) fn recognized(
    given_layout: Layout,
    given: &LayoutOptions,
    paths: &[OsString],
    opening: &OpenOptions,
) -> Result<(Layout, Vec<String>), Error> {
    let (mut layout, mut quoted, mut notes) = (given_layout.clone(), None, Vec::new());
    let open = OpenLayout {
        delimiter: given.delimiter.is_none(),
        first_line: given.guesses_header,
        quotes: given.quotes.is_none(),
    };
    let mut first: Option<String> = None;
    for path in paths.iter().filter(|path| file_bytes(path).is_some()) {
        let mut found = if open.first_line {
            given_layout.clone()
        } else {
            layout.clone()
        };
        // Reading a file says why it can't be opened.
        if opening.recognize(path, open, &mut found).is_err() {
            continue;
        }
        let name = escaped(path.as_encoded_bytes());
        let guess = |layout: &Layout| (layout.first_line, layout.delimiter);
        match &first {
            Some(first) if open.first_line && guess(&found) != guess(&layout) => {
                let what = format!(
                    "begins otherwise than {first}: one has names in its first line and the other values, or their delimiters differ"
                );
                let advice = "say how all are read, with --header, --names or --delimiter";
                return Err(usage(what, advice).about(path));
            }
            _ => {}
        }
        if found.quotes != given_layout.quotes && layout.quotes != found.quotes {
            quoted = Some(name.clone());
        }
        if found.first_line != given_layout.first_line && first.is_none() {
            notes.push(format!(
                "the first line of {name} has values like the others, so its columns are named by number, as in \"#1\"; --header reads names there"
            ));
        }
        first.get_or_insert(name);
        if layout.quotes != given_layout.quotes {
            found.quotes = layout.quotes;
        }
        found.separator_line |= layout.separator_line;
        layout = found;
    }
    let slower = match (&layout, quoted) {
        (_, Some(path)) => Some(format!(
            "{path} has values in quotes, so one thread reads files as CSV, which is slower; --quotes data reads quotes as bytes"
        )),
        (layout, None) => reason_of_one_thread(layout)
            .map(|what| format!("one thread reads {what}, which is slower than other files")),
    };
    notes.extend(slower);
    Ok((layout, notes))
}

/// Returns what of a layout only one thread can read, as options describe it.
fn reason_of_one_thread(layout: &Layout) -> Option<&'static str> {
    if layout.quotes == Quotes::Csv {
        Some("values in quotes")
    } else if layout.long_delimiter.is_some() {
        Some("delimiters of several bytes")
    } else if layout.dates == DateOrder::DayFirst {
        Some("days before months")
    } else {
        layout.decimal.map(|_| "numbers with separators")
    }
}

/// Returns how the values of an export are written, if an option says so.
pub(super) fn values(given: &LayoutOptions) -> Option<Types> {
    given.types.iter().rev().find_map(|types| match types {
        TypesOf::Values(values) => Some(*values),
        TypesOf::Columns(_) => None,
    })
}

pub(super) fn kinds(given: &LayoutOptions) -> Vec<(String, ColumnType)> {
    let kinds = given.types.iter().filter_map(|types| match types {
        TypesOf::Values(_) => None,
        TypesOf::Columns(columns) => Some(columns.clone()),
    });
    kinds.flatten().collect()
}

/// Says whether options describe files of another kind.
pub(super) fn describe(given: &LayoutOptions) -> bool {
    let names = given.names.is_some() || given.names_from.is_some();
    given.delimiter.is_some() || given.header || names
}

/// The most bytes of a list of names. A line, which may have them too, has no more.
const NAMES_BYTES_MAX: u64 = 16 << 20;

/// Returns the file that names are read from.
pub(super) fn names_from(given: &LayoutOptions) -> Option<OsString> {
    given.names_from.clone().map(PathBuf::into_os_string)
}

fn names(given: &LayoutOptions) -> Result<Vec<String>, Error> {
    let text = match (&given.names, &given.names_from) {
        (Some(names), _) => names.clone(),
        (None, None) => return Ok(Vec::new()),
        (None, Some(path)) => text_of(path)?,
    };
    let text = text.trim_start_matches('\u{feff}').trim_ascii();
    let names = text.split([',', '\n']);
    let names: Vec<String> = names.map(|name| name.trim_ascii().to_owned()).collect();
    let mut known = HashSet::with_capacity(names.len());
    for (nth, name) in names.iter().enumerate() {
        let what = match name.as_str() {
            "" => format!("column #{} has no name", nth + 1),
            name if !known.insert(name.to_ascii_lowercase()) => {
                format!("the column {name} is named twice")
            }
            _ => continue,
        };
        return Err(usage(what, "name each column once"));
    }
    Ok(names)
}

/// Reads a list of names. A device or a pipe may have no end.
fn text_of(path: &Path) -> Result<String, Error> {
    let name = name_of(path.as_ref());
    let wrong = |e| Error::io(ErrorKind::Input, "can't be read", e).about(name);
    let mut text = Vec::new();
    let source: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(wrong)?)
    };
    let read = source.take(NAMES_BYTES_MAX + 1).read_to_end(&mut text);
    read.map_err(wrong)?;
    if text.len() as u64 > NAMES_BYTES_MAX {
        let what = format!(
            "has more than {} MiB, and is not a list of names",
            NAMES_BYTES_MAX >> 20
        );
        let error = Error::new(ErrorKind::Input, what).about(name);
        return Err(
            error.advise("write the names of the columns into a file, with commas between them")
        );
    }
    String::from_utf8(text).map_err(|_| {
        wrong(io::Error::new(
            io::ErrorKind::InvalidData,
            "stream did not contain valid UTF-8",
        ))
    })
}
