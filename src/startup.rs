//! Remembers which standard descriptors were closed when the program started.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in place of a closed standard descriptor. A closed
//! standard input then looks empty, and a closed standard output takes everything: a wrong answer
//! with exit status 0. So the descriptors are checked before that.

#![allow(unsafe_code)]

use std::os::fd::RawFd;
use std::sync::atomic::{AtomicU8, Ordering};

/// A bit for each of the descriptors 0 to 2 that was closed.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// Runs when the program is loaded, before Rust's runtime.
// SAFETY: the section holds pointers to functions that the loader calls once, before `main`, with
// arguments that a C function may ignore; this is one.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static CHECK_DESCRIPTORS: extern "C" fn() = check_descriptors;

#[cfg(target_os = "linux")]
extern "C" fn check_descriptors() {
    for descriptor in 0..=2 {
        // SAFETY: F_GETFD takes any number for a descriptor and changes nothing.
        let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFD) };
        if flags == -1 {
            CLOSED.fetch_or(1 << descriptor, Ordering::Relaxed);
        }
    }
}

/// Returns whether a standard descriptor was closed at start.
pub(crate) fn is_closed(descriptor: RawFd) -> bool {
    (0..=2).contains(&descriptor) && CLOSED.load(Ordering::Relaxed) >> descriptor & 1 == 1
}
