//! The schemas that a run meets, which may be one for a hundred thousand files.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::sync::{Arc, Mutex};

use super::bound::BoundQuestion;
use crate::error::Error;
use crate::fec::by_schema::BySchema;
use crate::fec::schema::Schema;
use crate::fold::FileLines;
use crate::workers::lock;

/// The schemas of parts that have begun, and the question for their rows.
#[derive(Debug, Default)]
pub(super) struct Schemas {
    /// For each input, by its path, the schemas of its parts.
    begun: Mutex<HashMap<OsString, Vec<Schema>>>,
    bound: BySchema<Arc<BoundQuestion>>,
}

impl Schemas {
    /// Notes that a part of the input at `path` has begun.
    pub(super) fn begin(&self, path: &OsStr, schema: Schema) {
        let mut begun = lock(&self.begun);
        begun.entry(path.to_owned()).or_default().push(schema);
    }

    /// Returns the schemas of the inputs that were read whole, each once, in the order given. Members of an archive
    /// have the order of [`Schema::ALL`].
    pub(super) fn of_files(&self, files: &[FileLines]) -> Vec<Schema> {
        let begun = lock(&self.begun);
        let (mut schemas, mut known) = (Vec::new(), HashSet::new());
        for file in files {
            let mut of_file = begun.get(&file.path).cloned().unwrap_or_default();
            // Members begin in any order.
            of_file.sort_by_key(|schema| Schema::ALL.iter().position(|known| known == schema));
            of_file.retain(|schema| known.insert(schema.identity()));
            schemas.extend(of_file);
        }
        schemas
    }

    /// Returns the question for the rows of `schema`, which `bind` makes once.
    pub(super) fn bound(
        &self,
        schema: Schema,
        bind: impl FnOnce() -> Result<BoundQuestion, Error>,
    ) -> Result<Arc<BoundQuestion>, Error> {
        self.bound.get_or_make(schema, || bind().map(Arc::new))
    }
}
