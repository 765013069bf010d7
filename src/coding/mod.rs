//! How numbers, texts and lists are written down in a partial.

pub(crate) mod bytes;
pub mod varint;

pub use self::bytes::Damaged;
pub(crate) use self::bytes::{Put, Reader};
