//! Does something before a signal ends the program. It dies of the signal all the same, so the shell
//! sees the usual status.

use std::sync::mpsc;
use std::{fs, thread};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// Calls `last` before the default action of SIGHUP, SIGINT and SIGTERM, from now on. Ignored signals
/// stay ignored. Without a further thread, or without /proc, the signals act as before.
///
/// Once registered, the signals never get their first handlers back, so this is for the rest of the
/// process.
pub(super) fn before_end(last: impl FnOnce() + Send + 'static) {
    let Some(ignored) = ignored() else {
        return;
    };
    let signals = [SIGHUP, SIGINT, SIGTERM].into_iter();
    let signals: Vec<_> = signals.filter(|n| ignored >> (n - 1) & 1 == 0).collect();
    let (registered, wait) = mpsc::channel();
    // The thread registers, so that no signal is swallowed if there can be no thread.
    let wait_for_signal = move || {
        let signals = Signals::new(signals);
        let _ = registered.send(());
        if let Ok(mut signals) = signals
            && let Some(signal) = signals.forever().next()
        {
            last();
            let _ = emulate_default_handler(signal);
        }
    };
    if thread::Builder::new().spawn(wait_for_signal).is_ok() {
        let _ = wait.recv();
    }
}

/// Returns a bit for each signal that the process ignores, the lowest for signal 1.
fn ignored() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let bits = status.lines().find_map(|l| l.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(bits.trim(), 16).ok()
}
