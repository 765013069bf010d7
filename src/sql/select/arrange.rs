//! Decides which of joined tables is read as it comes, and which ones are held in memory.

use super::joins::BoundJoin;
use super::queries::Queries;
use crate::sql::expression::Expression;
use crate::sql::file::Read;
use crate::sql::filter::conjuncts;
use crate::sql::plan::{Body, Join, Plan, Source, all_of};
use crate::sql::run::steps::Step;
use crate::sql::scope::ScopeTable;
use crate::sql::types::Type;

/// Lets a plan read one table as it comes, and hold the others in memory.
pub(super) fn arrange(
    plan: &mut Plan,
    tables: &[ScopeTable],
    joins: &[BoundJoin],
    queries: &mut Queries<'_>,
) {
    let read = std::mem::take(&mut plan.read);
    // The plan keeps these conditions: the table that is read as it comes needs them.
    let are_inner = joins.iter().all(|join| join.keeps == [false; 2]);
    let filter = plan.filter.iter().filter(|_| are_inner);
    let conditions = filter.flat_map(conjuncts).filter(|of| !of.may_fail());
    let mut arranging = Arranging {
        tables,
        read: &read,
        joins,
        conditions: conditions.cloned().collect(),
        queries,
    };
    let rows = arranging.rows(tables.len());
    plan.renumber(&|nth| rows.place(nth));
    plan.source = rows.source;
    plan.read = rows.read;
    plan.joins = rows.joins;
}

/// Decides how tables are joined.
struct Arranging<'a, 'q, 'f> {
    tables: &'a [ScopeTable],
    /// The columns in the order in which the binder has read them.
    read: &'a [Read],
    joins: &'a [BoundJoin],
    /// The conditions of WHERE that can choose rows before they are held.
    conditions: Vec<Expression>,
    queries: &'q mut Queries<'f>,
}

/// The rows of joined tables.
struct JoinedRows {
    source: Source,
    read: Vec<Read>,
    joins: Vec<Join>,
    /// The columns by their numbers for the binder, and their types.
    columns: Vec<(usize, Type)>,
    name: String,
}

impl JoinedRows {
    /// Returns the number of a column.
    fn place(&self, nth: usize) -> usize {
        let mut columns = self.columns.iter();
        let place = columns.position(|column| column.0 == nth);
        place.expect("the column is read")
    }

    /// Says whether an expression reads some of these columns, and no others.
    fn have_all_of(&self, of: &Expression) -> bool {
        let (mut count, mut has_all) = (0, true);
        of.each_column(&mut |nth| {
            count += 1;
            has_all &= self.columns.iter().any(|column| column.0 == nth);
        });
        count > 0 && has_all
    }
}

impl Arranging<'_, '_, '_> {
    /// Returns the rows of the first tables. The one of the most bytes is read as it comes.
    fn rows(&mut self, tables: usize) -> JoinedRows {
        let largest = (0..tables).rev().max_by_key(|nth| self.tables[*nth].bytes);
        let largest = largest.expect("there is a table");
        let mut rows = self.table(largest);
        if largest > 0 {
            let before = self.rows(largest);
            let join = &self.joins[largest - 1];
            let [left, right] = &join.keys;
            let keeps = [join.keeps[1], join.keeps[0]];
            self.add(&mut rows, before, [right, left], join, keeps);
        }
        for nth in largest + 1..tables {
            let table = self.table(nth);
            let join = &self.joins[nth - 1];
            let [left, right] = &join.keys;
            self.add(&mut rows, table, [left, right], join, join.keeps);
        }
        rows
    }

    /// Returns the rows of one table.
    fn table(&self, nth: usize) -> JoinedRows {
        let read = self.read.iter().enumerate();
        let read = read.filter(|(_, read)| read.table == nth);
        let table = &self.tables[nth];
        JoinedRows {
            source: table.source,
            joins: Vec::new(),
            columns: read.clone().map(|(at, read)| (at, read.gives)).collect(),
            read: read.map(|(_, read)| read.clone()).collect(),
            name: table.name.clone(),
        }
    }

    /// Joins rows with others, which are held in memory.
    fn add(
        &mut self,
        rows: &mut JoinedRows,
        held: JoinedRows,
        keys: [&[Expression]; 2],
        join: &BoundJoin,
        keeps: [bool; 2],
    ) {
        let numbered = |of: &[Expression], rows: &JoinedRows| {
            let mut of = of.to_vec();
            for of in &mut of {
                of.each_column_mut(&mut |nth| *nth = rows.place(*nth));
            }
            of
        };
        let keys = [numbered(keys[0], rows), numbered(keys[1], &held)];
        let before = rows.columns.iter().map(|column| column.1).collect();
        let names = [rows.name.clone(), held.name.clone()];
        rows.columns.extend(&held.columns);
        rows.name = names.join(" and ");
        let condition = join.condition.as_slice();
        let condition = numbered(condition, rows).pop();
        let own = self.conditions.iter().filter(|of| held.have_all_of(of));
        let own: Vec<_> = own.cloned().collect();
        let filter = all_of(numbered(&own, &held));
        let select = held.columns.iter().enumerate();
        let select = select.map(|(nth, (_, gives))| Expression::column(nth, *gives));
        let select: Vec<_> = select.collect();
        let step = self.queries.push(Step::Held(Box::new(Plan {
            source: held.source,
            read: held.read,
            joins: held.joins,
            sample: None,
            filter,
            titles: vec![String::new(); select.len()],
            body: Body::Rows(select),
            orders: Vec::new(),
            is_distinct: false,
            limit: None,
            offset: 0,
        })));
        rows.joins.push(Join {
            step,
            keys,
            condition,
            keeps,
            before,
            names,
            is_decided: false,
        });
    }
}
