//! `--show-sql`: the statement that options are short for.

use super::outputs;
use super::session::Session;
use super::usage;
use crate::cli::Common;
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::output::Output;
use crate::sql::Shorthand;

/// Returns the table, its joins and the conditions of a command, and the schema of its rows. `own` is the name of the table of the rows, if
/// names of tables stand before all columns.
pub(super) fn of_rows<'s>(
    session: &Session<'_>,
    common: &Common,
) -> Result<(Shorthand, Schema, Option<&'s str>), Error> {
    let schema = session.schema.or_else(|| session.first_schema());
    let schema = schema.ok_or_else(|| usage("no file can be opened", "name one that is there"))?;
    let name = if schema.layout().is_some() {
        "t"
    } else {
        schema.name()
    };
    let mut from = match session.paths() {
        [path] if path != "-" => Shorthand::files(&[path.to_string_lossy()]),
        // The files stand behind the statement.
        _ if schema.layout().is_none() => name.to_owned(),
        _ => {
            let what = "a statement names one file of another kind than the FEC's";
            return Err(usage(what, "name one file"));
        }
    };
    let own = (!session.partners.is_empty()).then_some(name);
    if own.is_some() && from != name {
        from = format!("{from} AS {name}");
    }
    let keys = session.partners.keys(schema, name)?;
    let joins = keys.iter().map(|key| {
        let table = Shorthand::files(key.files);
        let [of, column] = &key.equal;
        format!("LEFT JOIN {table} AS {} ON {of} = {column}", key.name)
    });
    let shorthand = Shorthand {
        from,
        joins: joins.collect(),
        conditions: Shorthand::conditions(&session.filter, schema, own)?,
        contributions: common.contributions,
        ..Shorthand::default()
    };
    Ok((shorthand, schema, own))
}

/// Prints a statement on a line of its own.
pub(super) fn print(statement: &Shorthand, output: Output) -> Result<(), Error> {
    outputs::write(output, format!("{statement}\n").as_bytes())
}
