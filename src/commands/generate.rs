//! `fecscan generate`: synthetic files.

use std::sync::atomic::{AtomicU64, Ordering};

use fecscan::engine::{Engine, Options};
use fecscan::error::Error;
use fecscan::generate::{Block, Generator, ImageNumbers, Manners, Recipe};
use fecscan::render::ordered::{Go, Ordered};
use fecscan::render::output::Output;

use super::Outcome;
use super::progress::{Progress, Shown, Unit};
use crate::cli::{GenerateArgs, GeneratedSchema};

/// Runs the command.
pub fn run(args: GenerateArgs) -> Result<Outcome, Error> {
    let GeneratedSchema::Indiv = args.schema;
    let recipe = Recipe {
        seed: args.seed,
        image_numbers: if args.old_image_numbers {
            ImageNumbers::SomeOld
        } else {
            ImageNumbers::Current
        },
        manners: if args.hostile {
            Manners::Hostile
        } else {
            Manners::Good
        },
    };
    let defaults = Options::default();
    let engine = Engine::new(Options {
        threads: args.threads.unwrap_or(defaults.threads),
        ..defaults
    });
    let output = Ordered::new(Output::open(args.output.as_deref())?);
    let progress = Progress::new(Some(args.rows), Unit::Rows, Shown::unless(args.no_progress));

    let generator = Generator::new(recipe);
    let (blocks, rows_of) = Generator::blocks(args.rows);
    let next_block = AtomicU64::new(0);
    engine.on_workers(|| {
        let _guard = output.guard();
        let mut buffer = Block::default();
        loop {
            let block = next_block.fetch_add(1, Ordering::Relaxed);
            if block >= blocks {
                return;
            }
            let rows = rows_of(block);
            let rendered = rows.end - rows.start;
            if output.write(block, generator.render(block, rows, &mut buffer)) == Go::Stop {
                return;
            }
            progress.advance(rendered);
        }
    });
    progress.finish();
    match output.finish().and_then(Output::finish) {
        Err(error) if !error.is_closed_pipe() => Err(error),
        _ => Ok(Outcome::Done),
    }
}
