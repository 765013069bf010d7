//! The schemas of inputs, as names tell them before any row is read.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use super::archive::Archive;
use super::compressed::{Format, Section};
use super::open::{Opened, file_bytes, name_of, not_opened, standard_input_and_place};
use super::part::{path_of, schema_of_names};
use super::{CoveragePolicy, OpenOptions};
use crate::error::Error;
use crate::fec::schema::Schema;

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
        let parts = opening.open(path)?.take_parts();
        Ok(parts.map(|part| (part.path(), part.schema())).collect())
    }

    /// Opens the zip archive at `path`. Returns none for everything else; a pipe is not opened.
    fn archive_at(&self, path: &OsStr) -> io::Result<Option<Section>> {
        let (file, offset) = if path == "-" {
            standard_input_and_place()?
        } else if std::fs::metadata(path)?.is_file() {
            (File::open(path)?, 0)
        } else {
            return Ok(None);
        };
        let opened = Opened::new(file.try_clone()?)?;
        if !opened.metadata.is_file() {
            return Ok(None);
        }
        let end = opened.metadata.len().max(offset);
        let section = Section::new(Arc::new(file), offset..end);
        if path != "-" {
            self.looked_at.keep(path, opened);
        }
        let is_archive = Format::of(&section.clone().first_bytes()?) == Format::Zip;
        Ok(is_archive.then_some(section))
    }
}
