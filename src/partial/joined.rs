//! Joined files, as partials name them.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

use crate::error::{Error, ErrorKind, escaped};
use crate::fec::schema::Schema;
use crate::input::{CoveragePolicy, OpenOptions, Part};
use crate::sql::Join;

const HASHED_TOGETHER: usize = 64 << 10;

/// A joined file. A merge reads it again. Its path may be another then, but not its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joined {
    /// The path as given.
    pub path: String,
    /// The size on disk.
    pub bytes: u64,
    /// The hash of all bytes on disk, in hexadecimal digits.
    pub hash: String,
    /// The schemas of its parts, which its name may tell; or the name of its table.
    pub schemas: Vec<String>,
    /// How rows lead to its table, if that has a name: `zip5(ZIP_CODE)=geo.zip`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
}
impl Joined {
    /// Looks at a file. `scanned` is the schema of the rows, if it is known.
    ///
    /// # Errors
    /// If the file can't be opened, is no regular file, or its path is no text.
    pub fn of(
        join: &Join,
        scanned: Option<Schema>,
        opening: &OpenOptions,
    ) -> Result<Joined, Error> {
        let path = &join.path;
        let mut opening = opening.clone();
        // Refuses pipes, which can't be read again.
        opening.coverage = CoveragePolicy::Note;
        let parts: Vec<_> = opening.open(path)?.take_parts().collect();
        let (bytes, hash) = hash_of(path)
            .map_err(|e| Error::io(ErrorKind::Input, "can't be read", e).about(path))?;
        let text = path.to_str().ok_or_else(|| {
            let error = Error::usage("has a path that is not UTF-8").about(path);
            error.advise("partials name joined files as text: rename it")
        })?;
        let schemas = match join.name() {
            Some(name) => vec![name.to_owned()],
            None => parts
                .iter()
                .filter_map(Part::likely_schema)
                .map(|schema| schema.name().to_owned())
                .collect(),
        };
        Ok(Joined {
            path: text.to_owned(),
            bytes,
            hash: format!("{hash:032x}"),
            schemas,
            on: join.canonical(scanned.unwrap_or(Schema::Indiv)),
        })
    }

    /// Returns the file as one to be joined.
    ///
    /// # Errors
    /// If this program would not have written how rows lead to it.
    pub fn to_join(&self) -> Result<Join, Error> {
        match &self.on {
            None => Ok(Join::new(&self.path)),
            Some(on) => Join::on(&self.path, on),
        }
    }

    /// Says whether `other` is the same file, perhaps under another path.
    pub fn is_same(&self, other: &Joined) -> bool {
        let path = other.path.clone();
        *other
            == Joined {
                path,
                ..self.clone()
            }
    }

    /// Says whether `other` has the same bytes and schemas.
    fn is_same_content(&self, other: &Joined) -> bool {
        let content = |joined: &Joined| (joined.bytes, joined.hash.clone(), joined.schemas.clone());
        content(self) == content(other)
    }

    /// Takes the first of `paths` where the file is as it was. Without paths, it is looked for at its own.
    ///
    /// # Errors
    /// If no path leads to the file. The error says why not at the first, and names the others.
    pub fn find_at(&mut self, paths: &[String], opening: &OpenOptions) -> Result<(), Error> {
        let Some((first, others)) = paths.split_first() else {
            return self.check(opening);
        };
        self.path.clone_from(first);
        let Err(error) = self.check(opening) else {
            return Ok(());
        };
        for path in others {
            self.path.clone_from(path);
            if self.check(opening).is_ok() {
                return Ok(());
            }
        }
        if others.is_empty() {
            return Err(error);
        }
        let others: Vec<_> = others.iter().map(|path| escaped(path.as_bytes())).collect();
        Err(error.advise_more(format!(
            "other partials have it at {}, where it is not either",
            others.join(", ")
        )))
    }

    /// Checks that the file is as it was.
    ///
    /// # Errors
    /// If it can't be opened, or is another one.
    pub fn check(&self, opening: &OpenOptions) -> Result<(), Error> {
        if Joined::of(&self.to_join()?, None, opening)?.is_same_content(self) {
            return Ok(());
        }
        let what = "is not the file that was joined when the partials were written";
        let error = Error::input(what).about(&self.path);
        Err(error.advise("merge with the same file, or write the partials again"))
    }
}

/// Returns the number of bytes of the file at `path`, and their hash. The file may be another one than meant, and huge: it is read in pieces.
fn hash_of(path: &OsStr) -> io::Result<(u64, u128)> {
    let mut file = File::open(path)?;
    let (mut bytes, mut hash) = (0, XxHash3_128::new());
    let mut buffer = vec![0; HASHED_TOGETHER];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok((bytes, hash.finish_128())),
            Ok(read) => {
                hash.write(&buffer[..read]);
                bytes += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
