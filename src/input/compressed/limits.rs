//! Limits on what compressed data may come to. They count what is produced, not what headers say.

use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, ErrorKind};

/// How many times its size compressed data may come to: 200. The FEC's files come to 3 to 5 times
/// theirs (three archives of 2016), and generated ones to 4. A file that was made to fill memory or
/// time comes to about 1,000 times its size as gzip or zip, and to many thousand times as zstd.
const RATIO_MAX: u64 = 200;

/// The ratio counts from here: 1 GiB. A file of the same line over and over is no attack as long as
/// it is small.
const RATIO_COUNTS_FROM: u64 = 1 << 30;

/// The ratio is looked at whenever so many bytes more have been produced: 1 MiB.
const RATIO_CHECKED_EVERY: u64 = 1 << 20;

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

/// Counts what is read: the bytes that the decoder has taken, not those that lie ready for it.
pub struct Counted<R> {
    inner: R,
    consumed: Consumed,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let got = uninterrupted(|| self.inner.read(space))?;
        self.consumed.0.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        // Asked again, a reader has what it had before.
        uninterrupted(|| self.inner.fill_buf().map(|_| ()))?;
        self.inner.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.inner.consume(bytes);
        self.consumed.0.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

/// What comes of `read`, which is asked again if it is interrupted. Not every decoder can be.
fn uninterrupted<T>(mut read: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match read() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Reads from `reader` into `space`, which is not empty, up to `left` bytes: how many that were.
/// None if all of them have been read, and there are more.
pub fn read_up_to(
    reader: &mut impl Read,
    space: &mut [u8],
    left: u64,
) -> io::Result<Option<usize>> {
    if left == 0 {
        let got = reader.read(&mut space[..1])?;
        return Ok((got == 0).then_some(0));
    }
    let most = usize::try_from(left).map_or(space.len(), |left| left.min(space.len()));
    reader.read(&mut space[..most]).map(Some)
}

/// Stops a decoder that produces too much, at a byte that does not depend on how it is read.
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
        if space.is_empty() {
            return Ok(0);
        }
        // Before more is read, so that nothing that was read is lost.
        if self.produced.is_multiple_of(RATIO_CHECKED_EVERY) {
            check_ratio(self.produced, self.consumed.bytes())?;
        }
        let limit = self.limits.member_bytes;
        let to_check = RATIO_CHECKED_EVERY - self.produced % RATIO_CHECKED_EVERY;
        let left = (limit - self.produced).min(to_check);
        let got = read_up_to(&mut self.decoder, space, left)?.ok_or_else(|| {
            Error::new(ErrorKind::Input, format!("holds more than {limit} bytes"))
                .advise("if that is right, set the limit with --max-member-bytes")
        })?;
        self.produced += got as u64;
        Ok(got)
    }
}

fn check_ratio(produced: u64, consumed: u64) -> Result<(), Error> {
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
    fn what_is_produced_is_limited_by_what_it_was_made_from() {
        assert!(check_ratio(1 << 40, 1 << 38).is_ok());
        assert!(check_ratio(1 << 30, 1).is_ok());
        assert!(check_ratio((1 << 30) + 1, 1).is_err());
        assert!(check_ratio(200 << 30, 1 << 30).is_ok());
        assert!(check_ratio((200 << 30) + 200, 1 << 30).is_err());
    }

    #[test]
    fn a_decoder_is_stopped_at_the_same_byte_however_it_is_read() {
        for size in [1, 7, 300, 1000, 5000] {
            let consumed = Consumed::default();
            let endless = consumed.count(io::repeat(b'x'));
            let mut limited = Limited::new(endless, Limits { member_bytes: 1000 }, consumed);
            let mut space = vec![0; size];
            let mut produced = 0;
            let error = loop {
                match limited.read(&mut space) {
                    Ok(got) => produced += got,
                    Err(error) => break Error::of_reading(error).to_string(),
                }
            };
            assert_eq!(produced, 1000);
            assert!(error.starts_with("holds more than 1000 bytes;"), "{error}");
        }
    }

    #[test]
    fn what_is_too_much_for_its_compressed_bytes_is_stopped_at_the_same_byte_however_it_is_read() {
        for size in [77_777, 1 << 20, 3_000_000] {
            let endless = io::repeat(b'x');
            let mut limited = Limited::new(endless, Limits::default(), Consumed::default());
            let mut space = vec![0; size];
            let mut produced = 0;
            while let Ok(got) = limited.read(&mut space) {
                produced += got as u64;
            }
            assert_eq!(produced, RATIO_COUNTS_FROM + RATIO_CHECKED_EVERY, "{size}");
        }
    }
}
