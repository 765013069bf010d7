//! Writes and reads the parts of a partial: numbers, bytes, lists.

use super::varint;
use crate::error::Error;

/// A partial is not as it was written, or was written by something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

impl From<Damaged> for Error {
    fn from(_: Damaged) -> Error {
        let error = Error::input("is damaged, or no partial");
        error.advise("write it again with --partial")
    }
}

/// Fails unless the bytes read are right.
#[inline]
pub(crate) fn check(is_right: bool) -> Result<(), Damaged> {
    is_right.then_some(()).ok_or(Damaged)
}

/// Appends what makes up a partial.
pub(crate) trait Put {
    fn put_number(&mut self, number: u64);

    fn put_signed(&mut self, number: i64) {
        self.put_number(varint::zigzag(number));
    }

    /// Appends a number of 128 bits: its lower half and its upper half.
    fn put_wide(&mut self, number: i128) {
        let zigzag = (number << 1 ^ number >> 127) as u128;
        self.put_number(zigzag as u64);
        self.put_number((zigzag >> 64) as u64);
    }

    /// Appends the number of bytes, and the bytes.
    fn put_bytes(&mut self, bytes: &[u8]);
}

impl Put for Vec<u8> {
    fn put_number(&mut self, number: u64) {
        varint::put(number, self);
    }

    fn put_bytes(&mut self, bytes: &[u8]) {
        self.put_number(bytes.len() as u64);
        self.extend_from_slice(bytes);
    }
}

/// Reads what [`Put`] has written.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    #[inline]
    pub(crate) fn number(&mut self) -> Result<u64, Damaged> {
        let (number, length) = varint::take(self.0).ok_or(Damaged)?;
        self.0 = &self.0[length..];
        Ok(number)
    }

    pub(crate) fn signed(&mut self) -> Result<i64, Damaged> {
        Ok(varint::unzigzag(self.number()?))
    }

    pub(crate) fn wide(&mut self) -> Result<i128, Damaged> {
        let low = u128::from(self.number()?);
        let zigzag = low | u128::from(self.number()?) << 64;
        Ok((zigzag >> 1) as i128 ^ -((zigzag & 1) as i128))
    }

    /// Reads a number that must fit memory.
    #[inline]
    pub(crate) fn length(&mut self) -> Result<usize, Damaged> {
        usize::try_from(self.number()?).map_err(|_| Damaged)
    }

    /// Reads this number of bytes.
    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], Damaged> {
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(Damaged)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Damaged> {
        let length = self.length()?;
        self.take(length)
    }

    /// Reads the length of a list, and its items. Each item has at least a byte, so a length that lies takes no
    /// memory.
    pub(crate) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Reader<'a>) -> Result<T, Damaged>,
    ) -> Result<Vec<T>, Damaged> {
        let length = self.length()?;
        check(length <= self.0.len())?;
        (0..length).map(|_| item(self)).collect()
    }

    /// Checks that nothing is left.
    pub(crate) fn end(self) -> Result<(), Damaged> {
        check(self.0.is_empty())
    }
}
