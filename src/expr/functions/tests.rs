//! Functions are described.

use super::*;

/// Help, documents and pictures list functions by hand.
#[test]
fn each_function_is_described() {
    let described = [
        ("the help", include_str!("../../cli/by.rs")),
        ("the dialect", include_str!("../../../docs/dialect.md")),
    ];
    let words = include_str!("../../render/html/words.rs");
    for Function { name, .. } in &FUNCTIONS {
        for (place, text) in described {
            assert!(text.contains(&format!("{name}(C")), "{place} lacks {name}");
        }
        assert!(
            words.contains(&format!("\"{name}\"")),
            "pictures lack {name}"
        );
    }
}
