//! Writes all columns of FEC files as Parquet or Arrow, and says how long that took.
//!
//!     cargo run --release --features parquet,arrow --example to_columns -- parquet OUT FILE...
//!
//! The first argument is one of `parquet`, `zstd` and `arrow`, with `:raw` for columns of text only.

use std::env;
use std::fs::File;
use std::time::Instant;

use fecscan::engine::{Engine, Options};
use fecscan::error::Error;
use fecscan::fec::schema::Schema;
use fecscan::fold::columnar::{ColumnarFold, raw_columns, typed_columns};
use fecscan::input::{Input, Io};
use fecscan::render::columnar::{ColumnarFormat, Compression, Layout};

#[allow(unsafe_code)]
fn main() -> Result<(), Error> {
    let mut arguments = env::args().skip(1);
    let format = arguments.next().unwrap_or_default();
    let out = arguments.next().unwrap_or_default();
    let out = File::create(out).expect("the output can be made");
    let (format, types) = format.split_once(':').unwrap_or((&format, "typed"));
    let format = match format {
        #[cfg(feature = "arrow")]
        "arrow" => ColumnarFormat::Arrow,
        "zstd" => ColumnarFormat::Parquet(Compression::Zstd),
        _ => ColumnarFormat::Parquet(Compression::Snappy),
    };
    let columns = match types {
        "raw" => raw_columns(Schema::Indiv),
        _ => typed_columns(Schema::Indiv),
    };
    let mut options = Options::default();
    if let Some(threads) = env::var("THREADS").ok().and_then(|n| n.parse().ok()) {
        options.threads = threads;
    }
    if let Some(bytes) = env::var("TASK_BYTES").ok().and_then(|n| n.parse().ok()) {
        options.task_bytes = bytes;
    }
    let engine = Engine::new(options);
    let begin = Instant::now();
    let fold = ColumnarFold::new(&Layout::new(columns, format), out)?;
    let mut run = engine.run(&fold);
    for path in arguments {
        // SAFETY: nobody changes the files meanwhile.
        let io = unsafe { Io::mmap() };
        run.input(Input::open(path.as_ref(), io)?)?;
    }
    run.finish();
    let written = fold.finish(&engine)?;
    eprintln!(
        "{} rows, unreadable {:?}, {:.2} s",
        written.rows,
        written.unreadable,
        begin.elapsed().as_secs_f64()
    );
    Ok(())
}
