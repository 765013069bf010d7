//! Looks at the standard descriptors before Rust's runtime does.
//!
//! Before `main`, the runtime opens `/dev/null` in place of a standard descriptor that is closed. So a
//! closed standard input looks empty, and a closed standard output takes everything: a wrong answer with
//! exit status 0.

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU8, Ordering};

/// A bit for each of the descriptors 0 to 2 that was closed.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// Tells whether the standard descriptor `fd` was closed when the program started.
pub(crate) fn is_closed(fd: i32) -> bool {
    (0..=2).contains(&fd) && CLOSED.load(Ordering::Relaxed) >> fd & 1 == 1
}

// SAFETY: the section holds pointers to functions that the loader calls once, before `main`, with
// arguments that a C function may ignore. This is one, and it needs nothing of Rust's runtime.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
#[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
#[used]
static LOOK: extern "C" fn() = look_at_descriptors;

extern "C" fn look_at_descriptors() {
    for fd in 0..=2 {
        // SAFETY: F_GETFD takes any number for a descriptor and changes nothing.
        if unsafe { libc::fcntl(fd, libc::F_GETFD) } == -1 {
            CLOSED.fetch_or(1 << fd, Ordering::Relaxed);
        }
    }
}
