//! gzip: one member after the other.

use std::io::{self, BufRead, Read};

use super::{Inflate, is_damaged};

/// What a gzip file holds.
///
/// Behind the last member there may be zeros, with which tapes are filled up; gzip(1) ignores them
/// too. Anything else there is an error: gzip(1) warns and ignores it, but it may be what is left
/// of a member.
pub struct Gzip<R> {
    /// None behind the last one.
    member: Option<Inflate<R>>,
}

impl<R: BufRead> Gzip<R> {
    /// What `compressed` holds.
    pub fn new(compressed: R) -> Gzip<R> {
        Gzip {
            member: Some(Inflate::gzip_member(compressed)),
        }
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = self.member.as_mut().filter(|_| !space.is_empty()) {
            let got = member.read(space)?;
            if got > 0 {
                return Ok(got);
            }
            let more = another_follows(member.compressed())?;
            let member = self.member.take().filter(|_| more);
            self.member = member.map(|member| Inflate::gzip_member(member.into_compressed()));
        }
        Ok(0)
    }
}

/// Whether another member begins where one ended.
fn another_follows(compressed: &mut impl BufRead) -> io::Result<bool> {
    if let [0x1f, ..] = compressed.fill_buf()? {
        return Ok(true);
    }
    loop {
        let rest = compressed.fill_buf()?;
        if rest.is_empty() {
            return Ok(false);
        }
        if rest.iter().any(|&byte| byte != 0) {
            return Err(is_damaged("behind its last member there is something else").into());
        }
        let zeros = rest.len();
        compressed.consume(zeros);
    }
}
