//! The schemas of inputs: as names tell them before any row is read, and as rows do.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;

use memchr::{memchr, memchr_iter};

use super::archive::Archive;
use super::compressed::Format;
use super::info::separator;
use super::open::{file_bytes, name_of, not_opened, open_file};
use super::part::{HEAD_ROWS, Part, path_of};
use super::section::Section;
use super::watched::Watched;
use super::{CoveragePolicy, OpenOptions};
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::fec::without_mark;

impl OpenOptions {
    /// Returns the schema by which each part of the input at `path` will be read, and the path of the part.
    ///
    /// Names tell it, so no rows are read and nothing is taken out of a pipe. Of an archive, the directory is
    /// read.
    ///
    /// # Errors
    /// If the input can't be opened, or the directory can't be read, as of [`OpenOptions::open`].
    ///
    /// ```
    /// use fecscan::fec::schema::Schema;
    /// use fecscan::input::OpenOptions;
    /// let parts = OpenOptions::default().schemas("fixtures/generated.txt".as_ref())?;
    /// assert_eq!(parts, [("fixtures/generated.txt".into(), Schema::Indiv)]);
    /// # Ok::<(), fecscan::Error>(())
    /// ```
    pub fn schemas(&self, path: &OsStr) -> Result<Vec<(OsString, Schema)>, Error> {
        if let Some(Schema::Other(_)) = self.schema {
            return self.schemas_of_first_lines(path);
        }
        let part = |member: Option<&[u8]>| {
            let name = member.map(OsStr::from_bytes);
            let schema = schema_of_names(self.schema, name, path);
            (path_of(path, member), schema.unwrap_or(Schema::Indiv))
        };
        let about = |error: Error| error.about(name_of(path));
        let archive = self
            .archive_at(path)
            .map_err(|error| about(not_opened(error)))?;
        let Some(archive) = archive else {
            return Ok(vec![part(None)]);
        };
        let members = Archive::open(&archive, &self.members)
            .map_err(about)?
            .members;
        Ok(members
            .iter()
            .map(|member| part(Some(&member.name)))
            .collect())
    }

    /// Does the same where the first lines tell the columns. Nothing is known of a pipe before it is read.
    fn schemas_of_first_lines(&self, path: &OsStr) -> Result<Vec<(OsString, Schema)>, Error> {
        if file_bytes(path).is_none() {
            return Ok(Vec::new());
        }
        let mut opening = self.clone();
        (opening.range, opening.coverage) = (None, CoveragePolicy::Ignore);
        // For the reading.
        opening.keep_files();
        let parts = opening.open(path)?.take_parts();
        Ok(parts.map(|part| (part.path(), part.schema())).collect())
    }

    /// Opens the zip archive at `path`. Returns none for everything else; a pipe is not opened.
    fn archive_at(&self, path: &OsStr) -> io::Result<Option<Section>> {
        if path != "-" && !std::fs::metadata(path)?.is_file() {
            return Ok(None);
        }
        let (file, offset) = open_file(path)?;
        let (watched, metadata) = Watched::new(file, offset)?;
        if !metadata.is_file() {
            return Ok(None);
        }
        let section = Section::new(&watched.file, watched.range());
        if path != "-" {
            self.looked_at.keep(path, watched);
        }
        let is_archive = Format::of(&section.clone().first_bytes()?) == Format::Zip;
        Ok(is_archive.then_some(section))
    }
}

impl Part {
    /// Returns the schema of the rows: the one that the input was opened with, or that its names tell,
    /// or [`Schema::Indiv`].
    pub fn schema(&self) -> Schema {
        self.told_schema().unwrap_or(Schema::Indiv)
    }

    /// Returns the schema that the caller or the names tell.
    pub(crate) fn told_schema(&self) -> Option<Schema> {
        let told = schema_of_names(self.input.schema, self.member(), &self.input.path)?;
        let of_first_line = || told.of_first_line(|| self.head(1));
        Some(match told {
            Schema::Other(_) => *self.of_first_line.get_or_init(of_first_line),
            _ => told,
        })
    }

    /// Returns the same, or the schema that the first rows have.
    pub(crate) fn likely_schema(&self) -> Option<Schema> {
        let by_rows = || Schema::likely(&self.head(HEAD_ROWS));
        self.told_schema().or_else(by_rows)
    }

    /// Returns the schema that the first rows have. Without any, that of the name, if they have its number of columns.
    pub(crate) fn schema_of_rows(&self) -> Option<Schema> {
        let head = self.head(HEAD_ROWS);
        let line = head.split(|&byte| byte == b'\n').next()?;
        let columns = line.split(|&byte| byte == b'|').count();
        let told = || {
            self.told_schema()
                .filter(|told| told.columns_on_disk() == columns)
        };
        Schema::likely(&head).or_else(told)
    }

    /// Returns the schema of the rows. Looks at the rows if nothing else tells it.
    ///
    /// # Errors
    /// If the schema is a guess that the first rows contradict.
    pub(crate) fn certain_schema(&self) -> Result<Schema, Error> {
        let schema = self.schema().check(|| self.head(HEAD_ROWS))?;
        let is_told = self.told_schema().is_some() && !self.has_other_delimiters();
        let fit = self.rows_fit(|likely| schema.is_like(likely));
        if fit.unwrap_or_else(|| is_told || self.has_rows_of(&[schema])) {
            return Ok(schema);
        }
        Err(self.uncertain())
    }

