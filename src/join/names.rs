//! Columns of scanned rows and of their partners, by name.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{CANDIDATE, COMMITTEE, JOINABLE, JoinedColumn, LINKS, Partners, key_column};
use crate::error::{Error, escaped};
use crate::expr::KeyFunction;
use crate::expr::list::{Role, as_typed};
use crate::fec::origin::{self, ORIGIN};
use crate::fec::schema::{Schema, nearest};

/// A column that a name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The column of the scanned rows that must be read, counted from zero.
    pub(crate) place: usize,
    /// The column of a joined file that it leads to, if the name means that.
    pub(crate) joined: Option<JoinedColumn>,
}

/// How rows lead to a joined table.
#[cfg_attr(
    not(feature = "cli"),
    expect(dead_code, reason = "the program shows statements")
)]
pub(crate) struct JoinKey<'p> {
    /// The name of the table.
    pub(crate) name: &'static str,
    /// The names of its files.
    pub(crate) files: &'p [String],
    /// An expression of the rows, or of a table before, and the column that equals it.
    pub(crate) equal: [String; 2],
}

impl Found {
    /// Returns a column of the scanned rows.
    pub(crate) fn own(place: usize) -> Found {
        let joined = None;
        Found { place, joined }
    }

    /// Returns the schema that has the column, and its place there. Rows of `scanned` are scanned.
    pub(crate) fn schema_and_place(&self, scanned: Schema) -> (Schema, usize) {
        let joined = self.joined.as_ref();
        joined.map_or((scanned, self.place), |column| {
            (column.schema, column.column)
        })
    }
}

impl Partners {
    /// Finds a column for rows of `scanned`, by name, alias or number, as [`Schema::column`] does.
    ///
    /// A name or an alias of the scanned rows means theirs. Otherwise it means that of the first joined
    /// file that has it. `cm.CAND_ID`, `cm.candidate` and `cm.#15` always mean the joined file's.
    ///
    /// # Errors
    /// A usage error for an unknown column: it suggests the nearest name, or the file to join. If the rows
    /// do not lead to the joined file.
    pub(crate) fn column(&self, scanned: Schema, name: &str) -> Result<Found, Error> {
        if let Some(found) = self.qualified(scanned, name)? {
            return Ok(found);
        }
        match self.by_name(scanned, name) {
            Some((None, place)) => Ok(Found::own(place)),
            Some((Some(schema), place)) => self.joined(scanned, schema, place),
            None => Err(self.unknown(scanned, name)),
        }
    }

    /// Returns the joined schema, or none for `scanned` itself, and the column that a name without a dot
    /// means.
    fn by_name(&self, scanned: Schema, name: &str) -> Option<(Option<Schema>, usize)> {
        let own = scanned.named(name).or_else(|| scanned.numbered(name));
        let joined = || {
            let mut schemas = self.schemas().filter(|schema| schema.layout().is_none());
            schemas.find_map(|schema| Some((Some(schema), schema.named(name)?)))
        };
        let of_inputs = || Some((None, origin::named(name)?));
        own.map(|place| (None, place))
            .or_else(joined)
            .or_else(of_inputs)
    }

    /// Returns the shortest name of a column for rows of `scanned`.
    pub(crate) fn shown(&self, scanned: Schema, found: &Found) -> String {
        let (schema, place) = found.schema_and_place(scanned);
        let Some(column) = schema.column_at(place) else {
            return format!("#{}", place + 1);
        };
        let meant = self.by_name(scanned, column.name);
        if found.joined.is_some() && meant != Some((Some(schema), place)) {
            format!("{}.{}", schema.name(), column.name)
        } else {
            column.name.to_owned()
        }
    }

