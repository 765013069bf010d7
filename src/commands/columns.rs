//! `fecscan columns [SCHEMA]`: the columns of the schemas.

use fecscan::error::{Error, escaped_lines};
use fecscan::fec::schema::Schema;
use fecscan::render::{TableFormat, columns};

use super::{Outcome, options, outputs};
use crate::cli::{Color, ColumnsArgs, ListFormat};

/// Runs the command.
pub(crate) fn run(args: ColumnsArgs) -> Result<Outcome, Error> {
    let format = options::format(args.format, args.output.as_deref())?;
    let output = outputs::open(args.output.as_deref())?;
    let one = args.schema.map(|schema| [Schema::from(schema)]);
    let schemas = one.as_ref().map_or(&Schema::ALL[..], |one| &one[..]);
    let terminal = output.is_terminal();
    let result = match format {
        ListFormat::Text => columns::text(schemas, options::look(Color::Auto, terminal)),
        ListFormat::Json => columns::json(schemas),
        ListFormat::Csv => columns::table(schemas, TableFormat::Csv),
        ListFormat::Tsv => columns::table(schemas, TableFormat::Tsv),
        ListFormat::Markdown => columns::table(schemas, TableFormat::Markdown),
    };
    let result = match (terminal, format) {
        (true, ListFormat::Tsv) => escaped_lines(&result),
        _ => result,
    };
    outputs::write(output, &result)?;
    Ok(Outcome::Done)
}
