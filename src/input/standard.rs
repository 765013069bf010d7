//! The standard descriptors as the process was started with them.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in place of a standard descriptor that is
//! closed. That keeps files from getting its number, but it makes a closed standard input look like
//! an empty one, and a closed standard output like one that takes everything: a wrong answer with
//! exit status 0. So the descriptors are looked at before that.

#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, Seek};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU8, Ordering};

/// A bit for each of the standard descriptors 0 to 2 that was closed.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// Runs when the program is loaded, before Rust's runtime.
// SAFETY: the section holds pointers to functions that the loader calls once, before `main`, with
// arguments that a C function may ignore; this is one.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK_AT_DESCRIPTORS: extern "C" fn() = look_at_descriptors;

#[cfg(target_os = "linux")]
extern "C" fn look_at_descriptors() {
    for descriptor in 0..=2 {
        // SAFETY: F_GETFD takes any number for a descriptor and changes nothing.
        let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFD) };
        if flags == -1 {
            CLOSED.fetch_or(1 << descriptor, Ordering::Relaxed);
        }
    }
}

/// Whether the process was started with its standard output closed.
pub fn output_was_closed() -> bool {
    was_closed(1)
}

fn was_closed(descriptor: u8) -> bool {
    CLOSED.load(Ordering::Relaxed) >> descriptor & 1 == 1
}

/// Standard input and where in it reading begins, if it has places at all.
pub(super) fn input() -> io::Result<(File, u64)> {
    if was_closed(0) {
        return Err(io::Error::from_raw_os_error(libc::EBADF));
    }
    let mut file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let offset = if file.metadata()?.is_file() {
        file.stream_position()?
    } else {
        0
    };
    Ok((file, offset))
}
