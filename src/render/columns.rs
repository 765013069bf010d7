//! The columns of the schemas, for people and programs.

use serde::Serialize;

use super::page::{Look, Page, Style};
use super::table::TableFormat;
use crate::fec::schema::Schema;

#[derive(Serialize)]
struct ColumnObject {
    schema: &'static str,
    number: usize,
    name: &'static str,
    alias: &'static str,
    kind: &'static str,
    meaning: &'static str,
}

fn objects(schemas: &[Schema]) -> impl Iterator<Item = ColumnObject> {
    schemas.iter().flat_map(|schema| {
        let columns = schema.columns().iter().enumerate();
        columns.map(|(place, column)| ColumnObject {
            schema: schema.name(),
            number: place + 1,
            name: column.name,
            alias: column.alias,
            kind: column.kind.name(),
            meaning: column.meaning,
        })
    })
}

/// Renders the columns of `schemas` as text for people.
pub fn text(schemas: &[Schema], look: Look) -> Vec<u8> {
    let mut page = Page::new(look);
    for (nth, schema) in schemas.iter().enumerate() {
        if nth > 0 {
            page.line(format_args!(""));
        }
        page.styled(Style::Heading, schema.name().as_bytes());
        page.line(format_args!(
            " ({}): {}",
            schema.file_name(),
            schema.meaning()
        ));
        let of_schema = [*schema];
        let rows = || objects(&of_schema);
        let width = |text: fn(&ColumnObject) -> &str| {
            let widths = rows().map(|row| text(&row).len());
            widths.max().unwrap_or(0)
        };
        let names = width(|row| row.name);
        let aliases = width(|row| row.alias);
        let kinds = width(|row| row.kind);
        for row in rows() {
            let ColumnObject {
                number,
                name,
                alias,
                kind,
                meaning,
                ..
            } = row;
            page.line(format_args!(
                "  {number:>2}  {name:names$}  {alias:aliases$}  {kind:kinds$}  {meaning}"
            ));
        }
    }
    page.out
}

/// Renders the columns of `schemas` as a table for programs.
///
/// ```
/// use fecscan::fec::schema::Schema;
/// use fecscan::render::{TableFormat, columns};
/// let csv = columns::table(&[Schema::Ccl], TableFormat::Csv);
/// let lines = "schema,number,name,alias,kind,meaning\nccl,1,CAND_ID,candidate,text,candidate\n";
/// assert!(csv.starts_with(lines.as_bytes()));
/// ```
pub fn table(schemas: &[Schema], format: TableFormat) -> Vec<u8> {
    let mut out = Vec::new();
    let names = ["schema", "number", "name", "alias", "kind", "meaning"];
    format.push_header(&mut out, &names);
    for row in objects(schemas) {
        let number = row.number.to_string();
        let fields = [
            row.schema,
            &number,
            row.name,
            row.alias,
            row.kind,
            row.meaning,
        ];
        format.push_row(&mut out, &fields.map(str::as_bytes));
    }
    out
}

/// Renders the columns of `schemas` as one array of objects, one a line.
pub fn json(schemas: &[Schema]) -> Vec<u8> {
    let lines = objects(schemas)
        .map(|row| serde_json::to_string(&row).expect("numbers and text always serialize"));
    let lines: Vec<_> = lines.collect();
    format!("[\n{}\n]\n", lines.join(",\n")).into_bytes()
}
