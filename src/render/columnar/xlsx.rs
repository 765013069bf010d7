//! Workbooks for spreadsheets: xlsx, as ECMA-376 defines it.
//!
//! A sheet is compressed as its rows come, in memory and from [`SPOOLED`] bytes on in a temporary file. The workbook is written after
//! the last row, so a result that no sheet can hold leaves no bytes. No part tells when it was made: equal results have equal bytes.
//!
//! Numbers and days are numbers with a format. A spreadsheet rounds numbers after [`DIGITS`] digits, and knows no day before March
//! of 1900 for certain: such values stay text. So does every text, also one that begins like a formula.

use std::borrow::Cow;
use std::io::{self, Seek, Write};
use std::sync::Mutex;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Decimal128Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, SchemaRef};
use flate2::write::DeflateEncoder;
use flate2::{Compression, CrcWriter};
use rawzip::time::UtcDateTime;
use rawzip::{CompressionMethod, DataDescriptorOutput, ZipArchiveWriter};
use tempfile::SpooledTempFile;

use super::arrays::days_since_1970;
use super::sink::Sink;
use super::{ALONE, BATCH, GroupFile, Size};
use crate::error::{Error, ErrorKind};
use crate::fec::amount::{Decimal, Hundredths};
use crate::fold::by::Value;
use crate::render::{Field, Table, decoded, grouped};

/// The most rows of a sheet, with the row of names.
const ROWS: u32 = 1 << 20;
/// The most columns of a sheet.
const COLUMNS: usize = 1 << 14;
/// The most characters of a cell, as UTF-16 counts them.
const CHARACTERS: usize = 32_767;
/// The number of digits that a spreadsheet keeps.
const DIGITS: u32 = 15;
/// The number of bytes of a compressed sheet that stay in memory.
const SPOOLED: usize = 32 << 20;
/// The number of bytes of XML that are compressed at once.
const PIECE: usize = 64 << 10;
/// The number of rows that decide how wide columns are.
const MEASURED: usize = 1000;
/// The number of the first day of 1970.
const EPOCH: i32 = 25_569;
/// The number of the first of March 1900. Before it stands the 29th of February 1900, which only spreadsheets know.
const MARCH_1900: i32 = 61;

const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

/// A value of a row.
enum Cell<'a> {
    Empty,
    Text(Cow<'a, str>),
    Number(Decimal),
    /// Days since 1970.
    Day(i32),
}

/// A sheet that is being written.
struct Sheet {
    names: Vec<String>,
    /// What stands before the number of the row in the name of each cell: `A` to `XFD`.
    letters: Vec<String>,
    /// The number of rows so far; zero before the row of names.
    rows: u32,
    xml: Vec<u8>,
    compressed: CrcWriter<DeflateEncoder<SpooledTempFile>>,
}

/// A workbook with a sheet of rows, whose batches are groups.
pub(super) struct XlsxFile<W: Write> {
    /// The columns of a batch.
    batch: Vec<Mutex<Option<ArrayRef>>>,
    sheet: Mutex<Sheet>,
    out: Mutex<W>,
}

