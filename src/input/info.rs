//! What an input is, found from its beginning.

use std::ffi::{OsStr, OsString};
use std::num::NonZeroU64;

use memchr::{memchr, memchr_iter};

use super::{Buffer, CoveragePolicy, HEAD_ROWS, OpenOptions, Part};
use crate::error::Error;
use crate::fec::layout::{Layout, OpenLayout, exchange_line_breaks};
use crate::fec::schema::{FirstLine, Schema};
use crate::plan::{Cut, Plan};

/// The number of rows whose values are shown.
const SHOWN_ROWS: usize = 3;

const ONE_TASK: NonZeroU64 = NonZeroU64::new(64 << 10).unwrap();

/// What a file is, as its beginning tells.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FileInfo {
    /// The path as given; `-` for standard input.
    pub path: OsString,
    /// `plain`, `gzip`, `zstd` or `zip`.
    pub format: &'static str,
    /// The size of a regular file.
    pub bytes: Option<u64>,
    /// The members of an archive that would be read, or the one sequence of lines.
    pub parts: Vec<PartInfo>,
    /// Notes on how the file is read, such as members that are left out.
    pub notes: Vec<String>,
}

/// What a sequence of lines is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PartInfo {
    /// The name of a member.
    pub member: Option<OsString>,
    /// The number of bytes, unpacked, if the file tells it.
    pub bytes: Option<u64>,
    /// The schema that the caller, the name or the first rows tell.
    pub schema: Option<Schema>,
    /// The columns of the schema, and further columns of the first rows.
    pub columns: Vec<ColumnInfo>,
    /// The number of columns of the first row.
    pub width: usize,
    /// What speaks against a file of the FEC, and what to do.
    pub warning: Option<String>,
}

/// What stands in a column of the first rows.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ColumnInfo {
    /// The number of bytes of the longest value in the first thousand rows.
    pub width: usize,
    /// The values of the first three rows.
    pub values: Vec<Vec<u8>>,
}

impl OpenOptions {
    /// Adds to `layout` what the first rows of the file at `path` tell of what is `open`.
    ///
    /// ```
    /// use fecscan::Layout;
    /// use fecscan::fec::layout::OpenLayout;
    /// use fecscan::input::OpenOptions;
    /// let mut layout = Layout::new(b',')?;
    /// let open = OpenLayout { quotes: true, ..OpenLayout::default() };
    /// OpenOptions::default().recognize("fixtures/plain.txt".as_ref(), open, &mut layout)?;
    /// assert_eq!(layout, Layout::new(b',')?);
    /// # Ok::<(), fecscan::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`OpenOptions::open`].
    pub fn recognize(
        &self,
        path: &OsStr,
        open: OpenLayout,
        layout: &mut Layout,
    ) -> Result<(), Error> {
        let mut opening = self.clone();
        (opening.schema, opening.range) = (None, None);
        opening.coverage = CoveragePolicy::Ignore;
        for part in opening.open(path)?.take_parts() {
            layout.recognize(&part.head(HEAD_ROWS), open);
        }
        Ok(())
    }

