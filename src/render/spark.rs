//! Sparklines: a series of numbers on one line of text.

/// Marks of eight heights.
const MARKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws a mark for every `each` numbers, as high as their sum. Zero is a blank.
pub(super) fn sparkline(numbers: &[u64], each: usize) -> String {
    let sums = numbers
        .chunks(each)
        .map(|chunk| chunk.iter().map(|&n| u128::from(n)).sum());
    let sums: Vec<u128> = sums.collect();
    let most = sums.iter().copied().max().unwrap_or(0).max(1);
    let mark = |sum: u128| match (sum * MARKS.len() as u128).div_ceil(most) {
        0 => ' ',
        eighths => MARKS[eighths as usize - 1],
    };
    sums.into_iter().map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_as_high_as_their_sums() {
        assert_eq!(sparkline(&[0, 1, 2, 3, 4, 5, 6, 7, 8], 1), " ▁▂▃▄▅▆▇█");
        assert_eq!(sparkline(&[1, 1_000_000], 1), "▁█");
        assert_eq!(sparkline(&[0, 0], 1), "  ");
        assert_eq!(sparkline(&[1, 3, 2, 2, 8], 2), "▄▄█");
        assert_eq!(sparkline(&[u64::MAX, u64::MAX, 1], 2), "█▁");
    }
}
