//! The threads that do the work: as many as were asked for, or as the system has for us.
//!
//! A thread takes a stack, and then a smaller one for handlers of signals, which Rust's runtime asks
//! for when the thread has begun. If there is no room for that one, the runtime panics, and that can
//! only be prevented. So where the addresses of the process are limited, threads are started one by
//! one, each if there is room for more than both. Where they are not, room for a stack is never what
//! the system lacks, and threads may start all at once.

use std::error::Error;
use std::io;
use std::iter;
use std::num::NonZeroUsize;
use std::sync::mpsc;
use std::thread;

use memmap2::MmapOptions;
use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};
use rustix::process::{Resource, getrlimit};

/// The stack of a thread where addresses are limited: as large as it is elsewhere.
const STACK_BYTES: usize = 2 << 20;

/// The room that there must be for a thread: its stack, that for signals (some pages), and what it
/// allocates before it has told us that it has both.
const ROOM_BYTES: usize = STACK_BYTES + (1 << 20);

/// A pool of so many threads, or of as many as can be had; none if that is one.
pub(super) fn of_at_most(threads: NonZeroUsize) -> Option<ThreadPool> {
    iter::successors(Some(threads.get()), |&n| Some(n / 2))
        .take_while(|&n| n > 1)
        .find_map(|n| start(n).ok())
}

fn start(threads: usize) -> Result<ThreadPool, Box<dyn Error>> {
    let pool = ThreadPoolBuilder::new().num_threads(threads);
    if !addresses_are_limited() {
        return Ok(pool.build()?);
    }
    // Room that is taken by threads, even if they are stopped for want of others, is not given back.
    look_for_room(threads)?;
    Ok(pool.spawn_handler(spawn_if_there_is_room).build()?)
}

fn addresses_are_limited() -> bool {
    [Resource::As, Resource::Data]
        .into_iter()
        .any(|resource| getrlimit(resource).current.is_some())
}

/// Whether there is room for so many threads.
fn look_for_room(threads: usize) -> io::Result<()> {
    let bytes = threads.saturating_mul(ROOM_BYTES);
    MmapOptions::new().len(bytes).map_anon().map(drop)
}

/// Starts `worker` on a thread of its own, and waits until that has all that it needs to run.
fn spawn_if_there_is_room(worker: ThreadBuilder) -> io::Result<()> {
    look_for_room(1)?;
    let (begin, begun) = mpsc::channel();
    thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || {
            // Whoever waits for this is there.
            let _ = begin.send(());
            worker.run();
        })?;
    // If the thread is gone, it has said why.
    let _ = begun.recv();
    Ok(())
}
