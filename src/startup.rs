//! What the program sets up before its command runs: which standard descriptors were closed, and
//! messages for the end of memory and for bugs.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in place of a closed standard descriptor. A closed
//! standard input then looks empty, and a closed standard output takes everything: a wrong answer
//! with exit status 0. So the descriptors are checked before that.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::{env, fmt, panic};

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

/// Returns a bit for each of the descriptors 0 to 2 that was closed at start.
pub(crate) fn closed() -> u8 {
    CLOSED.load(Ordering::Relaxed)
}

/// Ends the process with a message when memory runs out. Rust would abort it by a signal.
struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

// SAFETY: all calls go to the system's allocator, under the contract that the caller keeps. Memory is
// returned as the system gives it, or not at all.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        or_end(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        or_end(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`.
        or_end(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[inline(always)]
fn or_end(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        out_of_memory(bytes)
    } else {
        memory
    }
}

#[cold]
fn out_of_memory(bytes: usize) -> ! {
    end(format_args!(
        "fecscan: not enough memory ({bytes} bytes wanted); use fewer threads (-j 1), or raise the limit"
    ))
}

/// Makes a panic, which is a bug, end the process with a message. Nothing unwinds: other workers would
/// go on with what the bug has left, and write it.
///
/// Rust's own message and the backtrace come first if RUST_BACKTRACE is set.
pub(crate) fn end_at_panics() {
    let rusts_own = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
            rusts_own(panic);
        }
        end(format_args!(
            "fecscan: {panic}; this is a bug of fecscan {}: please report it, with the command",
            env!("CARGO_PKG_VERSION")
        ))
    }));
}

/// Ends the process with exit status 2 and a message of one line, which is cut if it is very long.
fn end(message: fmt::Arguments<'_>) -> ! {
    static ENDING: AtomicBool = AtomicBool::new(false);
    // Memory runs out for all threads at once. One of them speaks and ends the process.
    while ENDING.swap(true, Ordering::Relaxed) {
        // SAFETY: pause has no conditions.
        unsafe { libc::pause() };
    }
    // Formatting into an array takes no memory from the heap.
    let mut text = [0; 600];
    let mut rest = &mut text[..599];
    let _ = rest.write_fmt(message);
    let end = 599 - rest.len();
    // A panic's message has two lines, and may have bytes of the data.
    for byte in text[..end]
        .iter_mut()
        .filter(|byte| !matches!(byte, b' '..=b'~'))
    {
        *byte = b' ';
    }
    text[end] = b'\n';
    // SAFETY: `text` is longer than `end`; write and _exit may be called at any time.
    unsafe {
        libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), end + 1);
        libc::_exit(2)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::thread;

    use super::*;

    /// Runs itself in a process that panics in a second thread.
    #[test]
    fn a_panic_is_one_line_and_status_2() {
        const PANICS: &str = "FECSCAN_TEST_PANICS";
        if env::var_os(PANICS).is_some() {
            end_at_panics();
            let bug = thread::spawn(|| panic!("a\x1b[2J\u{202e}b {}", "long ".repeat(500)));
            let _ = bug.join();
            return;
        }
        let this = "startup::tests::a_panic_is_one_line_and_status_2";
        let ended = Command::new(env::current_exe().unwrap())
            .args(["--exact", this, "--nocapture"])
            .env(PANICS, "")
            .env_remove("RUST_BACKTRACE")
            .output()
            .unwrap();
        let message = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(2), "{message}");
        assert!(message.starts_with("fecscan: panicked at src/startup.rs:"));
        assert!(message.contains(": a [2J   b long long"), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(message.len() == 600 && message.ends_with('\n'), "{message}");
    }
}
