//! Pipes: how much they hold.

#![allow(unsafe_code)]

use std::fs::File;

/// Makes the pipe that `file` is hold as much as anybody may ask for, a MiB instead of 64 KiB, so
/// that writer and reader wait for each other less often. What is no pipe stays as it is, and so
/// does a pipe of a user who has too many.
pub(super) fn widen(file: &File) {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        const BYTES: libc::c_int = 1 << 20;
        // SAFETY: F_SETPIPE_SZ changes nothing but the size of the pipe, and keeps what is in it.
        let _ = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETPIPE_SZ, BYTES) };
    }
}
