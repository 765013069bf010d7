//! What differs between processors: comparing 64 bytes with one, and selecting a bit of a mask.
//!
//! There is one file for each level. `x86` and `aarch64` have what levels share, `level` the trait and the searches made of it, and
//! `ahead` prefetching. A level is a value of a type that only a check of the processor
//! constructs, so holding it proves that its instructions may run. `Level` is the trait that the
//! scanner is generic over. [`Simd`] is the choice between the levels, made once at start.
//! `Simd::dispatch` runs a `Kernel`, a piece of generic code, as compiled for the level: once for
//! each chunk or block, never for each line.
//!
//! A kernel and all code in its loops that uses the level are `#[inline(always)]`: they become part
//! of the one function compiled with the level's instructions. Without inlining, code is slow, not
//! wrong.

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod ahead;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod byte_set;
mod level;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use self::ahead::{Ahead, Block, Later, PAGES, Places, prefetch};
#[cfg(target_arch = "x86_64")]
pub(crate) use self::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) use self::avx512::Avx512;
pub(crate) use self::byte_set::ByteSet;
pub(super) use self::level::PAGE_BYTES;
pub(crate) use self::level::{
    Delimiters, GROUP_BYTES, Kernel, Level, WINDOW_BYTES, WINDOWS_TOGETHER, Window,
};
#[cfg(target_arch = "aarch64")]
pub(crate) use self::neon::Neon;
pub(crate) use self::portable::Portable;

/// A SIMD level that this processor has.
///
/// ```
/// use fecscan::scan::simd::Simd;
/// assert!(Simd::available().any(|simd| simd == Simd::best()));
/// assert_eq!(Simd::named("portable"), Some(Simd::available().last().unwrap()));
/// assert_eq!(Simd::named("sse9"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simd(Chosen);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chosen {
    /// 64 bytes in one instruction.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// 64 bytes in two instructions.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// 64 bytes in four instructions.
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    /// Plain arithmetic, and the `memchr` crate.
    Portable(Portable),
}

impl Simd {
    /// The names of all levels, best first, whether or not this processor has them.
    const NAMES: [&'static str; 4] = ["avx512", "avx2", "neon", "portable"];

    /// Returns the levels of this processor, best first.
    pub fn available() -> impl Iterator<Item = Simd> {
        Simd::NAMES.into_iter().filter_map(Simd::named)
    }

    /// Returns the best level of this processor.
    pub fn best() -> Simd {
        let best = Simd::available().next();
        best.unwrap_or(Simd(Chosen::Portable(Portable)))
    }

    /// Returns the level of this name, if this processor has it.
    pub fn named(name: &str) -> Option<Simd> {
        let chosen = match name {
            #[cfg(target_arch = "x86_64")]
            "avx512" => Avx512::detect().map(Chosen::Avx512),
            #[cfg(target_arch = "x86_64")]
            "avx2" => Avx2::detect().map(Chosen::Avx2),
            #[cfg(target_arch = "aarch64")]
            "neon" => Neon::detect().map(Chosen::Neon),
            "portable" => Some(Chosen::Portable(Portable)),
            _ => None,
        };
        chosen.map(Simd)
    }

    /// Returns the name of the level.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Chosen::Avx512(_) => "avx512",
            #[cfg(target_arch = "x86_64")]
            Chosen::Avx2(_) => "avx2",
            #[cfg(target_arch = "aarch64")]
            Chosen::Neon(_) => "neon",
            Chosen::Portable(_) => "portable",
        }
    }

    /// Says whether all places of a window are stored in a few instructions, however many they are.
    pub(crate) fn stores_at_once(self) -> bool {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Chosen::Avx512(_) => true,
            #[cfg(target_arch = "x86_64")]
            Chosen::Avx2(_) => false,
            #[cfg(target_arch = "aarch64")]
            Chosen::Neon(_) => false,
            Chosen::Portable(_) => false,
        }
    }

    /// Counts the bytes of `haystack` that equal `byte`, as [`Level::count`] does.
    pub(crate) fn count(self, haystack: &[u8], byte: u8, ahead: Ahead) -> u64 {
        self.dispatch(Count(haystack, byte, ahead))
    }

    /// Finds the newlines of `block`, as [`Level::newlines`] does.
    pub(crate) fn newlines(self, block: Block<'_>, positions: &mut [u32]) -> usize {
        self.dispatch(Newlines(block, positions))
    }

    /// Finds the delimiters of a block, as [`Level::delimiters`] does.
    pub(crate) fn delimiters(self, block: Block<'_>, positions: &mut [u32]) -> Delimiters {
        self.dispatch(FindDelimiters(block, positions))
    }

    /// Runs `kernel` at this level.
    pub(crate) fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Chosen::Avx512(level) => level.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Chosen::Avx2(level) => level.run(kernel),
            #[cfg(target_arch = "aarch64")]
            Chosen::Neon(level) => level.run(kernel),
            Chosen::Portable(level) => level.run(kernel),
        }
    }
}

struct Count<'a>(&'a [u8], u8, Ahead);

impl Kernel for Count<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> u64 {
        level.count(self.0, self.1, self.2)
    }
}

struct FindDelimiters<'a>(Block<'a>, &'a mut [u32]);

impl Kernel for FindDelimiters<'_> {
    type Output = Delimiters;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> Delimiters {
        level.delimiters(self.0, self.1)
    }
}

struct Newlines<'a>(Block<'a>, &'a mut [u32]);

impl Kernel for Newlines<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> usize {
        level.newlines(self.0, self.1)
    }
}

#[cfg(test)]
mod tests;
