//! The views and macros that define for DuckDB what the columns of a schema are: the specification of types, and the tests' own words.

use std::fmt::Write;

use super::file::{table, type_of};
use super::types::Type;
use crate::fec::schema::Schema;

/// Macros that read numbers and days as this program does, and its own functions.
const MACROS: &str = r"CREATE OR REPLACE MACRO trimmed(x) AS
    trim(x, chr(9) || chr(10) || chr(11) || chr(12) || chr(13) || chr(32));
CREATE OR REPLACE MACRO day_of(y, m, d) AS
    CASE WHEN lpad(y, 4, '0') >= '0001' THEN TRY_CAST(y || '-' || lpad(m, 2, '0') || '-' || lpad(d, 2, '0') AS DATE) END;
CREATE OR REPLACE MACRO read_trimmed_date(x) AS CASE
    WHEN regexp_full_match(x, '[0-9]{8}') THEN coalesce(day_of(substr(x, 5), left(x, 2), substr(x, 3, 2)),
        CASE WHEN left(x, 4) >= '1300' THEN day_of(left(x, 4), substr(x, 5, 2), substr(x, 7)) END)
    WHEN regexp_full_match(x, '[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}([ T]([0-9]|[0-2][0-9]):.*)?', 's') THEN
        day_of(regexp_extract(x, '^[0-9]+/[0-9]+/([0-9]{4})', 1), regexp_extract(x, '^[0-9]+'), regexp_extract(x, '^[0-9]+/([0-9]+)', 1))
    WHEN regexp_full_match(x, '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([ T]([0-9]|[0-2][0-9]):.*)?', 's') THEN
        day_of(left(x, 4), regexp_extract(x, '^[0-9]+-([0-9]+)', 1), regexp_extract(x, '^[0-9]+-[0-9]+-([0-9]+)', 1)) END;
CREATE OR REPLACE MACRO read_date(x) AS read_trimmed_date(trimmed(x));
CREATE OR REPLACE MACRO read_bigint(x) AS
    CASE WHEN regexp_full_match(trimmed(x), '[+-]?[0-9]+') THEN TRY_CAST(trimmed(x) AS BIGINT) END;
CREATE OR REPLACE MACRO zip5(x) AS CASE WHEN regexp_matches(x, '^[0-9]{5}') THEN left(x, 5) WHEN x IS NOT NULL THEN '' END;
CREATE OR REPLACE MACRO last_name(x) AS trimmed(split_part(x, ',', 1));
CREATE OR REPLACE MACRO first_name(x) AS regexp_extract(trimmed(x), ', [ \t\n\x0b\x0c\r]*([^, ]+)', 1);
";

/// Returns the statements that make a view of `files`, which are not compressed, under the name of the schema.
///
/// ```
/// use fecscan::Schema;
/// let statements = fecscan::sql::duckdb_views(Schema::Ccl, &["ccl.txt"]);
/// assert!(statements.contains("CREATE OR REPLACE VIEW \"ccl\" AS"));
/// ```
pub fn duckdb_views(schema: Schema, files: &[&str]) -> String {
    let table = table(0, schema, None);
    let is_of_fec = schema.layout().is_none();
    let mut out = MACROS.to_owned();
    let mut decimals: Vec<_> = schema
        .columns()
        .iter()
        .filter_map(|column| match type_of(column, is_of_fec) {
            Type::Decimal(digits, scale) => Some((digits, scale)),
            _ => None,
        })
        .collect();
    decimals.sort_unstable();
    decimals.dedup();
    for (digits, scale) in decimals {
        let short = match scale {
            0 => String::new(),
            scale => format!("|\\.[0-9]{{1,{scale}}}"),
        };
        let _ = writeln!(
            out,
            "CREATE OR REPLACE MACRO read_decimal{scale}(x) AS CASE WHEN regexp_full_match(trimmed(x), \
             '[+-]?([0-9]+(\\.[0-9]{{0,{scale}}})?{short})') \
             THEN TRY_CAST(trimmed(x) AS DECIMAL({digits}, {scale})) END;"
        );
    }
    let _ = writeln!(
        out,
        "CREATE OR REPLACE VIEW {} AS WITH typed AS (SELECT",
        quoted(schema.name())
    );
    let mut known: Vec<String> = Vec::new();
    let own = table.columns.iter().filter(|column| column.is_shown);
    for column in own.clone() {
        let name = quoted(&column.name);
        let text = format!("coalesce(columns_of_file.{name}, '')");
        let read = match column.gives {
            Type::Decimal(_, scale) => format!("read_decimal{scale}({text})"),
            Type::Date => format!("read_date({text})"),
            Type::BigInt => format!("read_bigint({text})"),
            _ => text,
        };
        let _ = writeln!(out, "    {read} AS {name},");
        known.push(column.name.to_lowercase());
    }
    // Aliases that are no other column's name.
    let mut aliases = String::new();
    for column in own {
        let alias = column.alias.to_lowercase();
        if !alias.is_empty() && alias != "file" && !known.contains(&alias) {
            let _ = write!(
                aliases,
                ",\n    {} AS {}",
                quoted(&column.name),
                quoted(&alias)
            );
            known.push(alias);
        }
    }
    let files: Vec<_> = files
        .iter()
        .map(|file| format!("'{}'", file.replace('\'', "''")))
        .collect();
    let columns = schema
        .columns()
        .iter()
        .map(|column| format!("'{}': 'VARCHAR'", column.name));
    let mut columns: Vec<_> = columns.collect();
    if schema.columns_on_disk() > columns.len() {
        columns.push("'after': 'VARCHAR'".to_owned());
    }
    let _ = writeln!(
        out,
        "    filename AS file, filename\nFROM read_csv([{}], delim = '|', header = false, quote = '', escape = '', auto_detect = false,\n    \
         null_padding = true, strict_mode = false, filename = true, columns = {{{}}}) AS columns_of_file)\nSELECT *{aliases} FROM typed;",
        files.join(", "),
        columns.join(", ")
    );
    out
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
