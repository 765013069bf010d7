//! All schemas: columns, independence of threads and file size, limits, and options.

use std::collections::HashSet;

use fecscan::fec::schema::Schema;
use fecscan::generate::{
    BLOCK_ROWS, Block, Generator, ImageNumbers, Recipe, RowQuality, SCHEMAS, rows_max,
};

use crate::common::program::{assert_usage_error, fecscan, run_with};
use crate::common::twin;
use crate::generate::{assert_between, recipe_of, rows};

#[test]
fn rows_have_the_columns_of_their_schema() {
    for schema in SCHEMAS {
        let bytes = rows(20_000, recipe_of(schema));
        assert_eq!(bytes.last(), Some(&b'\n'));
        let lines = twin::lines_of(&bytes);
        assert_eq!(lines.len(), 20_000);
        for line in lines {
            let columns = twin::columns(line);
            assert_eq!(columns.len(), schema.columns_on_disk(), "{schema:?}");
            assert!(line.is_ascii(), "{schema:?}");
            // The column of oppexp without a name.
            let last = columns[columns.len() - 1];
            assert!(schema != Schema::Oppexp || last.is_empty());
        }
        // Most rows of oth are of people, as in real files, so they look like rows of indiv.
        let likely = match schema {
            Schema::Oth => Schema::Indiv,
            other => other,
        };
        assert_eq!(Schema::likely(&bytes), Some(likely));
    }
}

#[test]
fn a_row_depends_on_the_seed_and_its_number_alone() {
    for schema in SCHEMAS {
        let count = 2 * BLOCK_ROWS + 5;
        let long = rows(count, recipe_of(schema));
        for shorter in [1, 64, 65, BLOCK_ROWS, BLOCK_ROWS + 1] {
            let short = rows(shorter, recipe_of(schema));
            assert!(long.starts_with(&short), "{shorter} rows of {schema:?}");
        }
        // Another worker may render the blocks, in another order, into memory with other rows.
        let generator = Generator::new(recipe_of(schema));
        let mut buffer = Block::default();
        let (blocks, rows_of) = Generator::blocks(count);
        let mut reversed = Vec::new();
        for block in (0..blocks).rev() {
            let rendered = generator.render(block, rows_of(block), &mut buffer);
            reversed.splice(..0, rendered.iter().copied());
        }
        assert!(reversed == long, "{schema:?}");

        let mut other = recipe_of(schema);
        other.seed = 2;
        assert_ne!(rows(count, other), long);
    }
}

#[test]
fn the_program_writes_the_same_rows_for_any_number_of_threads() {
    for schema in SCHEMAS {
        let expected = rows(30_000, recipe_of(schema));
        for threads in ["1", "2", "7"] {
            let name = schema.name();
            let arguments = [
                "generate", "--rows", "30000", "--schema", name, "-j", threads,
            ];
            let output = fecscan(arguments).output().unwrap();
            assert!(output.status.success(), "{name}");
            assert!(output.stdout == expected, "{name} with {threads} threads");
        }
    }
}

#[test]
fn more_rows_than_identifiers_are_a_usage_error() {
    for (schema, most) in [("cm", 750_000), ("cn", 300_000), ("ccl", 300_000)] {
        let message =
            format!("{schema} has {most} rows at most, each with an identifier of its own");
        assert_usage_error(
            &format!("generate --schema {schema} --rows {}", most + 1),
            &message,
        );
    }
    assert_eq!(rows_max(Schema::Oppexp), u64::MAX);
    assert_eq!(
        run_with("generate --schema CCL --rows 3")
            .out
            .lines()
            .count(),
        3
    );
}

#[test]
fn identifiers_are_unique_in_the_largest_files() {
    for (schema, column) in [(Schema::Cm, 0), (Schema::Cn, 0), (Schema::Ccl, 6)] {
        let most = rows_max(schema);
        let bytes = rows(most, recipe_of(schema));
        let keys: HashSet<&[u8]> = bytes
            .split(|&b| b == b'\n')
            .filter_map(|line| line.split(|&b| b == b'|').nth(column))
            .filter(|key| !key.is_empty())
            .collect();
        assert_eq!(keys.len() as u64, most, "{schema:?}");
    }
}

#[test]
fn image_numbers_of_eleven_digits_are_one_in_a_hundred() {
    for (schema, column) in [(Schema::Oth, 4), (Schema::Pas2, 4), (Schema::Oppexp, 4)] {
        let mut recipe = recipe_of(schema);
        recipe.image_numbers = ImageNumbers::SomeOld;
        let bytes = rows(50_000, recipe);
        let lines = twin::lines_of(&bytes);
        let old = lines
            .iter()
            .filter(|line| twin::columns(line)[column].len() == 11);
        assert_between(old.count() as f64, 400.0..600.0);
    }
    let noted = run_with("generate --schema cn --rows 2 --old-image-numbers");
    let note =
        "fecscan: note: rows of cn have no image numbers, so --old-image-numbers changes nothing\n";
    assert_eq!((noted.status, noted.err.as_str()), (0, note));
    assert_eq!(noted.out, run_with("generate --schema cn --rows 2").out);
}

#[test]
fn hostile_rows_of_every_schema_have_every_oddity() {
    for schema in SCHEMAS {
        let recipe = || {
            let mut recipe = Recipe::default();
            recipe.schema = schema;
            recipe.quality = RowQuality::Hostile;
            recipe
        };
        let bytes = rows(20_000, recipe());
        let lines = twin::lines_of(&bytes);
        assert_eq!(lines.len(), 20_000);
        let expected = schema.columns_on_disk();
        let counts: HashSet<usize> = lines.iter().map(|line| twin::columns(line).len()).collect();
        for count in [0, 1, expected - 1, expected, expected + 1, expected + 3] {
            assert!(counts.contains(&count), "{count} columns of {schema:?}");
        }
        assert!(bytes.iter().any(|&b| b > 127) && bytes.contains(&0));
        assert!(bytes.windows(2).any(|pair| pair == b"\r\n"));
        assert!(lines.iter().any(|line| line.len() > 2500), "{schema:?}");
        assert!(bytes.starts_with(&rows(5000, recipe())));
    }
}
