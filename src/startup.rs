//! What the program sets up before its command runs: which standard descriptors were closed, and a
//! message for the end of memory.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in place of a closed standard descriptor. A closed
//! standard input then looks empty, and a closed standard output takes everything: a wrong answer
//! with exit status 0. So the descriptors are checked before that.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

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
    match memory.is_null() {
        false => memory,
        true => out_of_memory(bytes),
    }
}

/// A thread has run out of memory, and ends the process.
static ENDING: AtomicBool = AtomicBool::new(false);

#[cold]
fn out_of_memory(bytes: usize) -> ! {
    // Several workers may run out at once. One of them writes the message; the others wait for the end.
    while ENDING.swap(true, Ordering::Relaxed) {
        // SAFETY: pause has no conditions.
        unsafe { libc::pause() };
    }
    // Formatting into an array takes no memory from the heap.
    let mut message = [0; 160];
    let mut rest = &mut message[..];
    let _ = writeln!(
        rest,
        "fecscan: not enough memory ({bytes} bytes wanted); use fewer threads (-j 1), or raise the limit"
    );
    let left = rest.len();
    let text = &message[..message.len() - left];
    // SAFETY: `text` is valid for its length; write and _exit may be called at any time.
    unsafe {
        libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
        libc::_exit(2)
    }
}
