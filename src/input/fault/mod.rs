//! Signals that end the process: what is said, and what is tidied up before.
//!
//! Touching a page of a mapped file that is no longer there, because somebody cut the file, or that
//! the disk can't give, raises SIGBUS. There is no way back into safe code from there: the bytes
//! that the worker was promised do not exist. So the policy is that of the whole process, and it is
//! the program's to choose: [`install`] makes such a signal one message and exit status 2, as if
//! reading had failed. The engine itself never ends the process; a library user who does not call
//! [`install`], or maps nothing (`Io::Read`), never meets this code.
//!
//! A handler may do next to nothing: another thread may be in the middle of `malloc`. So everything
//! is prepared when a file is mapped (`maps`), and the handlers here only load atomics, fill
//! memory that is set aside for them, and call `fstat`, `unlink`, `write`, `pause`, `signal`,
//! `raise` and `_exit`, which POSIX allows. They run on the alternate stack that Rust's runtime
//! gives to the main thread and to every thread that `std::thread` starts, which rayon's are.
//!
//! Signals by which others end the process (SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU) first remove
//! the temporary files that have a name (`remnants`), and then do what they would have done. SIGXFSZ
//! is ignored: then a write that would make a file larger than it may be fails, as on a full disk.

#![allow(unsafe_code)]

pub(super) mod maps;
#[allow(dead_code)]
mod remnants;

use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use libc::{c_int, c_void, siginfo_t};

/// A thread has begun to handle a SIGBUS: the process is about to end.
static FAULTED: AtomicBool = AtomicBool::new(false);

/// Has the process end with exit status 2 and a line on standard error, which begins with the name
/// of the `program`, when a mapped file is cut or can't be read. Signals that end the process
/// remove temporary files first. For programs, to be called once, before anything is mapped.
///
/// ```no_run
/// fecscan::input::fault::install("fecscan");
/// ```
///
/// It replaces the handler that Rust's runtime has for SIGBUS, which on Linux is there for nothing:
/// a stack that overflows raises SIGSEGV. A SIGBUS that comes from elsewhere has its default
/// action. SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU and SIGXFSZ are left alone if they are
/// ignored, as under `nohup`, or already handled. SIGABRT, by which Rust ends a process that can't
/// have memory, having said so, becomes exit status 2. Where the system refuses to install a
/// handler, the signal keeps its default action.
pub fn install(program: &str) {
    maps::note_for(program);
    handle(libc::SIGBUS, bus_error as *const () as usize);
    handle(libc::SIGABRT, aborted as *const () as usize);
    let ended_by_others = [
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGTERM,
        libc::SIGXCPU,
    ];
    for signal in ended_by_others {
        if has_default_action(signal) {
            handle(signal, terminated as *const () as usize);
        }
    }
    if has_default_action(libc::SIGXFSZ) {
        handle(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Makes `handler`, one of the functions below or SIG_IGN, the handler of `signal`.
fn handle(signal: c_int, handler: usize) {
    // SAFETY: all zeros are a valid sigaction, without flags and with an empty mask.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = handler;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: `action` is valid, and its handler, if there is one, has the signature that SA_SIGINFO
    // asks for and does only what a handler may. Nobody wants to know the action before.
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
    // A file that is cut takes the ground from under all workers at once. One of them speaks, and
    // ends the process; the others wait for that.
    while FAULTED.swap(true, Ordering::SeqCst) {
        // SAFETY: pause has no conditions.
        unsafe { libc::pause() };
    }
    // SAFETY: the kernel passes a valid siginfo to a handler with SA_SIGINFO.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    // What another process sends has no address, and no positive code.
    let map = if code > 0 { maps::at(address) } else { None };
    if let Some(map) = map {
        // SAFETY: FAULTED lets only one thread come here, once.
        unsafe { map.report(address) };
        end();
    }
    die_of(signal);
}

extern "C" fn aborted(_: c_int, _: *mut siginfo_t, _: *mut c_void) {
    end();
}

extern "C" fn terminated(signal: c_int, _: *mut siginfo_t, _: *mut c_void) {
    remnants::remove_all();
    die_of(signal);
}

/// Ends the process as one that failed.
fn end() -> ! {
    remnants::remove_all();
    // SAFETY: _exit has no conditions.
    unsafe { libc::_exit(2) }
}

/// Has the process die of `signal` when the handler returns.
fn die_of(signal: c_int) {
    // SAFETY: SIG_DFL is a valid action. The signal that is raised stays pending while its handler
    // runs.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// Writes `line` to standard error. If that fails, nobody is listening.
fn write_to_standard_error(mut line: &[u8]) {
    while !line.is_empty() {
        // SAFETY: `line` is valid for its length.
        let written = unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len()) };
        match usize::try_from(written) {
            Ok(written) => line = line.get(written..).unwrap_or_default(),
            Err(_) if io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) => {}
            Err(_) => return,
        }
    }
}
