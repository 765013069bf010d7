//! The tables that a statement names, and the files of each.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::cli::{Common, LayoutOptions};
use crate::commands::{layouts, options, outputs, usage};
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::input::{file_bytes, matching};
use crate::sql::TableName;

/// Returns the options of each table, with its files: the one that the statement names, or those behind it of its schema.
pub(super) fn table_inputs(
    common: &Common,
    tables: &[TableName<'_>],
) -> Result<Vec<Common>, Error> {
    let with = |files: Vec<OsString>, schema: Option<Schema>| {
        let mut of_table = common.clone();
        of_table.files = files;
        of_table.schema = schema;
        of_table
    };
    let schemas = tables.iter().filter_map(|table| match table {
        TableName::Schema(schema) => Some(*schema),
        TableName::Path(_) => None,
    });
    let schemas: Vec<_> = schemas.collect();
    if schemas.is_empty() && !common.files.is_empty() {
        let what = "FROM names a file, and others stand behind the statement";
        return Err(usage(what, "name files in one of both places"));
    }
    if let [schema] = schemas[..] {
        check_schema(common, schema)?;
    }
    let files = |schema: Schema| -> Result<Vec<OsString>, Error> {
        if schemas.len() == 1 {
            return Ok(common.files.clone());
        }
        let mut files = Vec::new();
        for path in &common.files {
            if is_of(common, path, schema, &schemas)? {
                files.push(path.clone());
            }
        }
        let name = schema.name();
        let no_file = || {
            let what = format!("FROM names {name}, and no file behind the statement is one");
            usage(what, format!("name it, or write FROM '{name}.txt'"))
        };
        Some(files)
            .filter(|files| !files.is_empty())
            .ok_or_else(no_file)
    };
    let inputs = tables.iter().map(|table| match table {
        TableName::Path(path) => {
            let mut of_table = with(matching(path)?, common.schema);
            let is_other = common.schema.is_none() && !layouts::describe(&common.layout);
            let extension = csv_extension(&of_table.files[0]).filter(|_| is_other);
            // As in DuckDB, the first line of such a file names its columns, unless it is a row.
            if let Some(extension) = extension {
                let layout = &mut of_table.layout;
                layout.guesses_header = true;
                layout.header = true;
                layout.delimiter = (extension == "tsv").then(|| "\t".to_owned());
            }
            Ok(of_table)
        }
        TableName::Schema(schema) => Ok(with(files(*schema)?, Some(*schema))),
    });
    let mut inputs = inputs.collect::<Result<Vec<Common>, Error>>()?;
    // Options that say nothing but how values are written, such as --types, are for a CSV, and no file of the FEC's takes them.
    let is_csv = |of: &Common| of.layout.guesses_header;
    if inputs.iter().any(is_csv) {
        let others = inputs.iter_mut().filter(|of| !is_csv(of));
        others.for_each(|other| other.layout = LayoutOptions::default());
    }
    let all: Vec<_> = inputs.iter().flat_map(|of| of.files.clone()).collect();
    outputs::refuse_second_reading(&all)?;
    Ok(inputs)
}

/// Returns the extension, csv or tsv, of the name of a file that tells no schema of the FEC's.
fn csv_extension(path: &OsStr) -> Option<&'static str> {
    let extension = Path::new(path).extension()?.to_ascii_lowercase();
    let known = ["csv", "tsv"].into_iter().find(|known| extension == *known);
    known.filter(|_| Schema::of_file_name(path).is_none())
}

/// Returns the bytes of files. Pipes may have any number of them.
pub(super) fn bytes_of(paths: &[OsString]) -> u64 {
    let bytes = paths
        .iter()
        .map(|path| file_bytes(path).unwrap_or(u64::MAX / 2));
    bytes.fold(0, u64::saturating_add)
}

/// Says whether a file is one of a schema of several that FROM names.
fn is_of(
    common: &Common,
    path: &OsString,
    schema: Schema,
    schemas: &[Schema],
) -> Result<bool, Error> {
    let told = match Schema::of_file_name(path) {
        Some(told) => told,
        None => {
            let parts = options::opening(common).schemas(path)?;
            let told = parts.first().map(|(_, schema)| *schema);
            told.ok_or_else(|| usage("has no rows that tell its schema", "name it in FROM"))
                .map_err(|error| error.about(path))?
        }
    };
    if let Some(exact) = schemas.iter().find(|known| **known == told) {
        return Ok(*exact == schema);
    }
    let is_like = |known: &&Schema| known.columns() == told.columns();
    match schemas.iter().find(is_like) {
        Some(like) => Ok(*like == schema),
        None => {
            let names: Vec<_> = schemas.iter().map(|schema| schema.name()).collect();
            let what = format!(
                "is of schema {}, and FROM names {}",
                told.name(),
                names.join(", ")
            );
            Err(usage(what, "leave it out").about(path))
        }
    }
}

/// Refuses files whose names tell another schema than the one in FROM.
fn check_schema(common: &Common, schema: Schema) -> Result<(), Error> {
    let told = common.files.iter().filter_map(|path| {
        let told = common.schema.or_else(|| Schema::of_file_name(path))?;
        (told.columns() != schema.columns()).then_some((path, told))
    });
    let Some((path, told)) = { told }.next() else {
        return Ok(());
    };
    let (told, wanted) = (told.name(), schema.name());
    let what = format!("is of schema {told}, and FROM names {wanted}");
    Err(usage(what, format!("write FROM {told}")).about(path))
}

/// Returns the number of the table of which `--range` and `--partial` read a part: that of the first file behind the statement, or else
/// the one that has the most bytes.
pub(super) fn table_in_parts(common: &Common, inputs: &[Common]) -> usize {
    let has_first = |of: &Common| of.files.first() == common.files.first();
    let of_first = inputs.iter().position(has_first);
    let sizes = inputs.iter().map(|of| bytes_of(&of.files)).enumerate();
    // Of tables of one size, the first.
    let largest = sizes.rev().max_by_key(|(_, bytes)| *bytes);
    of_first.or(largest.map(|(nth, _)| nth)).unwrap_or(0)
}

/// Lets tables be read whole, but for the one with this number. All sessions have one output, which may be a partial.
pub(super) fn read_whole_but(table: usize, inputs: &mut [Common], partial: Option<&Path>) {
    let others = inputs.iter_mut().enumerate();
    for (_, other) in others.filter(|(nth, _)| *nth != table) {
        other.range = None;
        other.slices = false;
        if let Some(partial) = partial {
            other.output.path = Some(partial.to_owned());
        }
    }
}
