//! `fecscan info FILE...`: what files are. `fecscan columns [SCHEMA]`: the columns of the schemas.

use crate::error::Error;
use crate::fec::schema::Schema;
use crate::input::OpenOptions;
use crate::render::ResultKind;
use crate::sql::duckdb_views;

use super::options::OfFormats;
use super::{Outcome, layouts, messages, options, outputs};
use crate::cli::{ColumnsArgs, InfoArgs, LookOptions};

pub(crate) fn columns(args: ColumnsArgs) -> Result<Outcome, Error> {
    let path = args.output.path.as_deref();
    if let Some(schema) = args.schema.filter(|_| args.duckdb) {
        let files: Vec<_> = args.files.iter().map(String::as_str).collect();
        let file = schema.file_name();
        let files = if files.is_empty() {
            vec![&*file]
        } else {
            files
        };
        let output = outputs::open(path, &[])?;
        outputs::write(output, duckdb_views(schema, &files).as_bytes())?;
        return Ok(Outcome::Done);
    }
    let format = options::format(args.format, path, ResultKind::List, OfFormats::default())?;
    let schemas = args
        .schema
        .map_or(Schema::ALL.to_vec(), |schema| vec![schema]);
    let output = outputs::open(path, &[])?;
    outputs::print(&&schemas[..], format, &LookOptions::default(), output)?;
    Ok(Outcome::Done)
}

pub(crate) fn run(args: InfoArgs) -> Result<Outcome, Error> {
    let path = args.output.path.as_deref();
    let format = options::format(args.format, path, ResultKind::List, OfFormats::default())?;
    outputs::refuse_second_reading(&args.files)?;
    let output = outputs::open(path, &args.files)?;
    let mut opening = OpenOptions::default();
    opening.members = options::members(false, &args.member);
    layouts::refuse_values(&args.layout)?;
    let layout = layouts::of_options(&args.layout)?;
    opening.schema = match layout {
        None => args.schema,
        Some(layout) => {
            let found = layouts::recognized(layout, &args.layout, &args.files, &opening)?;
            Some(found.0.schema())
        }
    };
    let mut outcome = Outcome::Done;
    let mut files = Vec::new();
    for path in &args.files {
        let file = options::check_standard_input(path).and_then(|()| opening.info(path));
        match file {
            Ok(file) => files.push(file),
            Err(error) => {
                messages::print(&error.with_advice());
                outcome = Outcome::Failed;
            }
        }
    }
    for file in files.iter().filter(|_| !format.is_for_people()) {
        let notes = file.notes.iter();
        notes.for_each(|note| messages::note_on(&file.path, note));
    }
    let output = outputs::if_whole(output, outcome);
    if let Some(output) = output.filter(|_| !files.is_empty()) {
        outputs::print(&files, format, &LookOptions::default(), output)?;
    }
    Ok(outcome)
}
