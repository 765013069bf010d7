//! Archives that lie about what they hold: errors that say how.

use super::damage::{TEXT, error_of};
use crate::common::archives::{ENCRYPTED, Member, crc, zip};

#[test]
fn archives_that_lie_are_errors_that_say_how() {
    let member = || Member::deflated("a.txt", TEXT);
    let stored = || Member::stored("a.txt", TEXT);
    let other = || Member::stored("b.txt", b"other\n");
    for (members, message) in [
        (
            vec![Member { crc: 1, ..member() }],
            "a.txt: is damaged: its bytes do not have the checksum that the directory says (byte 85); get it again",
        ),
        (
            vec![Member {
                bytes: 84,
                ..member()
            }],
            "a.txt: is damaged: it holds more than the 84 bytes that the directory says (byte 84); get it again",
        ),
        (
            vec![Member {
                bytes: 86,
                ..member()
            }],
            "a.txt: is damaged: 1 of the 86 bytes are missing that the directory says (byte 85); get it again",
        ),
        (
            vec![Member {
                bytes: 0,
                ..member()
            }],
            "a.txt: is damaged: it holds more than the 0 bytes that the directory says (byte 0); get it again",
        ),
        (
            vec![Member {
                bytes: 86,
                ..stored()
            }],
            "a.txt: ends in the middle of its compressed data (byte 85); it was cut off: get it again, whole",
        ),
        (
            vec![Member {
                compressed_bytes: 84,
                bytes: 84,
                crc: crc(&TEXT[..83]),
                ..stored()
            }],
            "a.txt: is damaged: its bytes do not have the checksum that the directory says (byte 84); get it again",
        ),
        (
            vec![Member {
                compressed_bytes: 20,
                ..member()
            }],
            "a.txt: ends in the middle of its compressed data (byte 19); it was cut off: get it again, whole",
        ),
        (
            vec![Member {
                compressed: [&member().compressed[..], b"x"].concat(),
                compressed_bytes: member().compressed_bytes + 1,
                ..member()
            }],
            "a.txt: is damaged: its compressed data end before the directory says (byte 85); get it again",
        ),
        (
            vec![Member {
                compressed_bytes: 1 << 40,
                ..member().with_zip64()
            }],
            "a.txt: ends in the middle of its compressed data; it was cut off: get it again, whole",
        ),
        (
            vec![Member {
                flags: ENCRYPTED,
                ..member()
            }],
            "a.txt: is encrypted, and can't be read; unpack it, or pipe it in: unzip -p ARCHIVE MEMBER | fecscan",
        ),
        (
            vec![Member {
                method: 9,
                local_method: 9,
                ..member()
            }],
            "a.txt: is compressed by DEFLATE64 (9), which can't be read; unpack it, or pipe it in: \
             unzip -p ARCHIVE MEMBER | fecscan",
        ),
        (
            vec![Member {
                method: 0,
                ..member()
            }],
            "a.txt: is a damaged zip archive: its method is not that of the directory; get it again",
        ),
        (
            vec![Member {
                external_attributes: 0o120777 << 16,
                ..stored()
            }],
            "a.txt: is a symbolic link, and has no lines; unpack it, or pipe it in: unzip -p ARCHIVE MEMBER | fecscan",
        ),
        (
            vec![Member {
                local_name: b"b.txt".to_vec(),
                ..member()
            }],
            "a.txt: is a damaged zip archive: where the directory says that it begins, b.txt does; get it again",
        ),
        (
            vec![
                Member {
                    local_name: b"a.txt".to_vec(),
                    name: b"x/a.csv".to_vec(),
                    ..other()
                },
                member(),
            ],
            "x/a.csv: is a damaged zip archive: where the directory says that it begins, a.txt does; get it again",
        ),
        (
            vec![other(), member(), other()],
            "b.txt: is a damaged zip archive: there are several members of this name; get it again",
        ),
        (
            vec![
                other(),
                Member {
                    only_entry_for: Some(0),
                    ..other()
                },
            ],
            "b.txt: is a damaged zip archive: there are several members of this name; get it again",
        ),
        (
            vec![
                other(),
                Member {
                    only_entry_for: Some(3),
                    ..member()
                },
            ],
            "a.txt: is a damaged zip archive: invalid signature: expected 0x04034b50, got 0x00002d04; get it again",
        ),
        (
            vec![Member::stored("x.csv", TEXT)],
            "has no .txt member outside of folders; its one member is x.csv; choose with --member PATTERN",
        ),
        (vec![], "is a zip archive without members; check the file"),
        (
            vec![Member::stored("folder/", b"")],
            "is a zip archive without members; check the file",
        ),
    ] {
        assert_eq!(error_of(&zip(&members)), message);
    }
}

/// One member inside of the other: the same bytes would count many times over.
#[test]
fn members_that_share_bytes_are_an_error() {
    let inner = Member::stored("b.txt", TEXT);
    let mut nested = zip(std::slice::from_ref(&inner));
    nested.truncate(30 + 5 + TEXT.len());
    let outer = Member::stored("a.txt", &nested);
    let entry = Member {
        only_entry_for: Some(30 + 5),
        ..inner
    };
    assert_eq!(
        error_of(&zip(&[outer, entry])),
        "b.txt: is a damaged zip archive: it shares bytes with the member a.txt; get it again"
    );
}

#[test]
fn archives_behind_one_another_are_an_error() {
    let first = zip(&[Member::stored("a.txt", TEXT)]);
    let second = zip(&[Member::stored("a.txt", b"other\n")]);
    let message = format!(
        "is a damaged zip archive: its first member follows {} other bytes; get it again",
        first.len()
    );
    assert_eq!(error_of(&[&first[..], &second].concat()), message);
    let message = error_of(&[&first[..], &first].concat());
    assert!(
        message.starts_with("is a damaged zip archive: "),
        "{message}"
    );
}

#[test]
fn a_directory_of_another_length_than_the_end_says_is_an_error() {
    let mut archive = zip(&[Member::stored("a.txt", TEXT), Member::stored("b.txt", TEXT)]);
    let end = archive.len() - 22;
    for place in [8, 10] {
        archive[end + place] = 1;
    }
    assert_eq!(
        error_of(&archive),
        "is a damaged zip archive: its directory has 2 entries instead of 1; get it again"
    );
}
