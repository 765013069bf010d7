//! Limits on what compressed data may come to. They count what is produced, not what headers say.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, ErrorKind};

/// How many times its size compressed data may come to: 200. The FEC's files come to 5 to 12 times
/// theirs. A file that was made to fill memory or time comes to more than 1,000 times its size as
/// gzip or zip, and to many thousand times as zstd.
const RATIO_MAX: u64 = 200;

/// The ratio counts from here: 1 GiB. A file of the same line over and over is no attack as long as
/// it is small.
const RATIO_COUNTS_FROM: u64 = 1 << 30;

/// How much may be produced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes that a compressed file, or a member of an archive, may hold. The default is 1 TiB.
    pub member_bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            member_bytes: 1 << 40,
        }
    }
}

/// A number of bytes that have been taken from a compressed file so far.
#[derive(Clone, Debug, Default)]
pub struct Consumed(Arc<AtomicU64>);

impl Consumed {
    /// The number.
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// A reader of `inner` that counts.
    pub fn count<R>(&self, inner: R) -> Counted<R> {
        Counted {
            inner,
            consumed: self.clone(),
        }
    }
}

/// Counts what is read.
pub struct Counted<R> {
    inner: R,
    consumed: Consumed,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.inner.read(space) {
                // Not every decoder can be asked again.
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
                Ok(got) => {
                    self.consumed.0.fetch_add(got as u64, Ordering::Relaxed);
                    return Ok(got);
                }
            }
        }
    }
}

/// Stops a decoder that produces too much.
pub struct Limited<R> {
    decoder: R,
    limits: Limits,
    consumed: Consumed,
    produced: u64,
}

impl<R> Limited<R> {
    /// What `decoder` produces, within `limits`, from what has been `consumed`.
    pub fn new(decoder: R, limits: Limits, consumed: Consumed) -> Limited<R> {
        Limited {
            decoder,
            limits,
            consumed,
            produced: 0,
        }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let got = self.decoder.read(space)?;
        self.produced += got as u64;
        check(self.produced, self.consumed.bytes(), self.limits)?;
        Ok(got)
    }
}

fn check(produced: u64, consumed: u64, limits: Limits) -> Result<(), Error> {
    if produced > limits.member_bytes {
        let bytes = limits.member_bytes;
        return Err(
            Error::new(ErrorKind::Input, format!("holds more than {bytes} bytes"))
                .advise("if that is right, set the limit with --max-member-bytes"),
        );
    }
    if produced > RATIO_COUNTS_FROM && produced / RATIO_MAX > consumed {
        return Err(Error::new(
            ErrorKind::Input,
            format!("holds more than {RATIO_MAX} times its compressed bytes"),
        )
        .advise("if it is to be trusted, unpack it, or pipe it in unpacked"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_produced_is_limited_in_all_and_by_what_it_was_made_from() {
        let limits = Limits::default();
        assert!(check(1 << 40, 1 << 38, limits).is_ok());
        assert!(check((1 << 40) + 1, 1 << 38, limits).is_err());
        assert!(check(1 << 30, 1, limits).is_ok());
        assert!(check((1 << 30) + 1, 1, limits).is_err());
        assert!(check(200 << 30, 1 << 30, limits).is_ok());
        assert!(check((200 << 30) + 200, 1 << 30, limits).is_err());
        assert!(check(6, 9, Limits { member_bytes: 5 }).is_err());
    }

    #[test]
    fn a_decoder_is_stopped_where_the_limit_is() {
        let consumed = Consumed::default();
        let endless = consumed.count(io::repeat(b'x'));
        let mut limited = Limited::new(endless, Limits { member_bytes: 1000 }, consumed.clone());
        let mut space = [0; 300];
        for _ in 0..3 {
            assert_eq!(limited.read(&mut space).unwrap(), 300);
        }
        assert_eq!(consumed.bytes(), 900);
        let error = Error::of_reading(limited.read(&mut space).unwrap_err()).to_string();
        assert!(error.starts_with("holds more than 1000 bytes;"), "{error}");
    }
}
