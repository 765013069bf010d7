//! Articles as ladders: each step is a program of the article, and the last ones are this crate. `benches/LADDERS.md` explains them.

pub mod count;
pub mod first_names;
pub mod random;
pub mod revisions;
mod steps;
