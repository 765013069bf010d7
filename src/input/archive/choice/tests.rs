//! Patterns against their definition; which members are read; notes on the others.

use super::*;

#[test]
fn text_outside_of_folders_is_read() {
    let mut default = Chooser::new(&Members::TopLevelText);
    for (name, chosen) in [
        (&b"itcont.txt"[..], true),
        (b"ITCONT.TXT", true),
        (b".txt", true),
        (b"a\nb\x1b\xff.txt", true),
        (b"txt", false),
        (b"", false),
        (b"itcont.csv", false),
        (b"by_date/itcont.txt", false),
        (b"by_date\\itcont.txt", false),
        (b"/itcont.txt", false),
        (b"../itcont.txt", false),
        (b"itcont.txt/", false),
        (b"._itcont.txt", false),
        (b"__MACOSX/._itcont.txt", false),
    ] {
        let content = Expected { bytes: 0, crc: 0 };
        assert_eq!(default.chooses(name, content), chosen, "{name:?}");
    }
}

/// All patterns and names of up to five letters, against the definition.
#[test]
fn patterns_match_by_their_definition() {
    fn by_definition(pattern: &[u8], name: &[u8]) -> bool {
        match pattern {
            [] => name.is_empty(),
            [b'*', rest @ ..] => (0..=name.len()).any(|n| by_definition(rest, &name[n..])),
            [b'?', rest @ ..] => !name.is_empty() && by_definition(rest, &name[1..]),
            [byte, rest @ ..] => name.first() == Some(byte) && by_definition(rest, &name[1..]),
        }
    }
    fn words(letters: &[u8]) -> Vec<Vec<u8>> {
        let mut words = vec![Vec::new()];
        let mut longest = words.clone();
        for _ in 0..5 {
            let longer = |word: &Vec<u8>| {
                let word = word.clone();
                letters
                    .iter()
                    .map(move |&letter| [&word[..], &[letter]].concat())
            };
            longest = longest.iter().flat_map(longer).collect();
            words.extend_from_slice(&longest);
        }
        words
    }
    for pattern in words(b"ab*?") {
        let compiled = Pattern(pattern.clone());
        for name in words(b"ab") {
            assert_eq!(
                compiled.matches(&name),
                by_definition(&pattern, &name),
                "{pattern:?} {name:?}"
            );
        }
    }
}

#[test]
fn a_question_mark_is_one_character_of_any_length() {
    assert!(Pattern::new("?.txt").matches("ü.txt".as_bytes()));
    assert!(!Pattern::new("??.txt").matches("ü.txt".as_bytes()));
    assert!(Pattern::new("?.txt").matches(b"\xfc.txt"));
    assert!(Pattern::new("*ü*").matches("xüy".as_bytes()));
}

#[test]
fn a_pattern_of_many_stars_takes_no_time() {
    let pattern = Pattern(b"*a".repeat(1000));
    assert!(!pattern.matches(&b"a".repeat(999)));
    assert!(pattern.matches(&b"a".repeat(1000)));
}

#[test]
fn notes_name_the_pattern_that_chooses_the_other_members() {
    let told = |names: &[&[u8]]| {
        let mut left_out = LeftOut::default();
        names.iter().for_each(|name| left_out.add(name));
        let notes = left_out.notes().map(|note| note.with_advice());
        notes.collect::<Vec<_>>()
    };
    assert_eq!(
        told(&[b"a/1.txt", b"b/2.txt", b"x.csv"]),
        [
            "2 members in folders are left out; --member '*/*' chooses what is there",
            "1 member, x.csv, is not .txt and left out; --member 'x.csv' chooses it"
        ]
    );
    assert!(told(&[]).is_empty());
}
