//! x
pub mod engine;
pub mod error;
pub mod fec;
pub mod fold;
pub mod generate;
pub mod input;
pub mod plan;
pub mod render;
pub mod scan;

pub use self::engine::{Engine, Options, Run};
pub use self::error::Error;
pub use self::fold::{Fold, by_row, counts::Counts};
pub use self::scan::simd::Simd;
