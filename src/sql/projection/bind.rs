//! Finds the columns of a select list in the rows of a schema.

use std::collections::{HashMap, HashSet};

use ahash::RandomState;
use sqlparser::ast::{
    self, Expr, SelectItem, SelectItemQualifiedWildcardKind, Spanned, WildcardAdditionalOptions,
};

use super::{
    ColumnKind, Derivation, ExportColumn, ExportColumns, SelectList, Source, Types, ValueForm,
};
use crate::error::{Error, ErrorKind, escaped};
use crate::fec::origin::ORIGIN;
use crate::fec::schema::Schema;
use crate::join::Partners;
use crate::sql::bind;
use crate::sql::expression::{Expression, Node};
use crate::sql::file::{Read, type_of};
use crate::sql::messages::Wrong;
use crate::sql::names::{Clause, RowNames};
use crate::sql::plan::{Body, Plan};
use crate::sql::select::{excluded, title_of};
use crate::sql::types::Type;

impl ExportColumns {
    /// Finds the columns of `list`. Without any, the result has all columns of `schema`.
    ///
    /// # Errors
    /// A usage error if neither the schema nor a joined file has a column, if types do not fit, or if two columns have one name.
    pub(crate) fn bind(
        list: &SelectList,
        types: Types,
        form: ValueForm,
        schema: Schema,
        partners: &Partners,
    ) -> Result<ExportColumns, Error> {
        let mut bound = Binding::new(types, form, ColumnKind::Column);
        let mut names = RowNames::new(schema, partners, Clause::List);
        if list.is_empty() {
            bound.push_all(&names, &[]);
        }
        for part in &list.parts {
            for item in &part.items {
                let pushed = bound.push_item(item, &mut names);
                pushed.map_err(|wrong| wrong.error_in(&part.text))?;
            }
        }
        bound.columns.refuse_one_name()?;
        Ok(bound.columns)
    }

    /// Returns the columns of a plan of rows, whose values have types.
    pub(in crate::sql) fn of_plan(plan: &Plan, form: ValueForm, schema: Schema) -> ExportColumns {
        let mut bound = Binding::new(Types::Typed, form, ColumnKind::Made);
        let names = plan
            .read
            .iter()
            .map(|read| match schema.column_at(read.place) {
                Some(column) => column.name.to_owned(),
                None => format!("#{}", read.place + 1),
            });
        let names: Vec<_> = names.collect();
        if let Body::Rows(select) = &plan.body {
            for (title, of) in plan.titles.iter().zip(select) {
                bound.push(title.clone(), of, &plan.read, &names);
            }
        }
        bound.columns
    }

    fn refuse_one_name(&self) -> Result<(), Error> {
        let mut names: HashSet<&str, RandomState> = HashSet::default();
        let Some(twice) = self
            .columns
            .iter()
            .find(|column| !names.insert(&column.name))
        else {
            return Ok(());
        };
        let name = escaped(twice.name.as_bytes());
        let what = format!("the column {name} is there twice");
        Err(Error::new(ErrorKind::Usage, what).advise(format!(
            "name it once, give one of them another name with AS, or write * EXCLUDE ({name})"
        )))
    }
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

    fn push_item(&mut self, item: &SelectItem, names: &mut RowNames<'_>) -> Result<(), Wrong> {
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
                if table.eq_ignore_ascii_case(&names.table.name) {
                    return self.push_own(item, options, names);
                }
                self.push_joined(table, item, options, names)
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
        names: &mut RowNames<'_>,
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
        names: &RowNames<'_>,
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

    fn push_all(&mut self, names: &RowNames<'_>, excluded: &[String]) {
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
                joined: None,
            };
            self.push_column(column.name.to_owned(), &read, column.name);
        }
    }

    /// Adds the columns of a joined table.
    fn push_joined(
        &mut self,
        table: &str,
        item: &SelectItem,
        options: &WildcardAdditionalOptions,
        names: &mut RowNames<'_>,
    ) -> Result<(), Wrong> {
        let span = item.span();
        let schema = names.partners.joined_schema(table);
        let schema = schema.ok_or_else(|| Wrong::no_table(table, span))?;
        let check = |name: &str| {
            let found = schema.column(name).map(|_| ());
            found.map_err(|error| Wrong::of_error(&error, span))
        };
        let excluded = excluded(options, item, &check)?;
        for place in schema.shown_places() {
            let column = &schema.columns()[place];
            if !is_among(column.name, column.alias, &excluded) {
                let name = |name: &str| ast::Ident {
                    span,
                    ..ast::Ident::new(name)
                };
                let tree = Expr::CompoundIdentifier(vec![name(table), name(column.name)]);
                self.push_tree(&tree, None, names)?;
            }
        }
        Ok(())
    }

    /// Adds an expression, whose columns are those of `read`, which have these names.
    pub(super) fn push(&mut self, title: String, of: &Expression, read: &[Read], names: &[String]) {
        if let Node::Column(nth) = of.of {
            return self.push_column(title, &read[nth], &names[nth]);
        }
        let mut of = of.clone();
        of.each_column_mut(&mut |nth| *nth = self.number(&read[*nth], &names[*nth]));
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
        let is_of_line = read.joined.is_none() && read.place < ORIGIN && !read.has_line_breaks;
        let mut column = ExportColumn {
            name: title,
            source: Source::Label,
            kind: match self.types {
                Types::Typed => (self.kind)(read.gives),
                // A row without a match has no value.
                Types::Expressions if read.joined.is_some() => ColumnKind::Made(Type::Varchar),
                _ => ColumnKind::Text,
            },
            read_name: read_name.to_owned(),
            // Whole numbers of a file identify something.
            is_number: matches!(read.gives, Type::Decimal(_)),
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