/// Writes tables, each as a sheet.
///
/// # Errors
/// If a sheet can't hold its table, or the output fails.
pub(crate) fn write(tables: &[Box<dyn Table + '_>], out: &mut dyn Write) -> io::Result<()> {
    let mut sheets = Vec::new();
    for table in tables {
        let names = table.names().into_iter().map(str::to_owned).collect();
        let mut sheet = Sheet::new(names).map_err(io::Error::other)?;
        let measured = (0..table.len().min(MEASURED)).map(|nth| table.row(nth));
        sheet.begin(measured.map(|row| row.iter().map(|field| Cell::of(field).width()).collect()));
        for nth in 0..table.len() {
            let row = table.row(nth);
            let pushed = sheet.push(row.iter().map(Cell::of));
            pushed.map_err(io::Error::other)?;
        }
        sheets.push(sheet);
    }
    write_workbook(sheets, out).map_err(io::Error::other)
}

impl<'a> Cell<'a> {
    fn of(field: &'a Field<'_>) -> Cell<'a> {
        let number = |units, decimals| Cell::Number(Decimal { units, decimals });
        match field {
            Field::Text(text) => Cell::Text(decoded(text)),
            Field::Value(None) => Cell::Empty,
            &Field::Value(Some(value)) => match value {
                Value::Amount(Hundredths(hundredths)) => number(hundredths, 2),
                Value::Decimal(number) => Cell::Number(number),
                Value::Date(date) => Cell::Day(days_since_1970(date)),
                Value::Count(count) => number(count.into(), 0),
            },
        }
    }

    fn at(array: &'a ArrayRef, nth: usize) -> Cell<'a> {
        let number = |units, decimals| Cell::Number(Decimal { units, decimals });
        if array.is_null(nth) {
            return Cell::Empty;
        }
        match *array.data_type() {
            DataType::Date32 => Cell::Day(array.as_primitive::<Date32Type>().value(nth)),
            // Of rows, identifiers only.
            DataType::Int64 => {
                let identifier = array.as_primitive::<Int64Type>().value(nth);
                Cell::Text(identifier.to_string().into())
            }
            DataType::Decimal128(_, decimals) => {
                let units = array.as_primitive::<Decimal128Type>().value(nth);
                number(units, decimals.cast_unsigned())
            }
            _ => Cell::Text(array.as_string::<i32>().value(nth).into()),
        }
    }

    /// Returns the value as text if no number of a spreadsheet is this value.
    fn exact(self) -> Cell<'a> {
        match self {
            Cell::Number(number) if number.units.unsigned_abs() >= 10_u128.pow(DIGITS) => {
                Cell::Text(number.to_string().into())
            }
            Cell::Day(day) if day + EPOCH < MARCH_1900 => {
                let day = Date32Type::to_naive_date_opt(day);
                Cell::Text(day.map_or(String::new(), |day| day.to_string()).into())
            }
            cell => cell,
        }
    }

    /// Returns how many characters are shown, about.
    fn width(&self) -> usize {
        match self {
            Cell::Empty => 0,
            Cell::Text(text) => text.chars().count(),
            Cell::Number(number) => number.to_string().len() * 4 / 3,
            Cell::Day(_) => "2018-01-31".len(),
        }
    }
}

impl Sheet {
    fn new(names: Vec<String>) -> Result<Sheet, Error> {
        if names.len() > COLUMNS {
            let what = format!("has at most {} columns", grouped(COLUMNS as u64));
            return Err(refused(&what).advise("choose fewer columns, or csv: -f csv"));
        }
        let spool = SpooledTempFile::new(SPOOLED);
        let encoder = DeflateEncoder::new(spool, Compression::fast());
        Ok(Sheet {
            letters: (0..names.len()).map(letters).collect(),
            names,
            rows: 0,
            xml: Vec::new(),
            compressed: CrcWriter::new(encoder),
        })
    }

    /// Writes what stands before the first row, and the names. Columns are as wide as some rows, of these widths, need.
    fn begin(&mut self, measured: impl Iterator<Item = Vec<usize>>) {
        let widths = self.names.iter().map(|name| name.chars().count());
        let mut widths: Vec<_> = widths.collect();
        for row in measured {
            for (width, needed) in widths.iter_mut().zip(row) {
                *width = needed.max(*width);
            }
        }
        self.push_xml(XML);
        self.push_xml(
            "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetViews>\
             <sheetView workbookViewId=\"0\"><pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" \
             state=\"frozen\"/></sheetView></sheetViews><cols>",
        );
        for (nth, width) in (1..).zip(widths) {
            let width = width.clamp(8, 60) + 2;
            self.push_xml(&format!(
                "<col min=\"{nth}\" max=\"{nth}\" width=\"{width}\" customWidth=\"1\"/>"
            ));
        }
        self.push_xml("</cols><sheetData><row r=\"1\">");
        self.rows = 1;
        for nth in 0..self.names.len() {
            let name = self.names[nth].clone();
            self.push_text(nth, &name, " s=\"1\"");
        }
        self.push_xml("</row>");
    }

