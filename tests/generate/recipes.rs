//! Recipes: more rows, another seed, old image numbers, hostile rows.

use std::collections::{HashMap, HashSet};

use fecscan::fec::schema::Schema;
use fecscan::generate::{BLOCK_ROWS, ImageNumbers, Recipe, RowQuality};

use crate::common::{run, twin};
use crate::generate::{IMAGE_NUM, assert_between, rows};

/// Returns the default recipe with one change.
fn recipe(change: impl FnOnce(&mut Recipe)) -> Recipe {
    let mut recipe = Recipe::default();
    change(&mut recipe);
    recipe
}

fn hostile() -> Recipe {
    recipe(|recipe| recipe.quality = RowQuality::Hostile)
}

#[test]
fn a_longer_file_begins_with_the_shorter_one() {
    for recipe in [Recipe::default(), hostile()] {
        let long = rows(3 * BLOCK_ROWS + 5, recipe);
        for shorter in [
            0,
            1,
            2,
            63,
            64,
            65,
            BLOCK_ROWS - 1,
            BLOCK_ROWS,
            BLOCK_ROWS + 1,
            3 * BLOCK_ROWS,
        ] {
            let short = rows(shorter, recipe);
            assert!(long.starts_with(&short), "{shorter} rows");
            assert_eq!(
                short.iter().filter(|&&b| b == b'\n').count() as u64,
                shorter
            );
        }
    }
    let other = rows(10, recipe(|recipe| recipe.seed = 2));
    assert_ne!(rows(10, Recipe::default()), other);
}

#[test]
fn old_image_numbers_are_one_in_a_hundred() {
    let some_old = recipe(|recipe| recipe.image_numbers = ImageNumbers::SomeOld);
    let bytes = rows(100_000, some_old);
    let lines = twin::lines_of(&bytes);
    let of_length = |length| {
        lines
            .iter()
            .filter(|line| twin::columns(line)[IMAGE_NUM].len() == length)
            .count()
    };
    assert_eq!(of_length(11) + of_length(18), 100_000);
    assert_between(of_length(11) as f64, 850.0..1150.0);
}

#[test]
fn hostile_rows_have_every_oddity_and_the_report_on_them_is_the_twins() {
    let bytes = rows(50_000, hostile());
    let lines = twin::lines_of(&bytes);
    assert_eq!(lines.len(), 50_000);
    let columns: HashSet<usize> = lines.iter().map(|line| twin::columns(line).len()).collect();
    assert!(
        [0, 1, 8, 20, 21, 22, 24]
            .iter()
            .all(|count| columns.contains(count)),
        "{columns:?}"
    );
    assert!(
        bytes.iter().any(|&b| b > 127)
            && bytes.contains(&0)
            && bytes.windows(2).any(|pair| pair == b"\r\n")
    );
    assert!(lines.iter().any(|line| line.len() > 2500) && lines.iter().any(|line| line.is_empty()));

    let asked = twin::Asked {
        names: vec![0, 432, 43243],
        top: 20,
        transaction_date: false,
    };
    run::assert_equals_twin(
        "hostile rows",
        &bytes,
        &asked,
        &run::settings(&[1, 2], &[10_000, 2 << 20]),
    );
}

/// Returns rows of transactions by their SUB_ID, which is unique.
fn by_sub_id(bytes: &[u8], place: usize) -> HashMap<Vec<u8>, Vec<u8>> {
    let lines = twin::lines_of(bytes).into_iter();
    let rows = lines.map(|line| (twin::columns(line)[place].to_vec(), line.to_vec()));
    rows.collect()
}