    /// Looks at the beginning of the file at `path`, and of each member that would be read.
    ///
    /// # Errors
    /// As of [`OpenOptions::open`].
    ///
    /// ```
    /// use fecscan::input::OpenOptions;
    /// let file = OpenOptions::default().info("fixtures/plain.txt".as_ref())?;
    /// assert_eq!((file.format, file.bytes), ("plain", Some(1291)));
    /// assert_eq!(file.parts[0].columns[9].values[0], b"OR");
    /// # Ok::<(), fecscan::Error>(())
    /// ```
    pub fn info(&self, path: &OsStr) -> Result<FileInfo, Error> {
        let mut input = self.open(path)?.noting_first_lines();
        let format = match input.io_name() {
            "mmap" | "read" => "plain",
            packed => packed,
        };
        let stored = input.stored_bytes();
        Ok(FileInfo {
            path: path.to_owned(),
            format,
            bytes: stored.or_else(|| input.bytes_ahead()),
            notes: input.notes(),
            parts: input
                .take_parts()
                .map(|part| PartInfo::of(&part))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl PartInfo {
    fn of(part: &Part) -> Result<PartInfo, Error> {
        let head = part.head(HEAD_ROWS);
        if head.is_empty() {
            // Only reading tells an empty part from one that can't be read.
            let plan = Plan::new(part.range().unwrap_or(0..u64::MAX), ONE_TASK, Cut::Anywhere);
            while part.next(&plan, &mut Buffer::default())?.is_some() {}
        }
        let lines = head.split_inclusive(|&byte| byte == b'\n').map(|line| {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            line.strip_suffix(b"\r").unwrap_or(line)
        });
        let schema = part.likely_schema();
        let names = schema.map_or(FirstLine::Row, Schema::first_line);
        let lines = lines.skip(usize::from(names == FirstLine::Names));
        let delimiter = schema.map_or(b'|', Schema::delimiter);
        let first = lines.clone().next();
        let width = first.map_or(0, |line| memchr_iter(delimiter, line).count() + 1);
        let expected = schema.map_or(width, Schema::columns_on_disk);
        let warning = match schema {
            None => first.map(|line| {
                let cause = part
                    .other_text()
                    .map_or(String::new(), |cause| format!(": {cause}"));
                let advice = match separator(line) {
                    Some(separator) => {
                        format!("if it is a table, read it with --delimiter {separator}")
                    }
                    None => "if it is one of the FEC's, name its schema: --schema indiv".to_owned(),
                };
                format!("is of no known schema by its name or its first rows{cause}; {advice}")
            }),
            Some(schema) if first.is_some() && width != expected => Some(format!(
                "the first row has {width} columns, and rows of {} have {expected}",
                schema.name()
            )),
            Some(_) => None,
        };
        Ok(PartInfo {
            member: part.member().map(OsStr::to_owned),
            bytes: part.range().map(|range| range.end - range.start),
            schema,
            columns: with_line_breaks(
                schema,
                columns(
                    lines,
                    delimiter,
                    schema.map_or(0, |schema| schema.columns().len()),
                ),
            ),
            width,
            warning,
        })
    }
}

/// Returns columns whose values have line breaks instead of the bytes that stand for them.
fn with_line_breaks(schema: Option<Schema>, mut columns: Vec<ColumnInfo>) -> Vec<ColumnInfo> {
    if schema.is_some_and(Schema::has_line_breaks) {
        let values = columns.iter_mut().flat_map(|column| &mut column.values);
        values.for_each(|value| exchange_line_breaks(value));
    }
    columns
}

/// Returns what stands in the columns of `rows`: in `known` columns, and in those that the shown rows have beside them.
fn columns<'a>(
    rows: impl Iterator<Item = &'a [u8]>,
    delimiter: u8,
    known: usize,
) -> Vec<ColumnInfo> {
    let mut columns = vec![ColumnInfo::default(); known];
    for (row, line) in rows.enumerate() {
        for (at, value) in line.split(|&byte| byte == delimiter).enumerate() {
            if at == columns.len() && row < SHOWN_ROWS {
                columns.push(ColumnInfo::default());
            }
            if let Some(column) = columns.get_mut(at) {
                column.width = column.width.max(value.len());
                if row < SHOWN_ROWS {
                    column.values.push(value.to_vec());
                }
            }
        }
    }
    columns
}

/// Returns the name of the byte that seems to separate the columns of a `line` without `|`.
pub(super) fn separator(line: &[u8]) -> Option<&'static str> {
    const NAMES: [(u8, &str); 3] = [(b'\t', "tab"), (b';', "semicolon"), (b',', "comma")];
    let mut present = NAMES
        .iter()
        .filter(|(byte, _)| memchr(*byte, line).is_some());
    let is_piped = memchr(b'|', line).is_some();
    present.find(|_| !is_piped).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_separator_is_named_only_where_there_is_no_pipe() {
        for (line, name) in [
            ("a|b,c", None),
            ("a b", None),
            ("a,b\tc", Some("tab")),
            ("a,b;c", Some("semicolon")),
            ("a,b", Some("comma")),
        ] {
            assert_eq!(separator(line.as_bytes()), name, "{line}");
        }
    }
}
