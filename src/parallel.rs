//! Shares work among the threads of a rayon pool.
//!
//! rayon compiles each of its iterators anew for every kind of work, with all that splits, steals and joins: five
//! thousand bytes and more. So one of them starts the threads, and each takes numbers from a counter.

use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// Says whether this is a thread of a pool. Elsewhere, other calls of rayon would start one.
pub(crate) fn in_pool() -> bool {
    rayon::current_thread_index().is_some()
}

/// Does `work` with each of the first `numbers`, in a pool by its threads. Returns what it makes of each.
pub(crate) fn each<R: Send>(numbers: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    each_with(numbers, |(), nth| work(nth))
}

/// Does the same. A thread keeps its state from one number to the next.
pub(crate) fn each_with<S: Default + Send, R: Send>(
    numbers: usize,
    work: impl Fn(&mut S, usize) -> R + Sync,
) -> Vec<R> {
    let made = states(numbers, |(state, made): &mut (S, Vec<_>), nth| {
        made.push((nth, work(state, nth)));
    });
    let mut in_order: Vec<Option<R>> = iter::repeat_with(|| None).take(numbers).collect();
    for (nth, result) in made.into_iter().flat_map(|(_, made)| made) {
        in_order[nth] = Some(result);
    }
    let all = in_order.into_iter().map(Option::unwrap);
    all.collect()
}

/// Adds each of the first `numbers` to a state. In a pool, each thread has a state of its own. Returns the states, in
/// any order.
pub(crate) fn states<S: Default + Send>(
    numbers: usize,
    add: impl Fn(&mut S, usize) + Sync,
) -> Vec<S> {
    let begun = AtomicUsize::new(0);
    let next = || Some(begun.fetch_add(1, Ordering::Relaxed)).filter(|&nth| nth < numbers);
    let states = Mutex::new(Vec::new());
    on_threads(&|| {
        // A thread that comes too late has no state.
        let mut taken = iter::from_fn(next).peekable();
        if taken.peek().is_none() {
            return;
        }
        let mut state = S::default();
        taken.for_each(|nth| add(&mut state, nth));
        let mut states = states.lock().unwrap_or_else(PoisonError::into_inner);
        states.push(state);
    });
    states.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `work` once for each thread of the pool. One thread may make the call of another that is busy. Outside of a
/// pool, calls it once.
fn on_threads(work: &(dyn Fn() + Sync)) {
    if in_pool() {
        (0..rayon::current_num_threads())
            .into_par_iter()
            .for_each(|_| work());
    } else {
        work();
    }
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

    #[test]
    fn a_state_is_kept_from_one_number_to_the_next() {
        let count = |calls: &mut usize, _| {
            *calls += 1;
            *calls
        };
        assert_eq!(each_with(4, count), [1, 2, 3, 4]);
    }
}
