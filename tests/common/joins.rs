//! The slow twin of joins: it splits lines, and keeps whole rows in maps.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::PathBuf;

use fecscan::fec::schema::Schema;
use fecscan::generate::{Block, Generator, Recipe, RowQuality};
use fecscan::input::{Io, OpenOptions};
use fecscan::sql::{GivenTables, Join};
use tempfile::TempDir;

use super::condition::regex;
use super::run::{Setting, Way, mapped};
use super::twin::{columns, lines_of};
use Schema::{Ccl, Cm, Cn};

/// A column, counted from one: of the scanned rows, or of a joined file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Own(usize),
    Joined(Schema, usize),
}

pub use Place::{Joined, Own};

/// A key as typed, and the twin's parts of it: functions of columns.
pub type Keys = (&'static str, &'static [(Made, Place)]);

/// A function of a column.
#[derive(Clone, Copy, Debug)]
pub enum Made {
    All,
    Match(&'static str),
}

pub const ALL: Made = Made::All;
pub const ZIP5: Made = Made::Match("(?-u)^[0-9]{5}");

/// Joined files, each a schema and its rows by key.
pub struct Twin(Vec<(Schema, Rows)>);

type Rows = HashMap<Vec<u8>, Vec<Vec<u8>>>;

/// A scanned row, and for each joined file the row that it is joined with.
#[derive(Clone)]
pub struct JoinedRow<'a> {
    pub line: &'a [u8],
    partners: Vec<(Schema, Option<&'a [u8]>)>,
}

impl<'a> JoinedRow<'a> {
    pub fn partner(&self, schema: Schema) -> Option<&'a [u8]> {
        let mut partners = self.partners.iter();
        partners.find(|(of, _)| *of == schema)?.1
    }

    /// Returns a value; that of a row without a partner is empty.
    pub fn value(&self, place: Place) -> &'a [u8] {
        match place {
            Own(number) => column(self.line, number),
            Joined(schema, number) => {
                let row = self.partner(schema);
                row.map_or(&b""[..], |row| column(row, number))
            }
        }
    }
}

/// The columns of identifiers, counted from one: CMTE_ID and CAND_ID.
pub fn identifiers(schema: Schema) -> (Option<usize>, Option<usize>) {
    match schema {
        Schema::Pas2 => (Some(1), Some(17)),
        Schema::Cm => (Some(1), Some(15)),
        Schema::Cn => (None, Some(1)),
        Schema::Ccl => (Some(4), Some(1)),
        _ => (Some(1), None),
    }
}

pub fn column(line: &[u8], number: usize) -> &[u8] {
    columns(line).get(number - 1).copied().unwrap_or_default()
}

impl Twin {
    pub fn new(files: &[(Schema, &[u8])]) -> Twin {
        let mut tables: Vec<(Schema, Rows)> = Vec::new();
        for (schema, bytes) in files {
            let key = match schema {
                Cn => 1,
                Ccl => 4,
                _ => 1,
            };
            let nth = tables.iter().position(|(known, _)| known == schema);
            let nth = nth.unwrap_or_else(|| {
                tables.push((*schema, Rows::new()));
                tables.len() - 1
            });
            for line in lines_of(bytes) {
                let rows = tables[nth].1.entry(column(line, key).to_vec());
                rows.or_default().push(line.to_vec());
            }
        }
        Twin(tables)
    }

    /// Returns the files in the order in which they are joined: each behind the one that leads to it.
    fn in_order(&self, scanned: Schema) -> Vec<&(Schema, Rows)> {
        let waits = |schema: Schema| schema == Cn && identifiers(scanned).1.is_none();
        let mut tables: Vec<_> = self.0.iter().collect();
        if let Some(cn) = tables.iter().position(|(schema, _)| waits(*schema)) {
            let table = tables.remove(cn);
            let link = tables
                .iter()
                .position(|(schema, _)| [Cm, Ccl].contains(schema));
            let behind = link.map_or(cn, |link| cn.max(link + 1));
            tables.insert(behind, table);
        }
        tables
    }

    /// Returns the rows that a line makes, and counts for each file those without a partner there.
    pub fn joined<'a>(
        &'a self,
        scanned: Schema,
        line: &'a [u8],
        lacking: &mut BTreeMap<&'static str, u64>,
    ) -> Vec<JoinedRow<'a>> {
        let partners = Vec::new();
        let mut rows = vec![JoinedRow { line, partners }];
        let (committee, candidate) = identifiers(scanned);
        let tables = self.in_order(scanned);
        for (nth, (schema, table)) in tables.iter().enumerate() {
            let mut links = tables[..nth].iter().map(|(schema, _)| *schema);
            let link = links.find(|schema| [Cm, Ccl].contains(schema));
            let mut made = Vec::new();
            for row in rows {
                let key = match (schema, candidate) {
                    (Cn, Some(candidate)) => Some(column(line, candidate)),
                    (Cn, None) => {
                        let link = link.expect("a link is joined");
                        let row = row.partner(link);
                        row.map(|row| column(row, identifiers(link).1.unwrap()))
                    }
                    _ => Some(column(line, committee.unwrap())),
                };
                let found = key.and_then(|key| table.get(key));
                let found = found.map_or(&[][..], |rows| rows);
                let with = |partner: Option<&'a [u8]>| {
                    let mut row = row.clone();
                    row.partners.push((*schema, partner));
                    row
                };
                if found.is_empty() {
                    *lacking.entry(schema.name()).or_default() += 1;
                    made.push(with(None));
                }
                made.extend(found.iter().map(|partner| with(Some(partner))));
            }
            rows = made;
        }
        rows
    }

    /// Returns all rows that lines make.
    pub fn all<'a>(&'a self, scanned: Schema, bytes: &'a [u8]) -> Vec<JoinedRow<'a>> {
        let lines = lines_of(bytes).into_iter();
        let mut lacking = BTreeMap::new();
        lines
            .flat_map(|line| self.joined(scanned, line, &mut lacking))
            .collect()
    }

    /// Counts rows by keys, of which those of rows without a partner are empty.
    pub fn groups(
        &self,
        scanned: Schema,
        bytes: &[u8],
        keys: &[(Made, Place)],
    ) -> BTreeMap<Vec<Vec<u8>>, u64> {
        let mut groups = BTreeMap::new();
        for row in self.all(scanned, bytes) {
            let key = keys.iter().map(|(made, place)| made.of(row.value(*place)));
            *groups.entry(key.collect()).or_default() += 1;
        }
        groups
    }

    /// Returns the number of rows without a partner in a joined file.
    pub fn without(&self, scanned: Schema, bytes: &[u8], joined: Schema) -> u64 {
        let mut lacking = BTreeMap::new();
        for line in lines_of(bytes) {
            self.joined(scanned, line, &mut lacking);
        }
        lacking.get(joined.name()).copied().unwrap_or_default()
    }
}

