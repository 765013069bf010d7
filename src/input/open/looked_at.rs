//! Files that a look at their schemas has opened.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::input::watched::open_name;
use crate::workers::lock;

/// An opened file, its name, and what the system says of it.
#[derive(Debug)]
pub(in crate::input) struct Opened {
    pub(in crate::input) file: File,
    pub(in crate::input) name: Option<PathBuf>,
    pub(in crate::input) metadata: Metadata,
}

impl Opened {
    pub(in crate::input) fn new(file: File) -> io::Result<Opened> {
        // A rename between the two is in the metadata, and so is no change during the run.
        let name = open_name(&file);
        let metadata = file.metadata()?;
        Ok(Opened {
            file,
            name,
            metadata,
        })
    }
}

/// Files that wait to be read, by their paths.
///
/// A look at a schema opens a file, and reading takes the same opening. A change between the two is then noticed as any other.
#[derive(Clone, Debug, Default)]
pub(in crate::input) struct LookedAt(Arc<Mutex<HashMap<OsString, Opened>>>);

impl LookedAt {
    /// The most files that wait. A process may have 1,024 descriptors.
    const MOST: usize = 64;

    pub(in crate::input) fn keep(&self, path: &OsStr, opened: Opened) {
        let mut files = lock(&self.0);
        if files.len() < LookedAt::MOST {
            files.insert(path.to_owned(), opened);
        }
    }

    pub(in crate::input) fn take(&self, path: &OsStr) -> Option<Opened> {
        lock(&self.0).remove(path)
    }
}
