//! How numbers, bytes and lists are written down in a partial.

pub(crate) mod bytes;
pub(crate) mod json;
pub mod varint;

pub use self::bytes::Damaged;
pub(crate) use self::bytes::{Put, Reader, check};
