//! Names and columns of schemas that last as long as the process, each kept once.
//!
//! A schema can be copied, so what it refers to is never freed. A process that reads files with one header again and again, or
//! joins one table for each request, keeps one of them. Distinct headers add up.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{LazyLock, Mutex, PoisonError};

use super::layout::Table;

/// Values that are never freed.
type Kept<T> = LazyLock<Mutex<HashSet<&'static T>>>;

/// Returns the only copy of `name`.
pub(super) fn name(name: String) -> &'static str {
    static NAMES: Kept<str> = LazyLock::new(Mutex::default);
    only(&NAMES, name.into_boxed_str())
}

/// Returns the only copy of `table`.
pub(super) fn table(table: Table) -> &'static Table {
    static TABLES: Kept<Table> = LazyLock::new(Mutex::default);
    only(&TABLES, Box::new(table))
}

fn only<T: Eq + Hash + ?Sized>(kept: &Mutex<HashSet<&'static T>>, new: Box<T>) -> &'static T {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept.get(&*new) {
        return known;
    }
    let new = Box::leak(new);
    kept.insert(new);
    new
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use crate::fec::schema::Schema;

    /// Otherwise a service that joins a table for each request would grow for ever.
    #[test]
    fn the_same_header_is_kept_once() {
        let columns = |text: &'static str| {
            let fields: Vec<_> = text.split(',').map(str::as_bytes).collect();
            Schema::of_header("geo", &fields, &[false; 3]).columns()
        };
        let first = columns("zip,county,state");
        assert!(ptr::eq(first, columns("zip,county,state")));
        assert!(ptr::eq(first[0].name, columns("zip,city,state")[0].name));
        assert!(!ptr::eq(first, columns("zip,city,state")));
    }
}
