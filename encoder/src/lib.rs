#![doc = include_str!("../README.md")]

mod buffer;
mod escape;
mod value;
mod writer;

pub use self::buffer::{Buffer, Literal};
pub use self::escape::{Escape, Json, WINDOW_BYTES, Window, push_text};
pub use self::value::{DECIMALS_MAX, Text, Value};
pub use self::writer::RowWriter;
