//! The descriptors that the process was started with.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in place of a standard descriptor that is
//! closed. That keeps files from getting its number, but it makes a closed standard input look like
//! an empty one, and a closed standard output like one that takes everything: a wrong answer with
//! exit status 0. So the standard descriptors are looked at before that.

#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, Seek};
use std::os::fd::{AsFd, FromRawFd, RawFd};
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

fn was_closed(descriptor: RawFd) -> bool {
    (0..=2).contains(&descriptor) && CLOSED.load(Ordering::Relaxed) >> descriptor & 1 == 1
}

/// A descriptor that the process was started with, to write to: at the same place, and appending if
/// it does, as whoever else has it.
///
/// # Errors
/// If the process was not given it, or not for writing.
pub fn output(descriptor: RawFd) -> io::Result<File> {
    let not_for_us = || io::Error::from_raw_os_error(libc::EBADF);
    if was_closed(descriptor) {
        return Err(not_for_us());
    }
    // SAFETY: F_GETFD and F_GETFL take any number for a descriptor and change nothing.
    let (on_exec, mode) = unsafe {
        (
            libc::fcntl(descriptor, libc::F_GETFD),
            libc::fcntl(descriptor, libc::F_GETFL),
        )
    };
    // What Rust opens, and so all that is ours, would be closed if we became another program. What
    // we were given when we became this one would not, or we would not have it.
    let given = on_exec != -1 && on_exec & libc::FD_CLOEXEC == 0;
    if !given || mode == -1 || mode & libc::O_ACCMODE == libc::O_RDONLY {
        return Err(not_for_us());
    }
    // SAFETY: F_DUPFD_CLOEXEC takes any number for a descriptor.
    let copy = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 3) };
    if copy == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `copy` is open, and nobody else knows of it.
    Ok(unsafe { File::from_raw_fd(copy) })
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