    /// Returns for each joined table its name, its files, and what of rows of `scanned`, which are called `own`, equals which column of it.
    ///
    /// # Errors
    /// If the rows do not lead to a table.
    #[cfg_attr(
        not(feature = "cli"),
        expect(dead_code, reason = "the program shows statements")
    )]
    pub(crate) fn keys(&self, scanned: Schema, own: &str) -> Result<Vec<JoinKey<'_>>, Error> {
        let key = |table: &super::Table| -> Result<[String; 2], Error> {
            let name = table.schema.name();
            let column = |name: &str| as_typed(name);
            if let Some(on) = &table.on {
                let of = match scanned.column(&on.key.column) {
                    Ok(place) => {
                        let known = scanned.column_at(place).map(|column| column.name);
                        format!("{own}.{}", column(known.unwrap_or(&on.key.column)))
                    }
                    Err(_) => on.key.column.clone(),
                };
                return Ok([
                    on.key.function.name_of(&of),
                    format!("{name}.{}", column(&on.column)),
                ]);
            }
            let key = key_column(table.schema);
            let to = exact(table.schema, key).unwrap_or_default();
            let found = self.joined(scanned, table.schema, to)?;
            let through = found
                .joined
                .as_ref()
                .and_then(|joined| joined.path().nth(1));
            let link = through.map_or(own, |through| through.schema.name());
            Ok([format!("{link}.{key}"), format!("{name}.{key}")])
        };
        let keys = self.known().iter().map(|table| {
            Ok(JoinKey {
                name: table.schema.name(),
                files: &table.files,
                equal: key(table)?,
            })
        });
        keys.collect()
    }

    /// Returns the schema of a joined table, by the name of its schema or its own.
    pub(crate) fn joined_schema(&self, name: &str) -> Option<Schema> {
        self.schemas()
            .find(|schema| schema.name().eq_ignore_ascii_case(name))
    }

    /// Resolves `cm.CAND_ID`. Returns none unless the name of a schema or a joined table stands before the dot.
    fn qualified(&self, scanned: Schema, name: &str) -> Result<Option<Found>, Error> {
        let Some((file, column)) = name.split_once('.') else {
            return Ok(None);
        };
        let is_it = |schema: &Schema| schema.name().eq_ignore_ascii_case(file.trim());
        let mut tables = self.tables.iter().map(|table| table.schema);
        let named = tables.find(is_it);
        let Some(schema) = named.or_else(|| Schema::ALL.into_iter().find(is_it)) else {
            return Ok(None);
        };
        let shown = escaped(name.as_bytes());
        if schema.layout().is_some() && scanned.named(name).is_some() {
            let what = format!("'{shown}' is a column of the rows, and one of a joined table");
            return Err(Error::usage(what).advise("join the table under another name"));
        }
        let is_joined = self.table(schema).is_some();
        if !is_joined && named.is_some() {
            let what = format!("{file} is joined later than the table that it leads to");
            return Err(Error::usage(what).advise("put its --with before that of the table"));
        }
        if !is_joined && schema != scanned {
            if !JOINABLE.contains(&schema) {
                return Ok(None);
            }
            let what = format!("'{shown}' names a file that is not joined");
            return Err(Error::usage(what).advise(self.advice_to_join(scanned, schema)));
        }
        match schema.column(column.trim())? {
            ORIGIN.. if is_joined => Err(schema.unknown_column(column.trim())),
            place if is_joined => self.joined(scanned, schema, place).map(Some),
            place => Ok(Some(Found::own(place))),
        }
    }

    /// Finds the way from rows of `scanned` to a column of a joined file.
    pub(super) fn joined(
        &self,
        scanned: Schema,
        schema: Schema,
        column: usize,
    ) -> Result<Found, Error> {
        let found = |place, function, through| {
            self.mark_used(schema);
            let joined = Some(JoinedColumn {
                schema,
                column,
                function,
                through,
            });
            Ok(Found { place, joined })
        };
        if let Some(on) = self.table(schema).and_then(|table| table.on.as_ref()) {
            let mut before = self.clone();
            before.known = self.table_place(schema);
            let made = on.key.function.clone();
            let Found { place, joined } = on.key.bind(scanned, &before, Role::Join)?;
            return match joined {
                None => found(place, made, None),
                Some(column) => {
                    let of_row = column.function.clone();
                    found(place, of_row, Some((Arc::new(column), made)))
                }
            };
        }
        if let Some(id) = exact(scanned, key_column(schema)) {
            return found(id, KeyFunction::NONE, None);
        }
        let file = self.file_name(schema);
        let scanned_name = scanned.name();
        match exact(scanned, COMMITTEE).filter(|_| schema == Schema::Cn) {
            Some(id) => {
                let Some(link) = self.link() else {
                    return Err(Error::usage(format!(
                        "{scanned_name} has no column {CANDIDATE}, by which rows are joined with {file}"
                    ))
                    .advise("join the committees as well: add --with cm.txt or --with ccl.txt"));
                };
                self.mark_used(link);
                let candidate = JoinedColumn {
                    schema: link,
                    column: exact(link, CANDIDATE).expect("links name candidates"),
                    function: KeyFunction::NONE,
                    through: None,
                };
                let through = (Arc::new(candidate), KeyFunction::NONE);
                found(id, KeyFunction::NONE, Some(through))
            }
            None => {
                let key = key_column(schema);
                Err(Error::usage(format!(
                    "{scanned_name} has no column {key}, by which rows are joined with {file}"
                ))
                .advise(format!("leave out the columns of {file}")))
            }
        }
    }

    /// Returns the schema by which a committee leads to its candidate. A CAND_ID without a file means its column as well.
    fn link(&self) -> Option<Schema> {
        self.schemas().find(|schema| LINKS.contains(schema))
    }

    fn mark_used(&self, schema: Schema) {
        if let Some(table) = self.table(schema) {
            table.is_used.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the schemas of the joined files, in the order given.
    fn schemas(&self) -> impl Iterator<Item = Schema> {
        self.known().iter().map(|table| table.schema)
    }

    fn unknown(&self, scanned: Schema, name: &str) -> Error {
        let mut others = JOINABLE
            .into_iter()
            .filter(|&schema| self.can_join(scanned, schema));
        let mut tables = self.schemas();
        let has_it = |schema: &Schema| schema.layout().is_some() && schema.named(name).is_some();
        let table = tables.find(has_it).map(Schema::name);
        let other = others.find(|schema| schema.named(name).is_some());
        let advice = match (table, other) {
            (Some(table), _) => format!(
                "it is a column of {table}: write {table}.{}",
                escaped(name.as_bytes())
            ),
            (None, Some(schema)) => format!(
                "it is a column of {}: {}",
                schema.name(),
                self.advice_to_join(scanned, schema)
            ),
            (None, None) if self.is_empty() => return scanned.unknown_column(name),
            (None, None) => self.suggestion(scanned, name),
        };
        let joined: Vec<_> = self.schemas().map(Schema::name).collect();
        let (scanned, name) = (scanned.name(), escaped(name.as_bytes()));
        let what = match &joined[..] {
            [] => format!("{scanned} has no column '{name}'"),
            [one] => format!("neither {scanned} nor {one} has a column '{name}'"),
            several => format!(
                "none of {scanned}, {} has a column '{name}'",
                several.join(", ")
            ),
        };
        Error::usage(what).advise(advice)
    }

    /// Says whether rows of `scanned` lead to `schema`, which is not joined yet.
    fn can_join(&self, scanned: Schema, schema: Schema) -> bool {
        let leads = exact(scanned, key_column(schema)).is_some();
        let through_committee = schema == Schema::Cn && exact(scanned, COMMITTEE).is_some();
        schema != scanned && self.table(schema).is_none() && (leads || through_committee)
    }

    /// Returns what to type to join `schema`.
    fn advice_to_join(&self, scanned: Schema, schema: Schema) -> String {
        let leads = exact(scanned, key_column(schema)).is_some();
        if leads || self.link().is_some() {
            format!("add --with {}", schema.file_name())
        } else {
            format!("add --with cm.txt --with {}", schema.file_name())
        }
    }

    /// Returns the nearest name, or else all names.
    fn suggestion(&self, scanned: Schema, name: &str) -> String {
        let mut names = Vec::new();
        let schemas = [None].into_iter().chain(self.schemas().map(Some));
        for joined in schemas {
            let schema = joined.unwrap_or(scanned);
            for (place, column) in schema.columns().iter().enumerate() {
                let known = [column.name, column.alias].into_iter();
                names.extend(known.filter(|known| !known.is_empty()).map(|known| {
                    let is_plain = self.by_name(scanned, known) == Some((joined, place));
                    let qualified = || format!("{}.{known}", schema.name());
                    let shown = if is_plain {
                        known.to_owned()
                    } else {
                        qualified()
                    };
                    (shown, joined)
                }));
            }
        }
        let near = nearest(name, names.iter().map(|(known, _)| known.as_str()));
        let near = near.and_then(|near| names.iter().find(|(known, _)| known == near));
        if let Some((near, schema)) = near {
            return match schema {
                None => format!("did you mean {near}?"),
                Some(schema) => format!("did you mean {near}, of {}?", self.file_name(*schema)),
            };
        }
        let columns = |schema: Schema| {
            let names = schema.columns().iter().map(|column| column.name);
            names.collect::<Vec<_>>().join(", ")
        };
        let own = format!("{} has {}", scanned.name(), columns(scanned));
        let lists = self.schemas().map(|schema| {
            let file = self.file_name(schema);
            format!("{file} has {}", columns(schema))
        });
        let lists: Vec<_> = [own].into_iter().chain(lists).collect();
        lists.join("; ")
    }
}

/// Returns the place of the column with this name, but not alias.
pub(crate) fn exact(schema: Schema, name: &str) -> Option<usize> {
    schema
        .columns()
        .iter()
        .position(|column| column.name == name)
}
