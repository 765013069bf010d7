//! Finds the columns of a select list in the rows of a schema.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ahash::RandomState;
use sqlparser::ast::{
    self, Expr, SelectItem, SelectItemQualifiedWildcardKind, Spanned, WildcardAdditionalOptions,
};

use super::{
    ColumnKind, Derivation, ExportColumn, ExportColumns, JOINED, JoinedColumns, SelectList, Source,
    Types, ValueForm,
};
use crate::error::{Error, ErrorKind, escaped};
use crate::fec::origin::ORIGIN;
use crate::fec::schema::Schema;
use crate::sql::bind;
use crate::sql::expression::{Expression, Node};
use crate::sql::file::{Read, type_of};
use crate::sql::join::JoinedRows;
use crate::sql::messages::Wrong;
use crate::sql::names::{Clause, RowNames};
use crate::sql::plan::{Body, Plan};
use crate::sql::select::{excluded, title_of};
use crate::sql::types::Type;

impl ExportColumns {
    /// Finds the columns of `list`. Without any, the result has all columns of `schema`.
    ///
    /// # Errors
    /// A usage error if the schema lacks a column, if types do not fit, or if two columns have one name.
    pub(crate) fn bind(
        list: &SelectList,
        types: Types,
        form: ValueForm,
        schema: Schema,
    ) -> Result<ExportColumns, Error> {
        let mut bound = Binding::new(types, form, ColumnKind::Column);
        let mut names = RowNames::new(schema, Clause::List);
        if list.is_empty() {
            bound.push_all(&names, &[]);
        }
        for part in &list.parts {
            for item in &part.items {
                let pushed = bound.push_item(item, &mut names);
                pushed.map_err(|wrong| wrong.error_in(&part.text))?;
            }
        }
        let names: Vec<_> = { bound.columns.columns.iter() }
            .map(|of| &*of.name)
            .collect();
        refuse_one_name(&names)?;
        Ok(bound.columns)
    }

    /// Returns the columns of a plan of rows, which may be joined. `kind` says what a column of a file is.
    pub(in crate::sql) fn of_plan(
        plan: &Plan,
        joined: Option<&Arc<JoinedRows>>,
        form: ValueForm,
        types: Types,
        kind: fn(Type) -> ColumnKind,
        schema: Schema,
    ) -> ExportColumns {
        let mut bound = Binding::new(types, form, kind);
        let name_of = |read: &Read| match schema.column_at(read.place) {
            Some(column) => column.name.to_owned(),
            None => format!("#{}", read.place + 1),
        };
        bound.columns.joined = joined.map(|joined| JoinedColumns {
            read_from: { joined.read.iter() }
                .map(|read| (bound.located(read.place), name_of(read)))
                .collect(),
            columns: Vec::new(),
            rows: Arc::clone(joined),
        });
        let names: Vec<_> = plan.read.iter().map(name_of).collect();
        if let Body::Rows(select) = &plan.body {
            for (title, of) in plan.titles.iter().zip(select) {
                bound.push(title.clone(), of, &plan.read, &names);
            }
        }
        bound.columns
    }
}

/// Refuses two columns of one name.
pub(in crate::sql) fn refuse_one_name<N: AsRef<str>>(names: &[N]) -> Result<(), Error> {
    let mut known: HashSet<&str, RandomState> = HashSet::default();
    let mut names = names.iter().map(AsRef::as_ref);
    let Some(twice) = names.find(|name| !known.insert(name)) else {
        return Ok(());
    };
    let name = escaped(twice.as_bytes());
    let what = format!("the column {name} is there twice");
    Err(Error::new(ErrorKind::Usage, what).advise(format!(
        "name it once, give one of them another name with AS, or write * EXCLUDE ({name})"
    )))
}

/// Columns on their way. There may be ten thousands, and each is looked up.
pub(super) struct Binding {
    columns: ExportColumns,
    types: Types,
    /// The kind of columns of files that are read as a type.
    kind: fn(Type) -> ColumnKind,
    /// For each column of the rows the number among those that are located.
    places: HashMap<usize, usize, RandomState>,
    /// The columns that expressions share. Each of the others is written by itself, and counts its own values.
    of_expressions: Vec<usize>,
}

