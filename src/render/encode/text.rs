//! Rows as text for people: aligned, each column as wide as its values in the first rows.
//!
//! The first hundred rows wait until the widths are known. Later values that are wider move the rest of
//! their row. On a terminal, columns that do not fit beside the others are left out, and a line at the end
//! says how many.

use std::sync::Mutex;

use super::{Block, Buffer};
use crate::render::page::{ALIGNED_COLUMNS, Align, GAP, Look, Page, Style};
use crate::render::shown::{Shown, widen};
use crate::sql::projection::ExportColumns;
use crate::workers::lock;

/// The number of rows that decide the widths.
const MEASURED_ROWS: usize = 100;

/// The bytes of rows that decide the widths: no more rows are measured.
const MEASURED_BYTES: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct Text {
    look: Look,
    names: Vec<String>,
    alignments: Vec<Align>,
    layout: Mutex<Layout>,
}

/// Whether the widths are known.
#[derive(Debug)]
enum Layout {
    /// These rows will decide them.
    Measuring { rows: Vec<Vec<Shown>>, bytes: usize },
    /// The widths of the columns that fit.
    Known(Vec<usize>),
}

impl Text {
    pub(super) fn new(columns: &ExportColumns, look: Look) -> Text {
        let columns = columns.columns.iter();
        let alignment = |is_number| if is_number { Align::Right } else { Align::Left };
        Text {
            look,
            names: columns.clone().map(|column| column.name.clone()).collect(),
            alignments: columns.map(|column| alignment(column.is_number)).collect(),
            layout: Mutex::new(Layout::Measuring {
                rows: Vec::new(),
                bytes: 0,
            }),
        }
    }

    /// Appends the header and the rows that have waited, and returns the widths.
    fn layout_of(&self, rows: &[Vec<Shown>], page: &mut Page) -> Vec<usize> {
        let names = self.names.iter().map(|name| page.shown(name));
        let names: Vec<_> = names.collect();
        let widths = names.iter().map(|name| name.columns(usize::MAX));
        let mut widths: Vec<_> = widths.collect();
        rows.iter()
            .for_each(|row| widen(&mut widths, row, ALIGNED_COLUMNS));
        if let Some(all) = self.look.columns {
            let mut end = 0;
            let fits = |width: &&usize| {
                end += **width + GAP;
                end <= all + GAP
            };
            let fitting = widths.iter().take_while(fits).count();
            widths.truncate(fitting.max(1));
        }
        page.styled_row(Style::Heading, &names, &self.alignments, &widths);
        for row in rows {
            page.row(row, &self.alignments, &widths);
        }
        widths
    }

    pub(super) fn block(&self, block: &Block<'_>, out: &mut Buffer) {
        let mut layout = lock(&self.layout);
        let mut page = Page::new(self.look);
        for (nth, row) in block.rows().iter().enumerate() {
            let columns = block.columns().iter();
            let values = columns.map(|column| page.shown(&*block.cell(nth, row, column)));
            let values: Vec<_> = values.collect();
            match &mut *layout {
                Layout::Known(widths) => {
                    page.row(&values, &self.alignments, widths);
                }
                Layout::Measuring { rows, bytes } => {
                    *bytes += values.iter().map(Shown::len).sum::<usize>();
                    rows.push(values);
                    if rows.len() == MEASURED_ROWS || *bytes >= MEASURED_BYTES {
                        *layout = Layout::Known(self.layout_of(rows, &mut page));
                    }
                }
            }
        }
        out.extend_from_slice(&page.into_bytes());
    }

    /// Returns rows that have waited, and the line below the last row.
    pub(super) fn end(&self) -> Vec<u8> {
        let mut layout = lock(&self.layout);
        let mut page = Page::new(self.look);
        if let Layout::Measuring { rows, .. } = &*layout {
            *layout = Layout::Known(self.layout_of(rows, &mut page));
        }
        if let Layout::Known(widths) = &*layout
            && widths.len() < self.names.len()
        {
            let (left_out, all) = (self.names.len() - widths.len(), self.names.len());
            page.note(&format!(
                "({left_out} of {all} columns do not fit here: --columns chooses, -f ndjson has all)"
            ));
        }
        page.into_bytes()
    }
}
