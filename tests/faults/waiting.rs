//! Waits for states, never for a length of time.
//!
//! The deadline only ends a hang, so it is generous.

use std::fs::{self, File};
use std::io::{PipeWriter, Write, pipe};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::ioctl_fionread;

const HANG: Duration = Duration::from_secs(300);
const POLL: Duration = Duration::from_millis(1);

/// A process that a test has started. It is killed when the test fails.
pub struct Running(Child);

impl Running {
    pub fn start(command: &mut Command) -> Running {
        Running(command.spawn().unwrap())
    }

    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Sends the signal of this name.
    pub fn send(&self, signal: &str) {
        let mut kill = Command::new("kill");
        kill.args([format!("-{signal}"), self.id().to_string()]);
        assert!(kill.status().unwrap().success(), "{signal} was not sent");
    }

    /// Waits until `reached` holds. The process must still run then.
    #[track_caller]
    pub fn wait_until(&mut self, state: &str, mut reached: impl FnMut(u32) -> bool) {
        let id = self.id();
        poll(state, || {
            let ended = self.0.try_wait().unwrap();
            assert_eq!(ended, None, "the process ended before: {state}");
            reached(id).then_some(())
        });
    }

    #[track_caller]
    pub fn wait_for_end(&mut self) -> ExitStatus {
        poll("the end of the process", || self.0.try_wait().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It fails if the process has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[track_caller]
fn poll<T>(state: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(begun.elapsed() < HANG, "hangs before: {state}");
        thread::sleep(POLL);
    }
}

/// Standard input that stays open, so that its reader stays blocked in a read.
pub struct OpenInput(PipeWriter);

impl OpenInput {
    /// Makes a pipe the standard input of `command`.
    pub fn of(command: &mut Command) -> OpenInput {
        let (reader, writer) = pipe().unwrap();
        command.stdin(reader);
        OpenInput(writer)
    }

    pub fn write(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).unwrap();
    }

    /// Writes as much as the reader takes before it is gone.
    pub fn try_write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.write_all(bytes)
    }

    /// Waits until the last reader has closed the pipe.
    pub fn wait_for_no_reader(&self) {
        let mut ends = [PollFd::new(&self.0, PollFlags::empty())];
        poll("the end of the reader", || {
            let found = rustix::event::poll(&mut ends, Some(&Timespec::default()));
            found.unwrap();
            ends[0].revents().contains(PollFlags::ERR).then_some(())
        });
    }

    /// Returns whether all written bytes have been read.
    pub fn is_read(&self) -> bool {
        ioctl_fionread(&self.0).unwrap() == 0
    }
}

/// Returns whether the process has a file open in this folder, with or without a name.
pub fn has_open_in(id: u32, folder: &Path) -> bool {
    let links = fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten();
    links
        .filter_map(|link| fs::read_link(link.ok()?.path()).ok())
        .any(|target| target.starts_with(folder))
}

/// Returns whether the process has mapped a file of this name.
pub fn has_mapped(id: u32, name: &str) -> bool {
    fs::read_to_string(format!("/proc/{id}/maps")).is_ok_and(|maps| maps.contains(name))
}

/// Waits until the clock of the file system is past the last change of `path`.
///
/// The clock ticks every few milliseconds: an earlier change would have the same time.
#[track_caller]
pub fn wait_for_tick_after(path: &Path) {
    let changed = fs::metadata(path).unwrap().modified().unwrap();
    let probe = path.with_extension("probe");
    poll("a tick of the file system's clock", || {
        fs::write(&probe, "x").unwrap();
        let now = fs::metadata(&probe).unwrap().modified().unwrap();
        (now > changed).then_some(())
    });
    fs::remove_file(probe).unwrap();
}

/// Makes a sparse file of 1 TiB: a scan of it takes minutes on any machine.
pub fn endless_file(path: &Path) {
    File::create(path).unwrap().set_len(1 << 40).unwrap();
}