#[test]
fn revisions_amend_a_few_rows_and_leave_out_fewer() {
    const ROWS: u64 = 200_000;
    for (schema, sub_id, amount) in [
        (Schema::Indiv, 20, 14),
        (Schema::Oth, 20, 14),
        (Schema::Pas2, 21, 14),
        (Schema::Oppexp, 21, 13),
    ] {
        let versions = [0, 1, 2].map(|revision| {
            let recipe = recipe(|recipe| {
                recipe.schema = schema;
                recipe.revision = revision;
            });
            by_sub_id(&rows(ROWS, recipe), sub_id)
        });
        for (nth, pair) in versions.windows(2).enumerate() {
            let [old, new] = pair else { unreachable!() };
            assert!(new.keys().all(|key| old.contains_key(key)), "{schema:?}");
            let left_out = (old.len() - new.len()) as f64 / ROWS as f64;
            assert_between(left_out * 1e6, 40.0..160.0);
            let changed = new.iter().filter(|(key, row)| old[*key] != **row);
            let changed: Vec<_> = changed.collect();
            let share = changed.len() as f64 / ROWS as f64;
            assert_between(share * 1e6, 350.0..650.0);
            let first = &versions[0];
            for (key, row) in changed {
                let (before, after) = (twin::columns(&first[key]), twin::columns(row));
                assert_eq!(after[1], b"A", "{nth} {schema:?}");
                let others = (2..after.len()).filter(|&place| place != amount);
                others.for_each(|place| assert_eq!(before[place], after[place]));
                // A row without an amount keeps none.
                assert!(before[amount] != after[amount] || after[amount] == b"0");
            }
        }
    }
}

#[test]
fn cycles_have_other_transactions_of_the_same_committees() {
    let of = |schema: Schema, cycle: u16, count: u64| {
        rows(
            count,
            recipe(|recipe| {
                recipe.schema = schema;
                recipe.cycle = cycle;
            }),
        )
    };
    let [first, second] = [2018, 2020].map(|cycle| of(Schema::Indiv, cycle, 20_000));
    for (bytes, years) in [(&first, "2016-2019"), (&second, "2018-2021")] {
        for line in twin::lines_of(bytes) {
            let year = std::str::from_utf8(&twin::columns(line)[IMAGE_NUM][..4]).unwrap();
            let (from, to) = years.split_once('-').unwrap();
            assert!((from..=to).contains(&year), "{year} in {years}");
        }
    }
    let (first, second) = (by_sub_id(&first, 20), by_sub_id(&second, 20));
    assert!(first.keys().all(|key| !second.contains_key(key)));
    let committees = |cycle| of(Schema::Cm, cycle, 1000);
    assert_eq!(committees(2018), committees(2024));
    let candidates = [2018, 2024].map(|cycle| of(Schema::Cn, cycle, 1000));
    let names = candidates.each_ref().map(|bytes| {
        let lines = twin::lines_of(bytes).into_iter();
        let rows = lines.map(|line| twin::columns(line)[..2].concat());
        rows.collect::<Vec<_>>()
    });
    assert_eq!(names[0], names[1]);
    let year = |bytes: &[u8], place: usize| {
        let lines = twin::lines_of(bytes).into_iter();
        let years = lines.map(|line| twin::columns(line)[place].to_vec());
        years.collect::<HashSet<_>>()
    };
    assert!(year(&candidates[1], 3).contains(&b"2024"[..]));
    let links = of(Schema::Ccl, 2024, 500);
    assert_eq!(year(&links, 2), HashSet::from([b"2024".to_vec()]));
}

#[test]
fn people_give_again_if_they_are_asked_to() {
    const ROWS: u64 = 50_000;
    let people = |repeat_donors, cycle| {
        let recipe = recipe(|recipe| {
            recipe.repeat_donors = repeat_donors;
            recipe.cycle = cycle;
        });
        let bytes = rows(ROWS, recipe);
        let mut people: HashMap<Vec<Vec<u8>>, HashSet<Vec<u8>>> = HashMap::new();
        for line in twin::lines_of(&bytes) {
            let columns = twin::columns(line);
            let person = columns[7..13].iter().map(|column| column.to_vec());
            let days = people.entry(person.collect()).or_default();
            days.insert([columns[13], columns[20]].concat());
        }
        people
    };
    let people_of = [2018, 2020].map(|cycle| people(true, cycle));
    for people in &people_of {
        assert_between(people.len() as f64 / ROWS as f64, 0.77..0.81);
        let of_one = people.values().filter(|gifts| gifts.len() == 1).count();
        assert_between(of_one as f64 / ROWS as f64, 0.62..0.74);
        assert!(people.values().any(|gifts| gifts.len() >= 10));
    }
    // Who gives in both cycles is the same person.
    let both = people_of[0]
        .keys()
        .filter(|person| people_of[1].contains_key(*person));
    assert_eq!(both.count(), people_of[0].len());
    assert_between(people(false, 2018).len() as f64 / ROWS as f64, 0.999..1.001);
}