    /// Says whether most of the first rows are of a schema that `fits`. Returns none if no schema is known to have such rows, or if the caller
    /// named the schema.
    ///
    /// The first row is enough in a pipe, which may take long to bring more, and where names tell the schema.
    pub(crate) fn rows_fit(&self, fits: impl Fn(Schema) -> bool) -> Option<bool> {
        if self.input.schema.is_some() {
            return None;
        }
        let likely = |rows| Schema::likely(&self.head(rows)).map(&fits);
        let first_decides = self.may_be_slow() || self.told_schema().is_some();
        let first = likely(1).filter(|fits| *fits && first_decides);
        first.or_else(|| likely(HEAD_ROWS))
    }

    /// Returns the error for rows that are not of the schema that names tell, or that would be guessed.
    pub(crate) fn uncertain(&self) -> Error {
        let head = self.head(HEAD_ROWS);
        if let Some(likely) = Schema::likely(&head).map(Schema::name) {
            let advice = format!("name it: --schema {likely}");
            let told = self.told_schema().map(Schema::name);
            return Error::input(format!("looks like a file of schema {likely}")).advise(
                match told {
                    Some(told) => {
                        format!("{advice}, or --schema {told} if it is of that, as its name says")
                    }
                    None => advice,
                },
            );
        }
        let unknown = match self.told_schema().map(Schema::name) {
            Some(told) => format!("is not a file of schema {told}, as its name says"),
            None => "is of no known schema by its name or its first rows".to_owned(),
        };
        let Some(cause) = self.other_text() else {
            return Error::input(unknown)
                .advise("if it has columns of one, name that: --schema indiv");
        };
        let line = head.split(|&byte| byte == b'\n').next();
        let is_table = !cause.starts_with("it begins");
        let advice = match line.filter(|_| is_table).and_then(separator) {
            Some(separator) => format!(
                "if it is a table, read it with --delimiter {separator}, and --header if its first line names the columns"
            ),
            None => "columns of the FEC's files have | between them".to_owned(),
        };
        Error::input(format!("{unknown}: {cause}")).advise(advice)
    }

    /// Says whether the first rows have other bytes between columns than a schema that names tell.
    fn has_other_delimiters(&self) -> bool {
        // The first row nearly always decides. A slow pipe may take long to bring more.
        if self.input.schema.is_some() || memchr(b'|', &self.head(1)).is_some() {
            return false;
        }
        let other = self.other_text();
        other.is_some_and(|cause| cause.ends_with(", and no |"))
    }

    /// Says what the first rows are, if they are recognizably of no file of the FEC.
    pub(crate) fn other_text(&self) -> Option<&'static str> {
        let head = self.head(HEAD_ROWS);
        let text = without_mark(&head).trim_ascii_start();
        let begins = |mark: &[u8]| {
            let begin = text.get(..mark.len());
            begin.is_some_and(|begin| begin.eq_ignore_ascii_case(mark))
        };
        let has = |byte| memchr(byte, text).is_some();
        match () {
            () if begins(b"<!doctype html") || begins(b"<html") => Some("it begins like HTML"),
            () if begins(b"<?xml") => Some("it begins like XML"),
            () if begins(b"%PDF-") => Some("it begins like a PDF"),
            () if has(b'|') || text.is_empty() => None,
            () if has(b'\t') => Some("they have tabs, and no |"),
            () if has(b',') => Some("they have commas, and no |"),
            () => Some("there is no | in them"),
        }
    }

    /// Returns the schema that the names tell, if each of the first rows ends with one delimiter more than it has.
    pub(super) fn schema_of_trailing_delimiters(&self) -> Option<Schema> {
        let schema = self.told_schema()?;
        let has_trailing = |line: &[u8]| {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            line.ends_with(b"|") && memchr_iter(b'|', line).count() == schema.columns_on_disk()
        };
        let have_trailing = |rows| {
            let head = self.head(rows);
            let lines = head.strip_suffix(b"\n").unwrap_or(&head);
            lines.split(|&byte| byte == b'\n').all(has_trailing)
        };
        // The first row nearly always decides.
        let rows = if self.may_be_slow() { 1 } else { HEAD_ROWS };
        (have_trailing(1) && have_trailing(rows)).then_some(schema)
    }

    /// Tells whether the first rows may be of one of `schemas`: one has its number of columns, or there are
    /// none.
    pub(crate) fn has_rows_of(&self, schemas: &[Schema]) -> bool {
        let is_row = |line: &[u8]| {
            let columns = memchr_iter(b'|', line).count() + 1;
            schemas
                .iter()
                .any(|schema| schema.columns_on_disk() == columns)
        };
        // The first row nearly always decides. A slow pipe may take long to bring more.
        [1, HEAD_ROWS].into_iter().any(|rows| {
            let head = self.head(rows);
            head.is_empty() || head.split(|&b| b == b'\n').any(is_row)
        })
    }
}

/// Returns the schema that the caller has `named`. Otherwise the name of the `member` tells it, or else the
/// path of the `input`.
pub(super) fn schema_of_names(
    named: Option<Schema>,
    member: Option<&OsStr>,
    input: &OsStr,
) -> Option<Schema> {
    let mut names = member.into_iter().chain([input]);
    named.or_else(|| names.find_map(Schema::of_file_name))
}
