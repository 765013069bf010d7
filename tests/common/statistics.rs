//! What random numbers must look like, within bounds that follow from how many there are.

/// The number of standard errors that a figure may be off: of a hundred thousand honest samples, about
/// one is further off in a given figure; in chi-square, whose distribution has a longer tail, about ten.
const ERRORS: f64 = 4.5;

/// Checks that `values` are `count` numbers drawn uniformly and independently from `0..bound`:
/// their count, minimum, maximum, standard deviation, skewness, excess kurtosis, and how neighbours
/// go together. The error says which figure is wrong.
pub fn check_uniform(values: &[u32], count: usize, bound: u32) -> Result<(), String> {
    let n = values.len() as f64;
    let b = f64::from(bound);
    let expect = |what: &str, found: f64, expected: f64, error: f64| {
        let off = (found - expected).abs();
        let ok = off <= ERRORS * error;
        ok.then_some(()).ok_or(format!(
            "{what}: {found} is not {expected} within {ERRORS} x {error}"
        ))
    };
    expect("count", n, count as f64, 0.0)?;
    // With this many values, the probability that an end is not met is negligible.
    assert!(n * (1.0 / b) > 50.0, "too few values to tell");
    expect(
        "minimum",
        f64::from(*values.iter().min().unwrap()),
        0.0,
        0.0,
    )?;
    expect(
        "maximum",
        f64::from(*values.iter().max().unwrap()),
        b - 1.0,
        0.0,
    )?;

    let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / n;
    let moment = |k: i32| {
        values
            .iter()
            .map(|&v| (f64::from(v) - mean).powi(k))
            .sum::<f64>()
            / n
    };
    let (m2, m3, m4) = (moment(2), moment(3), moment(4));
    // Of the uniform distribution on 0..bound: variance, fourth moment and kurtosis; and from
    // these, the standard errors of the sample's figures for large samples.
    let variance = (b * b - 1.0) / 12.0;
    let fourth = (b * b - 1.0) * (3.0 * b * b - 7.0) / 240.0;
    let excess = fourth / variance.powi(2) - 3.0;
    expect("mean", mean, (b - 1.0) / 2.0, (variance / n).sqrt())?;
    let deviation = variance.sqrt();
    expect(
        "standard deviation",
        m2.sqrt(),
        deviation,
        deviation * ((excess + 2.0) / (4.0 * n)).sqrt(),
    )?;
    // The errors of a normal sample are larger than those of a uniform one, which makes them
    // bounds.
    expect("skewness", m3 / m2.powf(1.5), 0.0, (6.0 / n).sqrt())?;
    expect(
        "excess kurtosis",
        m4 / (m2 * m2) - 3.0,
        excess,
        (24.0 / n).sqrt(),
    )?;

    let centred = |v: u32| f64::from(v) - mean;
    let together = values
        .windows(2)
        .map(|pair| centred(pair[0]) * centred(pair[1]))
        .sum::<f64>()
        / (n - 1.0);
    expect(
        "correlation of neighbours",
        together / m2,
        0.0,
        1.0 / n.sqrt(),
    )?;
    let expected = n / b;
    let mut counts = vec![0_u64; bound as usize];
    values.iter().for_each(|&v| counts[v as usize] += 1);
    let chi_square: f64 = counts
        .iter()
        .map(|&c| (c as f64 - expected).powi(2) / expected)
        .sum();
    expect("chi-square", chi_square, b - 1.0, (2.0 * (b - 1.0)).sqrt())
}

/// Checks that workers' sequences have nothing to do with each other: the values at the same places
/// go together no more than chance has them.
pub fn check_independent(sequences: &[Vec<u32>], bound: u32) -> Result<(), String> {
    let mean = (f64::from(bound) - 1.0) / 2.0;
    let variance = (f64::from(bound).powi(2) - 1.0) / 12.0;
    for (nth, pair) in sequences.windows(2).enumerate() {
        let n = pair[0].len() as f64;
        let product = |(&a, &b): (&u32, &u32)| (f64::from(a) - mean) * (f64::from(b) - mean);
        let correlation = pair[0].iter().zip(&pair[1]).map(product).sum::<f64>() / n / variance;
        if correlation.abs() > ERRORS / n.sqrt() {
            return Err(format!(
                "sequences {nth} and {}: correlation {correlation}",
                nth + 1
            ));
        }
    }
    Ok(())
}

/// Checks by chi-square that `found` counts are no further from the proportions of `expected` than
/// chance would have them. Cells in which fewer than five are expected are taken together.
pub fn check_proportions(found: &[u64], expected: &[f64]) -> Result<(), String> {
    let scale = found.iter().sum::<u64>() as f64 / expected.iter().sum::<f64>();
    let mut cells: Vec<(f64, f64)> = Vec::new();
    let mut small = (0.0, 0.0);
    for (&found, &expected) in found.iter().zip(expected) {
        let (found, expected) = (found as f64, expected * scale);
        if expected < 5.0 {
            small = (small.0 + found, small.1 + expected);
        } else {
            cells.push((found, expected));
        }
    }
    if small.1 > 0.0 {
        cells.push(small);
    }
    let chi_square: f64 = cells
        .iter()
        .map(|(found, expected)| (found - expected).powi(2) / expected)
        .sum();
    let freedom = cells.len() as f64 - 1.0;
    let limit = freedom + ERRORS * (2.0 * freedom).sqrt();
    if chi_square <= limit {
        Ok(())
    } else {
        Err(format!("chi-square {chi_square} is above {limit}"))
    }
}
