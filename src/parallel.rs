//! Shares work among the threads of the rayon pool that a thread belongs to.

use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

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
        let mut states = states.lock().unwrap_or_else(PoisonError::into_inner);
        states.push(state);
    };
    if in_pool() {
        let threads = 0..rayon::current_num_threads();
        threads.into_par_iter().for_each(work);
    } else {
        work(0);
    }
    states.into_inner().unwrap_or_else(PoisonError::into_inner)
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

    #[test]
    fn work_may_share_its_own_parts() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let sums = || each(5, |nth| each(nth, |inner| inner).iter().sum::<usize>());
        assert_eq!(pool.unwrap().install(sums), [0, 0, 1, 3, 6]);
    }
}
