//! What a fold has made of the lines of a partial: most of its bytes.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;

use super::file::{Partial, hash_at_end};
use crate::error::{Error, ErrorKind};

/// A state, or where it is. States that wait in files take no memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    Here(Vec<u8>),
    /// In the file at this path, whose bytes have this hash.
    Left {
        path: OsString,
        hash: u128,
    },
}

impl Default for State {
    fn default() -> State {
        State::Here(Vec::new())
    }
}

impl State {
    pub(super) fn read(&self) -> Result<Cow<'_, [u8]>, Error> {
        match self {
            State::Here(bytes) => Ok(Cow::Borrowed(bytes)),
            left @ State::Left { .. } => left.clone().into_bytes().map(Cow::Owned),
        }
    }

    /// Returns the bytes, which are read now if they were left.
    pub(super) fn into_bytes(self) -> Result<Vec<u8>, Error> {
        let (path, hash) = match self {
            State::Here(bytes) => return Ok(bytes),
            State::Left { path, hash } => (path, hash),
        };
        let read = || {
            let bytes = fs::read(&path).map_err(|e| Error::io(ErrorKind::Input, "", e))?;
            if hash_at_end(&bytes) != Some(hash) {
                let error = Error::new(ErrorKind::Input, "has changed while it was merged");
                return Err(error.advise("merge partials that are complete"));
            }
            Partial::read(bytes)?.take_state()
        };
        read().map_err(|error| error.about(&path))
    }
}
