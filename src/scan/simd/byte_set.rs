//! A few bytes that are searched for together.

/// Bytes of ASCII with different low halves, so that a table of sixteen entries, which a vector holds, knows them all.
///
/// The entry of a low half is the byte of the set that has it. Entries of other halves have another one, and equal no
/// byte that leads to them. So a byte is in the set if it equals its entry: one shuffle and one comparison. Bytes beyond ASCII equal no
/// entry, nor the zero that some shuffles have for them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteSet<const N: usize> {
    bytes: [u8; N],
    entries: [u8; ByteSet::<0>::ENTRIES],
}

impl ByteSet<0> {
    const ENTRIES: usize = 16;
}

impl<const N: usize> ByteSet<N> {
    /// Returns the set of `bytes`.
    ///
    /// # Panics
    /// If one is not ASCII, or two different ones have the same low half.
    pub(crate) const fn new(bytes: [u8; N]) -> ByteSet<N> {
        let mut entries = [0; ByteSet::<0>::ENTRIES];
        let mut low = 0;
        while low < entries.len() {
            entries[low] = !(low as u8);
            low += 1;
        }
        let mut nth = 0;
        while nth < N {
            let low = bytes[nth] as usize % entries.len();
            assert!(bytes[nth].is_ascii(), "a byte of the set is ASCII");
            assert!(
                entries[low] == !(low as u8) || entries[low] == bytes[nth],
                "two bytes differ in their low halves"
            );
            entries[low] = bytes[nth];
            nth += 1;
        }
        ByteSet { bytes, entries }
    }

    /// Returns the bytes.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8; N] {
        &self.bytes
    }

    /// Returns the entry of each low half.
    #[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
    #[inline(always)]
    pub(super) fn entries(&self) -> &[u8; ByteSet::<0>::ENTRIES] {
        &self.entries
    }
}