impl Made {
    pub fn of(self, value: &[u8]) -> Vec<u8> {
        match self {
            Made::All => value.to_vec(),
            Made::Match(expression) => {
                let compiled = regex(expression);
                let found = compiled.captures(value);
                let found = found
                    .as_ref()
                    .and_then(|found| found.iter().flatten().last());
                found.map_or(Vec::new(), |found| found.as_bytes().to_vec())
            }
        }
    }
}

pub fn generated(schema: Schema, rows: u64, quality: RowQuality) -> Vec<u8> {
    let mut recipe = Recipe::default();
    recipe.schema = schema;
    recipe.quality = quality;
    recipe.seed = 7;
    let generator = Generator::new(recipe);
    let mut buffer = Block::default();
    let (blocks, rows_of) = Generator::blocks(rows);
    let mut bytes = Vec::new();
    for block in 0..blocks {
        bytes.extend_from_slice(generator.render(block, rows_of(block), &mut buffer));
    }
    bytes
}

/// Files of one seed, and files with odd rows, on disk.
pub struct Files {
    pub folder: TempDir,
    pub joined: Vec<(Schema, Vec<u8>)>,
}

impl Files {
    pub fn new(joined: Vec<(Schema, Vec<u8>)>) -> Files {
        let folder = tempfile::tempdir().unwrap();
        for (nth, (schema, bytes)) in joined.iter().enumerate() {
            let path = folder.path().join(format!("{}_{nth}.txt", schema.name()));
            fs::write(path, bytes).unwrap();
        }
        Files { folder, joined }
    }

    pub fn paths(&self) -> Vec<PathBuf> {
        let names = self.joined.iter().enumerate();
        let names = names.map(|(nth, (schema, _))| format!("{}_{nth}.txt", schema.name()));
        names.map(|name| self.folder.path().join(name)).collect()
    }

    pub fn twin(&self) -> Twin {
        let files = self
            .joined
            .iter()
            .map(|(schema, bytes)| (*schema, &bytes[..]));
        Twin::new(&files.collect::<Vec<_>>())
    }

    pub fn write(&self, schema: Schema, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(schema.file_name());
        fs::write(&path, bytes).unwrap();
        path
    }

    pub fn given(&self, setting: &Setting) -> GivenTables {
        let mut opening = OpenOptions::default();
        opening.io = match setting.way {
            Way::Mapped => mapped(),
            _ => Io::read(),
        };
        let options = setting.engine().options();
        let joins: Vec<_> = self.paths().into_iter().map(Join::new).collect();
        GivenTables::open(&joins, &opening, options).unwrap()
    }
}

/// Rows of cm, cn and ccl of one seed: whole ones, or spoiled ones with keys that occur twice, empty and
/// long ones, short rows and carriage returns.
pub fn joined_files(quality: RowQuality, committees: u64, candidates: u64) -> Files {
    let rows = |schema, count| generated(schema, count, quality);
    let mut files = vec![
        (Cm, rows(Cm, committees)),
        (Cn, rows(Cn, candidates)),
        (Ccl, rows(Ccl, candidates)),
    ];
    if quality != RowQuality::Clean {
        let first = |bytes: &[u8]| lines_of(bytes)[0].to_vec();
        let again = first(&files[0].1);
        let id = column(&again, 1).to_vec();
        let more = [
            &again[..],
            b"\n\r\n\n|EMPTY KEY|\n",
            b"C00000000000000000000000000000000000001|A LONG KEY||||||90049|||DEM\n",
            &id,
            b"|ANOTHER ONE||||||90049||||REP|||||TOO|MANY\r\nC00990001|NO NEWLINE",
        ];
        files[0].1.extend(more.concat());
    }
    Files::new(files)
}

pub fn scanned_rows(schema: Schema, rows: u64, quality: RowQuality) -> Vec<u8> {
    let mut bytes = generated(schema, rows, quality);
    if quality != RowQuality::Clean {
        bytes.extend_from_slice(
            b"\n|\nC00990001\nC0000000000000000000000000000000000000\nC00990001\0|x\n\
              C00000000000000000000000000000000000001|N\nC99999999|||||||A\r\nC00990000",
        );
    }
    bytes
}
