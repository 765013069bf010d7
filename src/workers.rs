//! The threads that share work, in a rayon pool.

use std::iter;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use memmap2::MmapOptions;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The size of a thread's stack, as Rust has it.
const STACK_BYTES: usize = 2 << 20;
/// What a thread may want besides as it starts, generously: a stack for signals, a list of destructors.
const START_BYTES: usize = 1 << 20;

/// Threads that share work. They start when they are first needed.
#[derive(Debug)]
pub struct Workers {
    threads: NonZeroUsize,
    pool: OnceLock<Option<ThreadPool>>,
}

impl Workers {
    /// Returns this many workers.
    pub fn new(threads: NonZeroUsize) -> Workers {
        Workers {
            threads,
            pool: OnceLock::new(),
        }
    }

    /// Has every worker do `work` once, as far as the system gives threads, and returns what each has
    /// made. The work gets the worker's number.
    pub fn on_each<T: Send>(&self, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        match self.pool() {
            None => vec![work(0)],
            Some(pool) => pool.broadcast(|worker| work(worker.index())),
        }
    }

    /// Does `work` in the pool, which is started for it, so that rayon shares its parts among the workers.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self.pool() {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Does `work` in the pool, if it has been started, so that rayon shares its parts among the
    /// workers.
    pub fn install_if_started<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self.pool.get() {
            Some(Some(pool)) => pool.install(work),
            _ => work(),
        }
    }

    /// Does `work` with each of the first `numbers`, shared by the workers. Returns what it makes of each.
    ///
    /// ```
    /// let squares = fecscan::engine::Engine::default().workers().each(4, |number| number * number);
    /// assert_eq!(squares, [0, 1, 4, 9]);
    /// ```
    pub fn each<T: Send>(&self, numbers: usize, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
        self.install(|| each(numbers, work))
    }

    /// Joins values, two neighbours at a time. If the pool has been started, its workers share the pairs: one after the other,
    /// the partials of 64 workers would take longer than their scan.
    pub(crate) fn joined<T: Send>(
        &self,
        all: Vec<T>,
        join: impl Fn(T, T) -> T + Sync,
    ) -> Option<T> {
        match self.pool.get() {
            Some(Some(pool)) if all.len() > 2 => {
                pool.install(|| all.into_par_iter().reduce_with(&join))
            }
            _ => all.into_iter().reduce(join),
        }
    }

    /// Returns the number of workers that [`Workers::on_each`] has.
    pub(crate) fn count(&self) -> usize {
        self.pool().map_or(1, ThreadPool::current_num_threads)
    }

    /// Returns the pool; none for one worker, or if the system gives no threads.
    fn pool(&self) -> Option<&ThreadPool> {
        let start = || build_pool(self.threads);
        self.pool.get_or_init(start).as_ref()
    }
}

/// Starts a pool of `threads`, or of fewer if the system gives no more; none for one thread.
fn build_pool(threads: NonZeroUsize) -> Option<ThreadPool> {
    iter::successors(Some(threads.get()), |&n| Some(n / 2))
        .take_while(|&n| n > 1)
        .filter(|&n| has_room(n))
        .find_map(|n| ThreadPoolBuilder::new().num_threads(n).build().ok())
        // All have started when all have answered. From then on, a lack of memory is an error.
        .inspect(|pool| drop(pool.broadcast(|_| ())))
}

/// Returns whether there are addresses for the stacks of `threads`, and for the little that the runtime
/// and the C library want as each of them starts. They abort the process if they get nothing: of 4,470
/// runs with few addresses, 15 ended so without this check, and all gave the right answer with it.
fn has_room(threads: usize) -> bool {
    let stacks = threads.saturating_mul(STACK_BYTES + START_BYTES);
    let map = MmapOptions::new().no_reserve_swap().len(stacks).map_anon();
    map.is_ok()
}

/// Locks a mutex. The state that a thread leaves when it panics does no harm: the run ends with it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns what a mutex has.
pub(crate) fn unlocked<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Says whether this is a thread of a pool. Elsewhere, calls of rayon would start one.
pub(crate) fn in_pool() -> bool {
    rayon::current_thread_index().is_some()
}

/// Does `work` with each of the first `numbers`, in a pool by its threads. Returns what it makes of each.
pub(crate) fn each<R: Send>(numbers: usize, work: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
    if in_pool() {
        (0..numbers).into_par_iter().map(work).collect()
    } else {
        (0..numbers).map(work).collect()
    }
}

/// Adds each of the first `numbers` to a state. In a pool, each thread has a state of its own; rayon's folds have more.
/// Returns the states, in any order.
pub(crate) fn states<S: Default + Send>(
    numbers: usize,
    add: impl Fn(&mut S, usize) + Sync,
) -> Vec<S> {
    let begun = AtomicUsize::new(0);
    let next = || Some(begun.fetch_add(1, Ordering::Relaxed)).filter(|&nth| nth < numbers);
    let states = Mutex::new(Vec::new());
    let work = |_| {
        // A thread that comes too late has no state.
        let mut taken = iter::from_fn(next).peekable();
        if taken.peek().is_none() {
            return;
        }
        let mut state = S::default();
        taken.for_each(|nth| add(&mut state, nth));
        lock(&states).push(state);
    };
    if in_pool() {
        let threads = 0..rayon::current_num_threads();
        threads.into_par_iter().for_each(work);
    } else {
        work(0);
    }
    unlocked(states)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_taken_once_and_results_keep_their_order() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        let pool = pool.unwrap();
        for numbers in [0, 1, 2, 3, 4, 1000] {
            let squares: Vec<_> = (0..numbers).map(|nth| nth * nth).collect();
            let square = || each(numbers, |nth| nth * nth);
            assert_eq!(square(), squares, "alone");
            assert_eq!(pool.install(square), squares, "in a pool");

            let list = || states(numbers, |list: &mut Vec<_>, nth| list.push(nth));
            assert_eq!(list().concat(), (0..numbers).collect::<Vec<_>>(), "alone");
            let lists = pool.install(list);
            assert!(lists.len() <= 3, "{} threads", lists.len());
            let mut all = lists.concat();
            all.sort_unstable();
            assert_eq!(all, (0..numbers).collect::<Vec<_>>(), "in a pool");
        }
    }

    /// Neighbours are joined in their order, by any number of workers.
    #[test]
    fn values_are_joined_in_their_order() {
        for threads in [1, 2, 8] {
            let workers = Workers::new(NonZeroUsize::new(threads).unwrap());
            workers.on_each(|_| ());
            for count in [0, 1, 2, 3, 9, 100] {
                let lists: Vec<_> = (0..count).map(|nth| vec![nth]).collect();
                let joined = workers.joined(lists, |one, other| [one, other].concat());
                let expected: Vec<_> = (0..count).collect();
                assert_eq!(joined.unwrap_or_default(), expected, "{threads} threads");
            }
        }
    }

    #[test]
    fn work_may_share_its_own_parts() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let sums = || each(5, |nth| each(nth, |inner| inner).iter().sum::<usize>());
        assert_eq!(pool.unwrap().install(sums), [0, 0, 1, 3, 6]);
    }
}
