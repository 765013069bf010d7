//! `fecscan columns [SCHEMA]`: the columns of the schemas.

use fecscan::error::Error;
use fecscan::fec::schema::Schema;

use super::{Outcome, options, outputs};
use crate::cli::{ColumnsArgs, LookOptions};
use fecscan::render::ResultKind;

/// Runs the command.
pub(crate) fn run(args: ColumnsArgs) -> Result<Outcome, Error> {
    let format = options::format(args.format, args.output.path.as_deref(), ResultKind::List)?;
    let output = outputs::open(args.output.path.as_deref())?;
    let one = args.schema.map(|schema| [schema]);
    let schemas = one.as_ref().map_or(&Schema::ALL[..], |one| &one[..]);
    outputs::print(&schemas, format, &LookOptions::default(), output)?;
    Ok(Outcome::Done)
}
