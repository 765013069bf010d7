//! Functions are described, and months are recognized.

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

#[test]
fn months_are_recognized_in_other_forms() {
    for (typed, meant) in [
        ("01/2018", Some("2018-01")),
        ("1-2018", Some("2018-01")),
        ("2018.12", Some("2018-12")),
        ("12/31/2018", Some("2018-12")),
        ("2018-1-31", Some("2018-01")),
        ("201802", Some("2018-02")),
        ("022018", Some("2018-02")),
        ("20180203", Some("2018-02")),
        ("02032018", Some("2018-02")),
        ("00/2018", None),
        ("13/2018", None),
        ("201813", None),
        ("2018", None),
        ("01/18", None),
        ("+1/2018", None),
        ("1//2018", None),
        ("1/1/1/2018", None),
        ("2018-\u{664}", None),
        ("9999999999999999", None),
        ("", None),
    ] {
        assert_eq!(month_meant(typed).as_deref(), meant, "{typed}");
    }
}
