//! Means, and states in pieces.

use super::*;

#[test]
fn means_are_rounded_half_away_from_zero() {
    for (sum, by, mean) in [
        (5, 2, 3),
        (-5, 2, -3),
        (4, 3, 1),
        (-4, 3, -1),
        (0, 7, 0),
        (-1, 2, -1),
    ] {
        assert_eq!(rounded_quotient(sum, by), mean, "{sum} / {by}");
    }
}

/// All states of the same rows have the same numbers.
#[test]
fn states_agree_in_one_piece_and_in_two() {
    let rows = [5, -3, NO_NUMBER, 1 << 60, 0, NO_NUMBER, -(1 << 62)];
    for cut in 0..=rows.len() {
        let mut sums = [Sum::default(), Sum::default()];
        let mut columns = [Columns::default(), Columns::default()];
        for (nth, &value) in rows.iter().enumerate() {
            let half = usize::from(nth >= cut);
            sums[half].add(&[value]);
            columns[half].add(&[NO_NUMBER, value]);
        }
        let ([mut sum, other], [mut both, more]) = (sums, columns);
        sum.merge(&other);
        both.merge(&more);
        assert_eq!((sum.rows(), both.rows()), (7, 7));
        assert_eq!(sum.numbers(0).total, both.numbers(1).total);
        let numbers = both.numbers(1);
        let expected = 5 - 3 + (1 << 60) - (1 << 62);
        assert_eq!(
            (numbers.total.numbers, numbers.total.sum()),
            (5, Some(expected))
        );
        assert_eq!((numbers.least, numbers.greatest), (-(1 << 62), 1 << 60));
        assert_eq!(both.numbers(0), Numbers::default());
    }
}
