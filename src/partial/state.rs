//! What a fold has made of the lines of a partial: most of its bytes.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;

use super::file::{Partial, hash_at_end};
use crate::error::{Error, ErrorKind};

/// The least bytes of a partial whose state waits in the file. Smaller ones are not read twice: a thousand of them take
/// a gigabyte of memory at most.
pub(super) const LEFT_FROM: u64 = 1 << 20;

/// A state, or where it is. States that wait in files take no memory.
#[derive(Clone, Debug)]
pub(super) enum State {
    Here(Vec<u8>),
    /// In the file at this path, with its length in bytes and the hash at its end.
    Left {
        path: OsString,
        bytes: u64,
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
        let (path, bytes, hash) = match self {
            State::Here(bytes) => return Ok(bytes),
            State::Left { path, bytes, hash } => (path, bytes, hash),
        };
        let read = || {
            let mut again = Vec::new();
            // One byte more, to notice that the file has grown.
            File::open(&path)
                .and_then(|file| file.take(bytes + 1).read_to_end(&mut again))
                .map_err(|e| Error::io(ErrorKind::Input, "", e))?;
            let is_same = again.len() as u64 == bytes && hash_at_end(&again) == Some(hash);
            // The hash at the end is verified, so the bytes before are the same too.
            match is_same.then(|| Partial::read(again)) {
                Some(Ok(mut partial)) => partial.take_state(),
                _ => {
                    let error = Error::input("has changed while it was merged");
                    Err(error.advise("merge partials that are complete"))
                }
            }
        };
        read().map_err(|error| error.about(&path))
    }
}
