//! gzip: one member after the other.

use std::io;

use super::source::Source;
use super::{Inflate, is_damaged};

/// Decompresses a gzip file.
///
/// Zeros may follow the last member, as on tapes; gzip(1) ignores them too. Anything else there is an
/// error. gzip(1) warns and ignores it, but it may be the rest of a damaged member.
pub(crate) struct Gzip {
    /// None after the last one.
    member: Option<Inflate>,
}

impl Gzip {
    /// Decompresses `compressed`.
    pub(crate) fn new(compressed: Source) -> Gzip {
        Gzip {
            member: Some(Inflate::gzip_member(compressed)),
        }
    }

    /// Reads into `space`, which is not empty.
    pub(crate) fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let got = member.read(space)?;
            if got > 0 {
                return Ok(got);
            }
            let more = another_follows(&mut member.compressed)?;
            if let Some(member) = self.member.take().filter(|_| more) {
                self.member = Some(Inflate::gzip_member(member.compressed));
            }
        }
        Ok(0)
    }
}

/// Tells whether another member follows.
fn another_follows(compressed: &mut Source) -> io::Result<bool> {
    if let [0x1f, ..] = compressed.ahead()? {
        return Ok(true);
    }
    loop {
        let rest = compressed.ahead()?;
        if rest.is_empty() {
            return Ok(false);
        }
        if rest.iter().any(|&byte| byte != 0) {
            return Err(is_damaged("its last member is followed by something else").into());
        }
        let zeros = rest.len();
        compressed.take(zeros);
    }
}
