//! Workbooks: archives of sheets and of the parts that name them.

use std::io::{self, Write};

use rawzip::time::UtcDateTime;
use rawzip::{CompressionMethod, DataDescriptorOutput, ZipArchiveWriter};

use super::XML;
use super::sheet::Compressed;

pub(super) fn write(sheets: Vec<Compressed>, out: &mut dyn Write) -> Result<(), rawzip::Error> {
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
    for (nth, mut sheet) in (1..).zip(sheets) {
        let name = format!("xl/worksheets/sheet{nth}.xml");
        let part = zip.new_file(&name[..]).last_modified(time);
        let part = part.compression_method(CompressionMethod::DEFLATE);
        let (mut part, _) = part.start()?;
        io::copy(&mut sheet.spool, &mut part)?;
        part.finish(DataDescriptorOutput::new(sheet.crc, sheet.bytes))?;
    }
    zip.finish()?;
    Ok(())
}

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