    /// Writes a row.
    fn push<'c>(&mut self, cells: impl Iterator<Item = Cell<'c>>) -> Result<(), Error> {
        if self.rows == ROWS {
            let what = format!(
                "has at most {} rows below the names",
                grouped(u64::from(ROWS) - 1)
            );
            let advice = "choose csv, -f csv, or fewer rows: --head N or --sample N";
            return Err(refused(&what).advise(advice));
        }
        self.rows += 1;
        self.push_xml(&format!("<row r=\"{}\">", self.rows));
        for (nth, cell) in cells.enumerate() {
            match cell.exact() {
                Cell::Empty => {}
                Cell::Text(text) => {
                    if text.len() > CHARACTERS {
                        self.check_characters(nth, &text)?;
                    }
                    self.push_text(nth, &text, "");
                }
                Cell::Number(number) => {
                    let style = match number.decimals {
                        0 => " s=\"3\"",
                        2 => " s=\"4\"",
                        _ => "",
                    };
                    self.push_number(nth, &number.to_string(), style);
                }
                Cell::Day(day) => {
                    self.push_number(nth, &(day + EPOCH).to_string(), " s=\"2\"");
                }
            }
        }
        self.push_xml("</row>");
        if self.xml.len() >= PIECE {
            self.compress()
        } else {
            Ok(())
        }
    }

    fn push_xml(&mut self, xml: &str) {
        self.xml.extend_from_slice(xml.as_bytes());
    }

    fn push_number(&mut self, nth: usize, number: &str, style: &str) {
        self.push_cell(nth, style);
        self.push_xml("><v>");
        self.push_xml(number);
        self.push_xml("</v></c>");
    }

    fn push_text(&mut self, nth: usize, text: &str, style: &str) {
        if text.is_empty() {
            return;
        }
        self.push_cell(nth, style);
        let is_blank = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
        let bytes = text.as_bytes();
        self.push_xml(if is_blank(bytes.first()) || is_blank(bytes.last()) {
            " t=\"inlineStr\"><is><t xml:space=\"preserve\">"
        } else {
            " t=\"inlineStr\"><is><t>"
        });
        push_escaped(&mut self.xml, text);
        self.push_xml("</t></is></c>");
    }

    fn push_cell(&mut self, nth: usize, style: &str) {
        let (letters, row) = (&self.letters[nth], self.rows);
        // Vectors take all that is written.
        let _ = write!(self.xml, "<c r=\"{letters}{row}\"{style}");
    }

    /// Fails if a text is too long for a cell.
    fn check_characters(&self, nth: usize, text: &str) -> Result<(), Error> {
        let characters = text.encode_utf16().count();
        if characters <= CHARACTERS {
            return Ok(());
        }
        let what = format!(
            "has at most {} characters in a cell, and {} has {} in row {}",
            grouped(CHARACTERS as u64),
            self.names[nth],
            grouped(characters as u64),
            grouped(self.rows.into())
        );
        Err(refused(&what).advise("choose csv, -f csv, or leave the column out"))
    }

    fn compress(&mut self) -> Result<(), Error> {
        let written = self.compressed.write_all(&self.xml);
        self.xml.clear();
        written.map_err(of_spool)
    }

    /// Ends the sheet. Returns its checksum, its size and its compressed bytes.
    fn finish(mut self) -> Result<(u32, u64, SpooledTempFile), Error> {
        self.push_xml("</sheetData></worksheet>");
        self.compress()?;
        let crc = self.compressed.crc().sum();
        let mut encoder = self.compressed.into_inner();
        encoder.try_finish().map_err(of_spool)?;
        let bytes = encoder.total_in();
        let mut spool = encoder.finish().map_err(of_spool)?;
        spool.rewind().map_err(of_spool)?;
        Ok((crc, bytes, spool))
    }
}

/// Writes a workbook of these sheets.
fn write_workbook(sheets: Vec<Sheet>, out: impl Write) -> Result<(), Error> {
    let sheets: Vec<_> = sheets.into_iter().map(Sheet::finish).collect();
    let sheets = sheets.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut sink = Sink::new(out);
    let written = write_parts(sheets, &mut sink).and_then(|()| Ok(sink.flush()?));
    written.map_err(|error| sink.error(error))
}

