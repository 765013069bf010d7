//! The columns of schemas as an answer.

use std::io::{self, Write};

use super::answer::{Answer, Field, Listed, Table};
use super::page::{Look, Page, Style};
use crate::fec::schema::Schema;

impl Answer for &[Schema] {
    fn tables(&self) -> Vec<Box<dyn Table + '_>> {
        let rows = self.iter().flat_map(|schema| {
            let columns = (1..).zip(schema.columns());
            columns.map(|(number, column)| {
                [
                    schema.name().into(),
                    Field::count(number),
                    column.name.into(),
                    column.alias.into(),
                    column.kind.name().into(),
                    column.meaning.into(),
                ]
            })
        });
        Listed::tables(
            ["schema", "number", "name", "alias", "kind", "meaning"],
            rows,
        )
    }

    fn text(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        let mut page = Page::new(look);
        for (nth, schema) in self.iter().enumerate() {
            if nth > 0 {
                page.line(format_args!(""));
            }
            page.styled(Style::Heading, schema.name().as_bytes());
            page.line(format_args!(
                " ({}): {}",
                schema.file_name(),
                schema.meaning()
            ));
            let columns = schema.columns();
            let names = columns.iter().map(|column| column.name.len()).max();
            let aliases = columns.iter().map(|column| column.alias.len()).max();
            let kinds = columns.iter().map(|column| column.kind.name().len()).max();
            let [names, aliases, kinds] = [names, aliases, kinds].map(Option::unwrap_or_default);
            for (number, column) in (1..).zip(columns) {
                page.line(format_args!(
                    "  {number:>2}  {:names$}  {:aliases$}  {:kinds$}  {}",
                    column.name,
                    column.alias,
                    column.kind.name(),
                    column.meaning
                ));
            }
        }
        out.write_all(&page.out)
    }
}
