//! What files are, and the columns of schemas, as answers.

use std::borrow::Cow;
use std::io::{self, Write};

use super::answer::{Answer, Field, Table};
use super::json::Json;
use super::page::{Align, Look, Page, Style};
use super::shown::Shown;
use super::size;
use crate::fec::schema::{Column, Schema};
use crate::input::{ColumnInfo, FileInfo, PartInfo};
use crate::sql::type_of;

/// Returns the columns of a part, each with its number, name and alias. Columns that the schema lacks have no name.
fn columns(
    part: &PartInfo,
) -> impl Iterator<Item = (usize, &'static str, &'static str, &ColumnInfo)> {
    let known: &[Column] = part.schema.map_or(&[], |schema| schema.columns());
    let named = move |at: usize| {
        known
            .get(at)
            .map_or(("", ""), |known| (known.name, known.alias))
    };
    let columns = part.columns.iter().enumerate();
    columns.map(move |(at, column)| (at + 1, named(at).0, named(at).1, column))
}

fn schema(part: &PartInfo) -> Option<&'static str> {
    part.schema.map(|schema| schema.name())
}

fn member(part: &PartInfo) -> Option<&[u8]> {
    part.member.as_ref().map(|name| name.as_encoded_bytes())
}

impl Answer for Vec<FileInfo> {
    fn tables(&self) -> Vec<Table<'_>> {
        let parts = self
            .iter()
            .flat_map(|file| file.parts.iter().map(move |part| (file, part)));
        let rows = parts.flat_map(|(file, part)| {
            columns(part).map(move |(number, name, alias, column)| {
                [
                    file.path.as_encoded_bytes().into(),
                    file.format.into(),
                    member(part).unwrap_or_default().into(),
                    schema(part).unwrap_or_default().into(),
                    Field::Count(number as u64),
                    name.into(),
                    alias.into(),
                    Field::Count(column.width as u64),
                    column.values.first().map_or(&b""[..], |value| value).into(),
                ]
            })
        });
        let names = [
            "file", "format", "member", "schema", "number", "name", "alias", "width", "value",
        ];
        vec![Table::of_rows(names, rows)]
    }

    fn text(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        let mut page = Page::new(look);
        for (nth, file) in self.iter().enumerate() {
            if nth > 0 {
                page.line(format_args!(""));
            }
            let name = page.input_name(&file.path);
            page.styled(Style::Heading, &name);
            let bytes = file.bytes.map(|bytes| format!(", {}", size(bytes)));
            page.line(format_args!(
                "  {}{}",
                file.format,
                bytes.unwrap_or_default()
            ));
            let notes = file.notes.iter();
            notes.for_each(|note| page.note(&format!("  note: {note}")));
            file.parts
                .iter()
                .for_each(|part| push_part(part, &mut page));
        }
        out.write_all(&page.into_bytes())
    }

    fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        let files = self.iter().map(|file| {
            Json::object([
                ("path", file.path.as_encoded_bytes().into()),
                ("format", file.format.into()),
                ("bytes", file.bytes.into()),
                ("notes", file.notes.iter().map(|note| &note[..]).collect()),
                ("parts", file.parts.iter().map(part_as_json).collect()),
            ])
        });
        out.write_all(&files.collect::<Json>().line())
    }
}

fn part_as_json(part: &PartInfo) -> Json<'_> {
    let columns = columns(part).map(|(number, name, alias, column)| {
        let values = column.values.iter();
        Json::object([
            ("number", (number as u64).into()),
            ("name", name.into()),
            ("alias", alias.into()),
            ("width", (column.width as u64).into()),
            ("values", values.map(|value| &value[..]).collect()),
        ])
    });
    Json::object([
        ("member", member(part).into()),
        ("bytes", part.bytes.into()),
        ("schema", schema(part).into()),
        ("row_columns", (part.width as u64).into()),
        ("warning", part.warning.as_deref().into()),
        ("columns", columns.collect()),
    ])
}

fn push_part(part: &PartInfo, page: &mut Page) {
    if let Some(member) = member(part) {
        let member = page.shown(member);
        page.put(format_args!("  "));
        page.styled(Style::Heading, &member);
        let bytes = part.bytes.map(|bytes| format!("  {}", size(bytes)));
        page.line(format_args!("{}", bytes.unwrap_or_default()));
    }
    if part.width == 0 {
        page.line(format_args!("  no rows"));
        return;
    }
    match schema(part) {
        Some(name) => page.line(format_args!(
            "  schema {name}, {} columns in the first row",
            part.width
        )),
        None => page.line(format_args!("  no known schema")),
    }
    if let Some(warning) = &part.warning {
        page.note(&format!("  note: {warning}"));
    }
    let rows = columns(part).map(|(number, name, alias, column)| {
        let values = column.values.iter();
        let values = values.map(|value| page.shown(&value[..value.len().min(VALUE_BYTES)]));
        [
            page.shown(format!("{number:>3}")),
            page.shown(name),
            page.shown(alias),
            page.shown(column.width.to_string()),
            Shown::joined(values, " | ").without_end(),
        ]
    });
    let rows: Vec<_> = rows.collect();
    let [left, right] = [Align::Left, Align::Right];
    page.aligned("  ", &[left, left, left, right, left], &rows);
}

/// As much of a value is shown.
const VALUE_BYTES: usize = 40;

impl Answer for &[Schema] {
    fn tables(&self) -> Vec<Table<'_>> {
        let rows = self.iter().flat_map(|schema| {
            let columns = (1..).zip(schema.columns());
            columns.map(|(number, column)| {
                [
                    schema.name().into(),
                    Field::Count(number),
                    column.name.into(),
                    column.alias.into(),
                    Field::Text(Cow::Owned(
                        type_of(*schema, column).to_string().into_bytes(),
                    )),
                    column.meaning.into(),
                ]
            })
        });
        let names = ["schema", "number", "name", "alias", "type", "meaning"];
        vec![Table::of_rows(names, rows)]
    }

    fn text(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        let mut page = Page::new(look);
        for (nth, schema) in self.iter().enumerate() {
            if nth > 0 {
                page.line(format_args!(""));
            }
            page.styled(Style::Heading, &page.shown(schema.name()));
            page.line(format_args!(
                " ({}): {}",
                schema.file_name(),
                schema.meaning()
            ));
            let rows = (1..).zip(schema.columns()).map(|(number, column)| {
                let number = format!("{number:>2}");
                let gives = type_of(*schema, column).to_string();
                let cells = [&*number, column.name, column.alias, &gives, column.meaning];
                cells.map(|cell| page.shown(cell))
            });
            let rows: Vec<_> = rows.collect();
            page.aligned("  ", &[Align::Left; 5], &rows);
        }
        out.write_all(&page.into_bytes())
    }
}
