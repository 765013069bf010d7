//! The threads that do the work.

use std::iter;
use std::num::NonZeroUsize;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Starts a pool of `threads`, or of as many as the system gives; none if that is one.
pub(super) fn build_pool(threads: NonZeroUsize) -> Option<ThreadPool> {
    iter::successors(Some(threads.get()), |&n| Some(n / 2))
        .take_while(|&n| n > 1)
        .find_map(|n| ThreadPoolBuilder::new().num_threads(n).build().ok())
}
