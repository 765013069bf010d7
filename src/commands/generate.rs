//! `fecscan generate`: synthetic files.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::engine::Engine;
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::generate::{Block, COLUMNS_MAX, Generator, ImageNumbers, Recipe, RowQuality, rows_max};
use crate::output::{InOrder, Output};

use super::progress::{Progress, Stats, Unit};
use super::{Outcome, messages, options, outputs, usage};
use crate::cli::GenerateArgs;

/// The number of columns of made text.
const COLUMNS: u16 = 10;

pub(crate) fn run(args: GenerateArgs) -> Result<Outcome, Error> {
    let started = Instant::now();
    let recipe = recipe(&args)?;
    if let Some(path) = &args.output.path {
        options::note_on_rows(path);
    }
    let engine = Engine::new(options::engine_options(args.work.threads, None));
    let output = InOrder::new(outputs::open(args.output.path.as_deref(), &[])?, 0);
    let progress = Progress::new(Some(args.rows), Unit::Rows, !args.work.no_progress);

    let generator = Generator::new(recipe);
    let (blocks, rows_of) = Generator::blocks(args.rows);
    let next_block = AtomicU64::new(0);
    let (bytes_done, rows_done) = (AtomicU64::new(0), AtomicU64::new(0));
    let written = engine.workers().on_each(|_| {
        let _guard = output.guard();
        let mut buffer = Block::default();
        loop {
            let block = next_block.fetch_add(1, Ordering::Relaxed);
            if block >= blocks {
                return Ok(());
            }
            let rows = rows_of(block);
            let count = rows.end - rows.start;
            let rendered = generator.render(block, rows, &mut buffer);
            let write = |output: &mut Output| output.write_all(rendered).map(ControlFlow::Continue);
            if output.at(block..block + 1, write)?.is_break() {
                return Ok(());
            }
            bytes_done.fetch_add(rendered.len() as u64, Ordering::Relaxed);
            rows_done.fetch_add(count, Ordering::Relaxed);
            progress.advance(count);
        }
    });
    progress.clear();
    let threads = written.len();
    let written: Result<(), Error> = written.into_iter().collect();
    let finish = || output.finish().and_then(Output::finish);
    outputs::ignore_broken_pipe(written.and_then(|()| finish()))?;
    if args.work.stats {
        // Threads without a block do not count.
        let busy = usize::try_from(blocks.max(1)).unwrap_or(usize::MAX);
        messages::print(&Stats {
            started,
            bytes: bytes_done.into_inner(),
            lines: rows_done.into_inner(),
            matching: None,
            threads: threads.min(busy),
            how: String::new(),
        });
    }
    Ok(Outcome::Done)
}

fn recipe(args: &GenerateArgs) -> Result<Recipe, Error> {
    let mut recipe = Recipe {
        seed: args.seed,
        cycle: args.cycle,
        revision: args.revision,
        ..Recipe::default()
    };
    let columns = args.columns.unwrap_or(COLUMNS);
    match args.schema {
        Some(schema) => {
            recipe.schema = schema;
            if args.columns.is_some() {
                messages::note(&format_args!(
                    "rows of {} have the columns of that schema, so --columns changes nothing",
                    schema.name()
                ));
            }
        }
        None if (1..=COLUMNS_MAX).contains(&columns) => recipe.columns = columns,
        None => {
            let what = format!("rows of {columns} columns are not made");
            return Err(usage(what, format!("ask for --columns 1 to {COLUMNS_MAX}")));
        }
    }
    let name = args.schema.map_or("fake", Schema::name);
    let most = rows_max(recipe.schema);
    if args.rows > most {
        let what = format!("{name} has {most} rows at most, each with an identifier of its own");
        let advice = format!("ask for --rows {most} or less, or for another --schema");
        return Err(usage(what, advice));
    }
    let is_register = matches!(
        args.schema,
        None | Some(Schema::Cm | Schema::Cn | Schema::Ccl)
    );
    if args.old_image_numbers {
        recipe.image_numbers = ImageNumbers::SomeOld;
        if is_register {
            messages::note(&format_args!(
                "rows of {name} have no image numbers, so --old-image-numbers changes nothing"
            ));
        }
    }
    if args.revision > 0 && is_register {
        messages::note(&format_args!(
            "{name} has one version, so --revision changes nothing"
        ));
    }
    recipe.repeat_donors = args.repeat_donors;
    if args.repeat_donors && args.schema != Some(Schema::Indiv) {
        messages::note(&format_args!(
            "people of {name} do not give again, so --repeat-donors changes nothing"
        ));
    }
    if args.hostile {
        recipe.quality = RowQuality::Hostile;
    }
    Ok(recipe)
}