/// Writes the parts of a workbook.
fn write_parts(
    sheets: Vec<(u32, u64, SpooledTempFile)>,
    out: &mut dyn Write,
) -> Result<(), rawzip::Error> {
    let mut zip = ZipArchiveWriter::new(out);
    let time = UtcDateTime::from_components(1980, 1, 1, 0, 0, 0, 0).expect("a day");
    for (name, xml) in parts(sheets.len()) {
        let part = zip.new_file(name).last_modified(time);
        let (mut part, crc) = part.start()?;
        let mut bytes = crc.wrap(&mut part);
        bytes.write_all(xml.as_bytes())?;
        let (_, sum) = bytes.finish()?;
        part.finish(sum)?;
    }
    for (nth, (crc, bytes, mut spool)) in (1..).zip(sheets) {
        let name = format!("xl/worksheets/sheet{nth}.xml");
        let part = zip.new_file(&name[..]).last_modified(time);
        let part = part.compression_method(CompressionMethod::DEFLATE);
        let (mut part, _) = part.start()?;
        io::copy(&mut spool, &mut part)?;
        part.finish(DataDescriptorOutput::new(crc, bytes))?;
    }
    zip.finish()?;
    Ok(())
}

/// Returns the names and the XML of all parts but the sheets.
fn parts(sheets: usize) -> [(&'static str, String); 5] {
    const OPEN: &str = "http://schemas.openxmlformats.org";
    const TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml";
    let main = format!("{OPEN}/spreadsheetml/2006/main");
    let packages = format!("{OPEN}/package/2006");
    let links = format!("{OPEN}/officeDocument/2006/relationships");
    let each = |part: &dyn Fn(usize) -> String| (1..=sheets).map(part).collect::<String>();
    let type_of = |name: &str, kind: &str| {
        format!(r#"<Override PartName="/xl/{name}.xml" ContentType="{TYPE}.{kind}+xml"/>"#)
    };
    let link = |id: usize, kind: &str, to: &str| {
        format!(r#"<Relationship Id="rId{id}" Type="{links}/{kind}" Target="{to}"/>"#)
    };
    let types = [
        type_of("workbook", "sheet.main"),
        type_of("styles", "styles"),
        each(&|nth| type_of(&format!("worksheets/sheet{nth}"), "worksheet")),
    ];
    let of_sheets = each(&|nth| {
        let target = format!("worksheets/sheet{nth}.xml");
        link(nth, "worksheet", &target)
    });
    let names =
        each(&|nth| format!(r#"<sheet name="Sheet{nth}" sheetId="{nth}" r:id="rId{nth}"/>"#));
    let linked = |links: &str| {
        format!(r#"{XML}<Relationships xmlns="{packages}/relationships">{links}</Relationships>"#)
    };
    [
        (
            "[Content_Types].xml",
            format!(
                r#"{XML}<Types xmlns="{packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>{}</Types>"#,
                types.concat()
            ),
        ),
        (
            "_rels/.rels",
            linked(&link(1, "officeDocument", "xl/workbook.xml")),
        ),
        (
            "xl/workbook.xml",
            format!(
                r#"{XML}<workbook xmlns="{main}" xmlns:r="{links}"><sheets>{names}</sheets></workbook>"#
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            linked(&(of_sheets + &link(sheets + 1, "styles", "styles.xml"))),
        ),
        // Formats of cells by number: general, names in bold, days, whole numbers and amounts with separators of thousands.
        (
            "xl/styles.xml",
            format!(
                r#"{XML}<styleSheet xmlns="{main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="3" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>"#
            ),
        ),
    ]
}

/// Returns the letters of a column: `A` to `Z`, then `AA`.
fn letters(nth: usize) -> String {
    let last = char::from(b'A' + (nth % 26) as u8);
    match nth / 26 {
        0 => last.to_string(),
        before => letters(before - 1) + &last.to_string(),
    }
}

/// Appends a text as XML. Characters that XML lacks become `_x0001_`, and so does the first character of what would be read as one of them.
fn push_escaped(out: &mut Vec<u8>, text: &str) {
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let (now, after) = rest.split_at(character.len_utf8());
        match character {
            '&' => out.extend_from_slice(b"&amp;"),
            '<' => out.extend_from_slice(b"&lt;"),
            '>' => out.extend_from_slice(b"&gt;"),
            '\t' | '\n' => out.extend_from_slice(now.as_bytes()),
            '_' if !is_escape(rest.as_bytes()) => out.push(b'_'),
            '_' | '\0'..' ' | '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(out, "_x{:04X}_", u32::from(character));
            }
            _ => out.extend_from_slice(now.as_bytes()),
        }
        rest = after;
    }
}

/// Says whether a text begins like the name of a character: `_x000D_`.
fn is_escape(text: &[u8]) -> bool {
    matches!(text, [b'_', b'x', digits @ .., ] if digits.len() > 4
        && digits[4] == b'_' && digits[..4].iter().all(u8::is_ascii_hexdigit))
}

fn refused(what: &str) -> Error {
    Error::new(ErrorKind::Output, format!("a sheet of xlsx {what}"))
}

fn of_spool(error: io::Error) -> Error {
    let doing = "the temporary file of the sheet can't be written";
    Error::io(ErrorKind::Output, doing, error)
}

impl<W: Write> XlsxFile<W> {
    pub(super) fn new(schema: &SchemaRef, out: W) -> Result<XlsxFile<W>, Error> {
        let fields = schema.fields().iter();
        let names = fields.clone().map(|field| field.name().clone());
        Ok(XlsxFile {
            batch: fields.map(|_| Mutex::default()).collect(),
            sheet: Mutex::new(Sheet::new(names.collect())?),
            out: Mutex::new(out),
        })
    }
}

impl<W: Write + Send> GroupFile for XlsxFile<W> {
    fn group_size(&self) -> Size {
        BATCH
    }

    fn push(&self, column: usize, array: ArrayRef) -> Result<(), Error> {
        *self.batch[column].lock().expect(ALONE) = Some(array);
        Ok(())
    }

    fn end_column(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }

    fn write_group(&self) -> Result<(), Error> {
        let columns = self.batch.iter();
        let columns = columns.filter_map(|column| column.lock().expect(ALONE).take());
        let columns: Vec<_> = columns.collect();
        let rows = columns.first().map_or(0, |column| column.len());
        let row = |nth| columns.iter().map(move |column| Cell::at(column, nth));
        let widths = |nth| row(nth).map(|cell| cell.width()).collect();
        let mut sheet = self.sheet.lock().expect(ALONE);
        if sheet.rows == 0 {
            sheet.begin((0..rows.min(MEASURED)).map(widths));
        }
        (0..rows).try_for_each(|nth| sheet.push(row(nth)))
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        let mut sheet = self.sheet.into_inner().expect(ALONE);
        if sheet.rows == 0 {
            sheet.begin(std::iter::empty());
        }
        write_workbook(vec![sheet], self.out.into_inner().expect(ALONE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_letters_of_spreadsheets() {
        let expected = [
            (0, "A"),
            (25, "Z"),
            (26, "AA"),
            (701, "ZZ"),
            (702, "AAA"),
            (16_383, "XFD"),
        ];
        for (nth, name) in expected {
            assert_eq!(letters(nth), name);
        }
    }

    #[test]
    fn texts_are_escaped_where_a_spreadsheet_would_read_something_else() {
        for (text, xml) in [
            ("=1+1", "=1+1"),
            ("a<b>&c", "a&lt;b&gt;&amp;c"),
            ("a\rb\u{1}\tc\n", "a_x000D_b_x0001_\tc\n"),
            ("_x000D_ _x00_ _y000D_", "_x005F_x000D_ _x00_ _y000D_"),
            ("_x000D__x000d_", "_x005F_x000D__x005F_x000d_"),
            ("é\u{ffff}", "é_xFFFF_"),
        ] {
            let mut out = Vec::new();
            push_escaped(&mut out, text);
            assert_eq!(String::from_utf8(out).unwrap(), xml);
        }
    }
}
