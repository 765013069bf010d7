//! Every level's operations on a window.

use super::{BYTES, text};
use crate::scan::simd::{ByteSet, Kernel, Level, Simd, WINDOW_BYTES, Window};

struct Eq<'a>(&'a Window, u8);

impl Kernel for Eq<'_> {
    type Output = u64;
    #[inline(always)]
    fn run<L: Level>(self, level: L) -> u64 {
        level.eq(self.0, self.1)
    }
}

struct Controls<'a>(&'a Window);

impl Kernel for Controls<'_> {
    type Output = [u64; 2];
    #[inline(always)]
    fn run<L: Level>(self, level: L) -> [u64; 2] {
        [level.controls(self.0), level.run(ControlsAgain(self.0))]
    }
}

struct ControlsAgain<'a>(&'a Window);

impl Kernel for ControlsAgain<'_> {
    type Output = u64;
    #[inline(always)]
    fn run<L: Level>(self, level: L) -> u64 {
        level.controls(self.0)
    }
}

struct BeyondAscii<'a>(&'a Window);

impl Kernel for BeyondAscii<'_> {
    type Output = u64;
    #[inline(always)]
    fn run<L: Level>(self, level: L) -> u64 {
        level.beyond_ascii(self.0)
    }
}

#[test]
fn a_window_is_compared_byte_by_byte() {
    for simd in Simd::available() {
        for seed in 0..200 {
            let window: Window = text(WINDOW_BYTES, seed).try_into().unwrap();
            for byte in BYTES {
                let expected = (0..WINDOW_BYTES)
                    .filter(|&i| window[i] == byte)
                    .map(|i| 1_u64 << i)
                    .sum::<u64>();
                assert_eq!(
                    simd.dispatch(Eq(&window, byte)),
                    expected,
                    "{} seed {seed} byte {byte}",
                    simd.name()
                );
            }
        }
    }
}

#[test]
fn one_byte_that_matches_is_found_in_every_place() {
    for simd in Simd::available() {
        for byte in 0..=255 {
            for place in 0..WINDOW_BYTES {
                let mut window = [byte ^ 0x01; WINDOW_BYTES];
                window[place] = byte;
                assert_eq!(
                    simd.dispatch(Eq(&window, byte)),
                    1 << place,
                    "{} byte {byte}",
                    simd.name()
                );
            }
        }
    }
}

struct IsIn<'a, const N: usize>(&'a Window, &'a ByteSet<N>);

impl<const N: usize> Kernel for IsIn<'_, N> {
    type Output = u64;
    #[inline(always)]
    fn run<L: Level>(self, level: L) -> u64 {
        level.is_in(self.0, self.1)
    }
}

/// Asks for every byte in every place of a window with other bytes of each low half.
fn every_byte_is_asked_for<const N: usize>(set: [u8; N]) {
    let asked = ByteSet::new(set);
    for simd in Simd::available() {
        for byte in 0..=255_u8 {
            let window: Window = std::array::from_fn(|place| byte.wrapping_add((17 * place) as u8));
            let bits = window.iter().enumerate();
            let expected = bits.map(|(place, b)| u64::from(set.contains(b)) << place);
            assert_eq!(
                simd.dispatch(IsIn(&window, &asked)),
                expected.sum::<u64>(),
                "{} {byte} {set:?}",
                simd.name()
            );
        }
    }
}

#[test]
fn bytes_are_in_a_set_or_not() {
    every_byte_is_asked_for([]);
    every_byte_is_asked_for([0]);
    every_byte_is_asked_for([0x7f]);
    every_byte_is_asked_for(*b",\"\r");
    every_byte_is_asked_for(*b"\t\\\r");
    every_byte_is_asked_for(std::array::from_fn::<_, 16, _>(|low| {
        (low * 0x31 % 0x80) as u8
    }));
}

#[test]
#[should_panic(expected = "two bytes differ in their low halves")]
fn a_set_of_bytes_with_the_same_low_half_is_refused() {
    ByteSet::new(*b"\"2");
}

#[test]
#[should_panic(expected = "a byte of the set is ASCII")]
fn a_set_of_bytes_beyond_ascii_is_refused() {
    ByteSet::new([0x80]);
}

#[test]
fn controls_are_the_bytes_below_a_blank() {
    for simd in Simd::available() {
        for byte in 0..=255 {
            for place in 0..WINDOW_BYTES {
                let mut window = [if place % 2 == 0 { 0x1f } else { 0x20 }; WINDOW_BYTES];
                window[place] = byte;
                let bits = window
                    .iter()
                    .enumerate()
                    .map(|(i, &b)| u64::from(b < 0x20) << i);
                let expected: u64 = bits.sum();
                let found = simd.dispatch(Controls(&window));
                assert_eq!(
                    found,
                    [expected; 2],
                    "{} byte {byte} at {place}",
                    simd.name()
                );
            }
        }
    }
}

#[test]
fn bytes_beyond_ascii_are_controls_and_those_with_the_high_bit() {
    for simd in Simd::available() {
        // 0x7f may be of either kind.
        for byte in (0..0x7f).chain(0x80..=255) {
            for place in 0..WINDOW_BYTES {
                let mut window = [if place % 2 == 0 { 0x80 } else { b'~' }; WINDOW_BYTES];
                window[place] = byte;
                let bits = window
                    .iter()
                    .enumerate()
                    .map(|(i, &b)| u64::from(!(b' '..=b'~').contains(&b)) << i);
                let expected: u64 = bits.sum();
                assert_eq!(
                    simd.dispatch(BeyondAscii(&window)),
                    expected,
                    "{} byte {byte} at {place}",
                    simd.name()
                );
            }
        }
    }
}
