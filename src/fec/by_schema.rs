//! What is made for a schema once. A run reads files by the thousand, and their schemas are few.

use std::collections::HashMap;
use std::sync::Mutex;

use ahash::RandomState;

use super::schema::Schema;
use crate::error::Error;
use crate::workers::lock;

/// The most schemas that are kept. Each file of a run may have a header of its own.
const SCHEMAS_MAX: usize = 256;

/// A value for each schema, by [`Schema::identity`]. The schemas are kept too, so that no other takes the identity of one.
#[derive(Debug)]
pub(crate) struct BySchema<V>(Mutex<Known<V>>);

type Known<V> = HashMap<(&'static str, usize), (Schema, V), RandomState>;

impl<V> Default for BySchema<V> {
    fn default() -> BySchema<V> {
        BySchema(Mutex::default())
    }
}

impl<V: Clone> BySchema<V> {
    /// Returns the value of `schema`, which `make` makes unless it is known. Threads that need the same value wait for the one that
    /// makes it.
    pub(crate) fn get_or_make(
        &self,
        schema: Schema,
        make: impl FnOnce() -> Result<V, Error>,
    ) -> Result<V, Error> {
        let mut known = lock(&self.0);
        if let Some((_, value)) = known.get(&schema.identity()) {
            return Ok(value.clone());
        }
        let value = make()?;
        if known.len() == SCHEMAS_MAX {
            known.clear();
        }
        known.insert(schema.identity(), (schema, value.clone()));
        Ok(value)
    }
}
