//! Arrow.