impl Binding {
    pub(super) fn new(types: Types, form: ValueForm, kind: fn(Type) -> ColumnKind) -> Binding {
        Binding {
            columns: ExportColumns {
                columns: Vec::new(),
                located: Vec::new(),
                form,
                derived: Vec::new(),
                read: Vec::new(),
                read_from: Vec::new(),
                joined: None,
            },
            types,
            kind,
            places: HashMap::default(),
            of_expressions: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> ExportColumns {
        self.columns
    }

    fn push_item(&mut self, item: &SelectItem, names: &mut RowNames) -> Result<(), Wrong> {
        match item {
            SelectItem::UnnamedExpr(tree) => self.push_tree(tree, None, names),
            SelectItem::ExprWithAlias { alias, .. } if alias.value.is_empty() => {
                let instead = "write AS name";
                Err(Wrong::other("a column has no name", instead, alias.span))
            }
            SelectItem::ExprWithAlias { expr, alias } => self.push_tree(expr, Some(alias), names),
            SelectItem::Wildcard(options) => self.push_own(item, options, names),
            SelectItem::QualifiedWildcard(
                SelectItemQualifiedWildcardKind::ObjectName(table),
                options,
            ) => {
                let table = table.to_string();
                let table = table.trim_matches('"');
                if !table.eq_ignore_ascii_case(&names.table.name) {
                    return Err(Wrong::no_table(table, item.span()));
                }
                self.push_own(item, options, names)
            }
            other => {
                let instead = "write * or the columns";
                Err(Wrong::unsupported(&other.to_string(), instead, item.span()))
            }
        }
    }

    fn push_tree(
        &mut self,
        tree: &Expr,
        alias: Option<&ast::Ident>,
        names: &mut RowNames,
    ) -> Result<(), Wrong> {
        let of = bind::expression(tree, names)?;
        let title = match (alias, &of.of) {
            (Some(alias), _) => alias.value.clone(),
            (None, Node::Column(nth)) => names.shown[*nth].clone(),
            (None, _) => title_of(tree),
        };
        self.push(title, &of, &names.read, &names.shown);
        Ok(())
    }

    /// Adds the columns of the rows that a wildcard stands for.
    fn push_own(
        &mut self,
        item: &SelectItem,
        options: &WildcardAdditionalOptions,
        names: &RowNames,
    ) -> Result<(), Wrong> {
        let span = item.span();
        let check = |name: &str| {
            let is_there = names.table.has(name).then_some(());
            is_there.ok_or_else(|| names.table.unknown(name, span))
        };
        let excluded = excluded(options, item, &check)?;
        self.push_all(names, &excluded);
        Ok(())
    }

    fn push_all(&mut self, names: &RowNames, excluded: &[String]) {
        let schema = names.schema;
        let is_of_fec = schema.layout().is_none();
        for place in schema.shown_places() {
            let column = &schema.columns()[place];
            if is_among(column.name, column.alias, excluded) {
                continue;
            }
            let read = Read {
                table: 0,
                place,
                gives: type_of(column, is_of_fec),
                has_line_breaks: names.table.has_line_breaks,
            };
            self.push_column(column.name.to_owned(), &read, column.name);
        }
    }

    /// Adds an expression, whose columns are those of `read`, which have these names.
    pub(super) fn push(&mut self, title: String, of: &Expression, read: &[Read], names: &[String]) {
        let of_file = |nth: usize| Some((read.get(nth)?, &names[nth]));
        if let Node::Column(nth) = of.of {
            return match of_file(nth) {
                Some((read, name)) => self.push_column(title, read, name),
                None => self.push_joined(title, nth, of.gives),
            };
        }
        let mut of = of.clone();
        of.each_column_mut(&mut |nth| {
            *nth = match of_file(*nth) {
                Some((read, name)) => self.number(read, name),
                None => self.joined(*nth),
            }
        });
        let kind = match (self.types, of.gives) {
            (Types::Raw, _) => ColumnKind::Text,
            (_, Type::Null) => ColumnKind::Made(Type::Varchar),
            (_, gives) => ColumnKind::Made(gives),
        };
        let is_number = of.gives.is_number();
        self.push_derived(
            of,
            ExportColumn {
                name: title,
                source: Source::Label,
                kind,
                read_name: String::new(),
                is_number,
            },
        );
    }

    /// Adds a column of the rows at this place, as it stands there.
    pub(super) fn push_in_row(&mut self, title: String, place: usize) {
        let source = Source::Row(self.located(place));
        self.columns.columns.push(ExportColumn {
            name: title,
            source,
            kind: ColumnKind::Text,
            read_name: String::new(),
            is_number: false,
        });
    }

    fn push_column(&mut self, title: String, read: &Read, read_name: &str) {
        let is_text = self.types != Types::Typed || read.gives == Type::Varchar;
        // Rows may be copied line by line, and no line has columns of inputs.
        let is_of_line = read.place < ORIGIN && !read.has_line_breaks;
        let mut column = ExportColumn {
            name: title,
            source: Source::Label,
            kind: match self.types {
                Types::Typed => (self.kind)(read.gives),
                _ => ColumnKind::Text,
            },
            read_name: read_name.to_owned(),
            // Whole numbers of a file identify something.
            is_number: matches!(read.gives, Type::Decimal(..)),
        };
        if is_of_line && (is_text || self.columns.form == ValueForm::Binary) {
            column.source = Source::Row(self.located(read.place));
            if is_text {
                column.kind = ColumnKind::Text;
            }
            return self.columns.columns.push(column);
        }
        let mut read = read.clone();
        if is_text {
            read.gives = Type::Varchar;
        }
        let of = Expression::column(self.columns.read.len(), read.gives);
        self.push_read(&read, read_name);
        self.push_derived(of, column);
    }

    /// Adds a column of a joined table, which has no value in a row without a match.
    fn push_joined(&mut self, title: String, nth: usize, gives: Type) {
        let of = Expression::column(self.joined(nth), gives);
        let column = ExportColumn {
            name: title,
            source: Source::Label,
            kind: match self.types {
                Types::Typed => (self.kind)(gives),
                Types::Expressions => ColumnKind::Made(Type::Varchar),
                Types::Raw => ColumnKind::Text,
            },
            read_name: String::new(),
            is_number: matches!(gives, Type::Decimal(..)),
        };
        self.push_derived(of, column);
    }

    /// Adds a column whose values are derived.
    fn push_derived(&mut self, of: Expression, mut column: ExportColumn) {
        let columns = &mut self.columns;
        let has_nulls = column.kind.may_be_null();
        let form = if has_nulls {
            columns.form
        } else {
            ValueForm::Text
        };
        column.source = Source::Derived(columns.derived.len());
        columns.columns.push(column);
        columns.derived.push(Derivation {
            of,
            form,
            has_nulls,
        });
    }

    /// Returns the number in expressions of a column of a joined table, which has this number in the plan.
    fn joined(&mut self, nth: usize) -> usize {
        let joined = self.columns.joined.as_mut();
        let columns = &mut joined
            .expect("the column is that of a joined table")
            .columns;
        let known = columns.iter().position(|known| *known == nth);
        JOINED
            + known.unwrap_or_else(|| {
                columns.push(nth);
                columns.len() - 1
            })
    }

    /// Returns the number of a column in expressions.
    fn number(&mut self, read: &Read, name: &str) -> usize {
        let of_expressions = self.of_expressions.iter().copied();
        let known = { of_expressions }.find(|&nth| self.columns.read[nth] == *read);
        known.unwrap_or_else(|| {
            self.push_read(read, name);
            let nth = self.columns.read.len() - 1;
            self.of_expressions.push(nth);
            nth
        })
    }

    fn push_read(&mut self, read: &Read, name: &str) {
        let located = self.located(read.place);
        self.columns.read.push(read.clone());
        self.columns.read_from.push((located, name.to_owned()));
    }

    /// Returns the number of a column of the rows among those that are located.
    fn located(&mut self, place: usize) -> usize {
        let located = &mut self.columns.located;
        *self.places.entry(place).or_insert_with(|| {
            located.push(place);
            located.len() - 1
        })
    }
}

/// Says whether a list has a name of a column.
fn is_among(name: &str, alias: &str, list: &[String]) -> bool {
    list.iter().any(|known| {
        let known = known.trim_matches('"');
        known.eq_ignore_ascii_case(name) || !alias.is_empty() && known.eq_ignore_ascii_case(alias)
    })
}
