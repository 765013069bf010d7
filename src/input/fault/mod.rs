//! Ends the process with a message when a mapped file is cut.
//!
//! A load from a mapped page raises SIGBUS if the file was cut before that page, or if the disk can't
//! read it. There is no way back into safe code from there: the bytes that the worker was promised do
//! not exist. So the policy is that of the whole process, and the program chooses it: after [`install`],
//! such a signal is one message and exit status 2. The engine itself never ends the process. A library
//! user who maps nothing (`Io::read`) or does not call [`install`] never runs this code.
//!
//! A handler may do next to nothing: another thread may hold the lock of `malloc`. So everything is
//! prepared when a file is mapped (`maps`). The handler loads atomics and formats into its own stack.
//! Its system calls are fstat, write, pause, sigaction, a signal to itself and exit. It runs on the
//! alternate stack, which Rust's runtime gives to every thread, rayon's too.

#![allow(unsafe_code)]

pub(super) mod maps;

use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use libc::{c_int, c_void, siginfo_t};
use rustix::io::retry_on_intr;
use rustix::stdio::stderr;

/// A thread has begun to handle a SIGBUS: the process is about to end.
static FAULTED: AtomicBool = AtomicBool::new(false);

/// Makes the process end with exit status 2 and a line on standard error when a mapped file is cut or
/// can't be read. The line begins with the name of the `program`. Programs call this once, before they
/// map anything.
///
/// ```no_run
/// fecscan::input::fault::install("fecscan");
/// ```
///
/// It replaces the handler that Rust's runtime has for SIGBUS. Linux does not need that one: a stack that
/// overflows raises SIGSEGV. Any other SIGBUS has its default action. SIGXFSZ is ignored, unless it has a
/// handler: writing more than the limit for a file then fails, as on a full disk. Where the system refuses
/// to install a handler, the signal keeps its default action.
pub fn install(program: &str) {
    maps::note_for(program);
    handle(libc::SIGBUS, bus_error as *const () as usize);
    if has_default_action(libc::SIGXFSZ) {
        handle(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Makes `handler`, which is [`bus_error`] or SIG_IGN, the handler of `signal`.
fn handle(signal: c_int, handler: usize) {
    // SAFETY: all zeros are a valid sigaction, without flags and with an empty mask.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = handler;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: `action` is valid. Its handler, if there is one, has the signature that SA_SIGINFO
    // requires, and does only what a handler may. A null pointer means that the old action is not stored.
    unsafe { libc::sigaction(signal, &action, ptr::null_mut()) };
}

fn has_default_action(signal: c_int) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: sigaction fills `action`, which is valid in any case, and changes nothing.
    unsafe {
        libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_DFL
    }
}

extern "C" fn bus_error(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // A cut file faults in all workers at once. One of them writes the message and ends the process; the
    // others wait for that.
    while FAULTED.swap(true, Ordering::SeqCst) {
        // SAFETY: pause has no conditions.
        unsafe { libc::pause() };
    }
    // SAFETY: the kernel passes a valid siginfo to a handler with SA_SIGINFO.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    // A signal that another process sends has no address, and no positive code.
    if code > 0
        && let Some(map) = maps::at(address)
    {
        // SAFETY: this thread has touched the map, and holds it borrowed. _exit has no conditions.
        unsafe {
            map.report(address);
            libc::_exit(2);
        }
    }
    // SAFETY: SIG_DFL is a valid action. The raised signal stays pending while its handler runs. It ends
    // the process when the handler returns.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// Writes `line` to standard error. An error there can't be reported.
fn write_to_standard_error(mut line: &[u8]) {
    while let Ok(written @ 1..) = retry_on_intr(|| rustix::io::write(stderr(), line)) {
        line = line.get(written..).unwrap_or_default();
    }
}
