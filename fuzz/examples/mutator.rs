//! Makes arbitrary bytes without a fuzzer: `mutator EXECUTIONS SEED` changes the fixtures at random,
//! and makes every comparison with the result.
//!
//! It prints the number of executions. The first difference ends it, and leaves its bytes in
//! `mutator-failed`.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Bytes with a meaning for the scanner.
const FAVOURED: &[u8] = b"|||\n\n\r,,   \"20\t\0\xff";

/// Bytes with a meaning together.
const PIECES: [&[u8]; 8] = [
    b"\r\n",
    b", ",
    b"|||||||ROE, JANE Q|",
    b"C00990001|N|M4|P|201804129112345678|15|IND|ROE, JANE Q|CITY|OR|974770001|E|O|03152018|50\n",
    b"\n||||201804|15|IND|X, \t,\x0bY|",
    &[b'x'; 64],
    // Rows of joined files.
    b"\x1eC00990001|PIE, ANN|T|||TOWN|CA|900491234|P|H|DEM|Q|C|PIE|H1\n",
    b"\x1eH1|2018|2018|C00990001|H|P|1\n\x1eH1|PIE, ANN|DEM|2018|CA|H|01|I|C|C1|||TOWN|CA|90049\n",
];

/// Keys to group mutated rows by.
const KEYS: [&str; 5] = [
    "STATE",
    "month(date) AS m, #10",
    "Last_Name(name),zip5(zip)",
    "first_name(#8),left(image, 4),SUB_ID",
    "month(date",
];

/// Conditions on mutated rows.
const CONDITIONS: [&str; 10] = [
    "date_trunc('month', date) >= '2018-03-01' AND year( TRANSACTION_DT )<2019",
    "First_Name(name) ~ '^J' OR NOT zip5(zip) <> ''",
    "last_name(#8) LIKE 'ROE%' AND amount>0",
    "month(date) IN (3, 4, NULL)",
    "year(date) < '2018-01-01'",
    "zip5(name) = 1",
    "STATE='OR' OR last_name(#8)~'R' AND amount<50 OR date = '2018-03-15'",
    "amount >= 50 AND amount <= 50.00 AND amount <> 49.995",
    "NOT (amount > 50 AND date <= '2018-03-15') OR name ILIKE '%jane%'",
    "CASE WHEN amount >= 50 THEN STATE = 'OR' ELSE CAST(CITY AS INTEGER) > 1 END",
];

const LENGTH_MAX: usize = 2000;

struct Random(u64);

impl Random {
    /// Returns the next number of Marsaglia's xorshift generator.
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 11) as usize % bound.max(1)
    }

    fn favoured(&mut self) -> u8 {
        match self.below(8) {
            0 => self.next() as u8,
            _ => FAVOURED[self.below(FAVOURED.len())],
        }
    }

    /// Returns a piece of one of `texts`.
    fn piece<'a>(&mut self, texts: &'a [Vec<u8>]) -> &'a [u8] {
        let text = &texts[self.below(texts.len())];
        let start = self.below(text.len());
        let length = self
            .below(text.len() - start + 1)
            .min(self.below(LENGTH_MAX));
        &text[start..start + length]
    }

    fn mutated(&mut self, texts: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = self.piece(texts).to_vec();
        for _ in 0..self.below(12) {
            let at = self.below(bytes.len() + 1);
            let to = at + self.below(bytes.len() - at + 1).min(self.below(100));
            let new = match self.below(7) {
                0 | 1 => vec![self.favoured()],
                2 => (0..self.below(9)).map(|_| self.favoured()).collect(),
                3 => PIECES[self.below(PIECES.len())].to_vec(),
                4 => self.piece(texts).to_vec(),
                5 => vec![self.favoured(); self.below(200)],
                _ => Vec::new(),
            };
            // Replace bytes, or insert.
            let to = if self.below(2) == 0 { to } else { at };
            bytes.splice(at..to, new);
            bytes.truncate(LENGTH_MAX);
        }
        // The choices of the comparisons.
        bytes.extend((0..5).map(|_| self.next() as u8));
        bytes
    }
}

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|word| word.parse::<u64>().expect("a number"));
    let (executions, seed) = (
        arguments.next().unwrap_or(1000),
        arguments.next().unwrap_or(1),
    );
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures");
    let mut texts: Vec<_> = std::fs::read_dir(fixtures)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .map(|path| std::fs::read(path).unwrap())
        .collect();
    texts.sort();
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..executions {
        let bytes = random.mutated(&texts);
        let compared = catch_unwind(AssertUnwindSafe(|| {
            fecscan_fuzz::report(&bytes);
            fecscan_fuzz::columns(&bytes);
            fecscan_fuzz::conditions::compare(&bytes);
            fecscan_fuzz::groups::compare(&bytes);
            fecscan_fuzz::exports::compare(&bytes);
            fecscan_fuzz::joins::compare(&bytes);
            fecscan_fuzz::rows::compare(&bytes);
            fecscan_fuzz::partials::ranges(&bytes);
            fecscan_fuzz::partials::partial(&bytes[bytes.len().saturating_sub(40)..]);
            let keys = KEYS[bytes.len() % KEYS.len()].as_bytes();
            fecscan_fuzz::groups::compare(&[keys, b"\n", &bytes].concat());
            let conditions = CONDITIONS[bytes.len() % CONDITIONS.len()].as_bytes();
            fecscan_fuzz::conditions::compare(&[conditions, b"\n", &bytes].concat());
            fecscan_fuzz::first_name(&bytes[..bytes.len().min(200)]);
            fecscan_fuzz::plan(&bytes);
        }));
        if let Err(panic) = compared {
            std::fs::write("mutator-failed", &bytes).unwrap();
            resume_unwind(panic);
        }
    }
    println!("{executions}");
}
