//! Costs of a piece of work: time, memory, and what the kernel did for it.
//!
//! The allocator counts only where it is asked to. Else it costs one load of a flag that seldom changes, so it disturbs no times.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

fn count(bytes: usize) {
    if IS_COUNTING.load(Relaxed) {
        ALLOCATIONS.fetch_add(1, Relaxed);
        BYTES.fetch_add(bytes as u64, Relaxed);
    }
}

// SAFETY: every call goes to the system's allocator with the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// What a process and its ended children used.
#[derive(Clone, Copy, Default)]
pub struct Costs {
    /// The time on the clock.
    pub seconds: f64,
    /// The processors' time in the kernel.
    pub system: f64,
    /// Page faults without input and output.
    pub faults: f64,
    /// How often a thread gave up its processor to wait.
    pub waits: f64,
    /// The allocations of all threads, if they are counted. A block that grows counts again.
    pub allocations: f64,
    /// The bytes of the allocations.
    pub bytes: f64,
}

/// Returns the result of `work` and its costs. Counting allocations takes time, so a turn has its time or its allocations.
pub fn measured<T>(is_counting: bool, work: impl FnOnce() -> T) -> (T, Costs) {
    IS_COUNTING.store(is_counting, Relaxed);
    let (before, start) = (totals(), Instant::now());
    let result = work();
    let (seconds, after) = (start.elapsed().as_secs_f64(), totals());
    IS_COUNTING.store(false, Relaxed);
    let costs = Costs {
        seconds,
        system: after.system - before.system,
        faults: after.faults - before.faults,
        waits: after.waits - before.waits,
        allocations: after.allocations - before.allocations,
        bytes: after.bytes - before.bytes,
    };
    (result, costs)
}

/// Returns the costs since the process began, but for the time.
fn totals() -> Costs {
    let mut totals = Costs {
        allocations: ALLOCATIONS.load(Relaxed) as f64,
        bytes: BYTES.load(Relaxed) as f64,
        ..Costs::default()
    };
    for whose in [libc::RUSAGE_SELF, libc::RUSAGE_CHILDREN] {
        let mut usage = MaybeUninit::uninit();
        // SAFETY: the kernel fills the structure unless it returns an error, which is asserted against.
        let usage: libc::rusage = unsafe {
            assert_eq!(libc::getrusage(whose, usage.as_mut_ptr()), 0);
            usage.assume_init()
        };
        totals.system += usage.ru_stime.tv_sec as f64 + usage.ru_stime.tv_usec as f64 / 1e6;
        totals.faults += usage.ru_minflt as f64;
        totals.waits += usage.ru_nvcsw as f64;
    }
    totals
}
