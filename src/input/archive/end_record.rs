//! Zip archives that do not begin as one: whose first bytes are lost, or that something was put in
//! front of.
//!
//! By their first bytes they could be text, and their newlines counted. But they end with the
//! record that tells where the directory is, and text does not.

use memchr::memmem;

use crate::error::{Error, ErrorKind};

/// How many of the last bytes are looked at: an end record of 22 bytes with a comment of up to a
/// thousand. The FEC's archives have none.
pub const TAIL_BYTES: usize = 1 << 10;

/// How an end record begins, and how many bytes it has without its comment, whose length the last
/// two of them tell.
const MAGIC: &[u8] = b"PK\x05\x06";
const RECORD_BYTES: usize = 22;

/// The last bytes of something plain that is read in order.
#[derive(Debug, Default)]
pub struct Tail(Vec<u8>);

impl Tail {
    /// Takes note of the bytes that were `read` next.
    pub fn push(&mut self, read: &[u8]) {
        let new = &read[read.len().saturating_sub(TAIL_BYTES)..];
        let surplus = (self.0.len() + new.len()).saturating_sub(TAIL_BYTES);
        self.0.drain(..surplus);
        self.0.extend_from_slice(new);
    }

    /// Fails if what ends here is a zip archive.
    pub fn refuse_archive(&self) -> Result<(), Error> {
        let ends_here = |at: usize| {
            let record = &self.0[at..];
            let comment = record
                .get(RECORD_BYTES - 2..RECORD_BYTES)
                .map(|length| u16::from_le_bytes([length[0], length[1]]));
            comment.is_some_and(|bytes| record.len() == RECORD_BYTES + usize::from(bytes))
        };
        match memmem::find_iter(&self.0, MAGIC).any(ends_here) {
            false => Ok(()),
            true => Err(Error::new(
                ErrorKind::Input,
                "ends as a zip archive does, but does not begin as one",
            )
            .advise(
                "if its first bytes are lost, get it again; if something was put in front of it: \
                 unzip -p FILE | fecscan",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end record of an archive with `comment`, behind some text.
    fn ending(comment: &[u8]) -> Vec<u8> {
        let length = (comment.len() as u16).to_le_bytes();
        [b"text|text\n", MAGIC, &[0; 16], &length, comment].concat()
    }

    /// Whether `bytes` are refused, in whatever pieces they come.
    fn refused(bytes: &[u8]) -> bool {
        let refused = [1, 2, 21, 22, 23, 1000, 1024, 1025, 5000].map(|size| {
            let mut tail = Tail::default();
            bytes.chunks(size).for_each(|piece| tail.push(piece));
            tail.refuse_archive().is_err()
        });
        assert!(refused.iter().all(|&one| one == refused[0]), "{refused:?}");
        refused[0]
    }

    #[test]
    fn what_ends_with_an_end_record_is_refused() {
        for comment in [&b""[..], b"\n", b"PK\x05\x06", &[b'x'; 1000]] {
            let bytes = ending(comment);
            assert!(refused(&bytes), "{comment:?}");
            assert!(refused(&[&[b'\n'; 3000], &bytes[..]].concat()));
            assert!(refused(&bytes[10..]), "{comment:?}");
        }
    }

    #[test]
    fn what_only_looks_like_it_is_text() {
        let bytes = ending(b"");
        assert!(!refused(b""));
        assert!(!refused(&bytes[..bytes.len() - 1]));
        assert!(!refused(&[&bytes[..], b"\n"].concat()));
        assert!(!refused(&bytes[11..]));
        assert!(!refused(b"PK\x05\x06"));
        assert!(!refused(&b"C00990001|N|M4|P|PK|\n".repeat(100)));
    }
}
