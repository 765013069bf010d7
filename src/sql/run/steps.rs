//! The steps of a statement, each of which makes a table: queries within others, windows, unions, and the statement itself.

use std::sync::Arc;

use super::errors;
use super::result_rows::{AllGroups, ResultRows};
use super::rows::RowsFold;
use super::window::{Window, with_windows};
use crate::error::Error;
use crate::fold::{Fold, Matches, Sample, SampleFold, SampleSize};
use crate::memory::available as available_memory;
use crate::sql::filter::Filter;
use crate::sql::groups::{Counts, EagerPlan, GroupsFold};
use crate::sql::join::{HashedTable, JoinedRows, with_semi_joins};
use crate::sql::parse::using_sample::UsingSample;
use crate::sql::plan::{Body, Plan, Source};
use crate::sql::table::set_operation::SetOperation;
use crate::sql::table::{Order, Table};
use crate::sql::types::Type;
use crate::sql::{RunFold, RunOptions};

/// The least rows that are worth the start of workers, which order them.
const SHARED_ROWS: usize = 1 << 16;

/// Makes a table of rows of files, or of the tables that other steps make.
#[derive(Clone, Debug)]
pub(in crate::sql) enum Step {
    Select(Box<Plan>),
    /// A table that is in memory already.
    Given(Arc<Table>),
    /// The rows of a table that is joined with another one.
    Held(Box<Plan>),
    /// The table of another step, with a further column for each window.
    Windows(usize, Vec<Window>),
    Set(SetOperation),
}

/// Runs steps, those first that others need. Steps that none needs do not run.
pub(in crate::sql) struct Runner<'s, R> {
    steps: &'s [Step],
    files: &'s R,
    tables: Vec<Option<Arc<Table>>>,
    /// The bytes that further tables may take.
    room: usize,
    /// What is counted of the rows of files.
    kept: u64,
    unread: Vec<(String, Type, u64)>,
    matches: Vec<Matches>,
    options: RunOptions,
    all_groups: Option<AllGroups>,
}

impl<'s, R: RunFold> Runner<'s, R> {
    pub(in crate::sql) fn new(
        steps: &'s [Step],
        files: &'s R,
        options: RunOptions,
    ) -> Runner<'s, R> {
        Runner {
            steps,
            files,
            options,
            all_groups: None,
            tables: vec![None; steps.len()],
            room: usize::try_from(available_memory() / 2).unwrap_or(usize::MAX),
            kept: 0,
            unread: Vec::new(),
            matches: Vec::new(),
        }
    }

    /// Returns the rows of a step, with titles; none if files have no result.
    ///
    /// # Errors
    /// If a value can't be known, or tables are too large.
    pub(in crate::sql) fn result(
        mut self,
        step: usize,
        titles: &[String],
    ) -> Result<Option<ResultRows>, Error> {
        let table = self.table(step)?;
        self.tables.clear();
        Ok(table.map(|table| ResultRows {
            titles: titles.to_vec(),
            table: Arc::unwrap_or_clone(table),
            kept: self.kept,
            unread: self.unread,
            matches: self.matches,
            all_groups: self.all_groups,
        }))
    }

    /// Returns the table of a step; none if files have no result.
    ///
    /// # Errors
    /// If a value can't be known, or tables are too large.
    pub(in crate::sql) fn table(&mut self, nth: usize) -> Result<Option<Arc<Table>>, Error> {
        if let Some(known) = &self.tables[nth] {
            return Ok(Some(Arc::clone(known)));
        }
        let steps = self.steps;
        let made = match &steps[nth] {
            Step::Select(plan) => self.select(plan, false)?,
            Step::Held(plan) => self.select(plan, true)?,
            Step::Given(table) => return Ok(Some(Arc::clone(table))),
            Step::Windows(of, windows) => {
                let mut windows = windows.clone();
                let mut parts = windows.iter_mut().flat_map(Window::expressions_mut);
                let (Some(table), true) = (self.table(*of)?, self.fill_all(&mut parts)?) else {
                    return Ok(None);
                };
                let made = self.shared(table.len(), || with_windows(&table, &windows));
                Some(made.map_err(|fault| fault.error())?)
            }
            Step::Set(operation) => {
                let [one, other] = operation.of;
                let (Some(one), Some(other)) = (self.table(one)?, self.table(other)?) else {
                    return Ok(None);
                };
                let rows = one.len() + other.len();
                let made = self.shared(rows, || operation.table(&one, &other));
                Some(made.map_err(|fault| fault.error())?)
            }
        };
        let Some(made) = made else { return Ok(None) };
        let room = self.room.checked_sub(made.bytes());
        self.room = room.ok_or_else(errors::no_room_for_tables)?;
        let made = Arc::new(made);
        self.tables[nth] = Some(Arc::clone(&made));
        Ok(Some(made))
    }

    /// Runs a plan, whose rows are held for a join perhaps.
    fn select(&mut self, plan: &Plan, is_held: bool) -> Result<Option<Table>, Error> {
        let Some(mut plan) = self.filled(plan)? else {
            return Ok(None);
        };
        let of = match plan.source {
            Source::Step(of) => match self.table(of)? {
                Some(table) => Some(sampled(table, plan.sample)),
                None => return Ok(None),
            },
            Source::Files(..) => None,
        };
        let Some(joined) = self.hashed(&plan)? else {
            return Ok(None);
        };
        // The scan of files applies what it can of WHERE.
        let filter = match &of {
            Some(_) => Some(Filter::default()),
            None => self.filter(&mut plan, &joined),
        };
        let Some(filter) = filter else {
            return Ok(None);
        };
        let ran = match &plan.body {
            Body::Groups(grouping) => {
                let eager = EagerPlan::of(&plan);
                let eager = eager.as_ref();
                let fold = GroupsFold::new(&plan, grouping, &joined, eager, self.options);
                let partial = match (plan.source, &of) {
                    (Source::Files(files, _), _) => {
                        let folded = self.files.fold_groups(files, filter, &fold);
                        folded.map(|folded| folded.partial)
                    }
                    (Source::Step(_), of) => {
                        let mut partial = fold.partial();
                        of.iter().for_each(|of| fold.add_table(of, &mut partial));
                        Some(partial)
                    }
                };
                let finish = |mut partial| {
                    fold.add_unmatched(&mut partial);
                    if GroupsFold::has_many(&partial) {
                        return self.files.share(|| fold.finish(partial));
                    }
                    fold.finish(partial)
                };
                let finished = partial.map(finish).transpose()?;
                finished.map(|(table, counts, all_groups)| {
                    self.all_groups = all_groups;
                    (table, counts)
                })
            }
            Body::Rows(select) => {
                let fold = RowsFold::new(&plan, select, &joined);
                let partial = match (plan.source, &of) {
                    (Source::Files(files, _), _) => {
                        let folded = self.files.fold(files, filter, &fold);
                        folded.map(|folded| folded.partial)
                    }
                    (Source::Step(_), of) => {
                        let mut partial = fold.partial();
                        of.iter().for_each(|of| fold.add_table(of, &mut partial));
                        Some(partial)
                    }
                };
                if is_held && fold.has_too_many() {
                    return Err(errors::no_room_for_join());
                }
                let finish = |mut partial| {
                    fold.add_unmatched(&mut partial);
                    fold.finish(partial)
                };
                partial.map(finish).transpose()?
            }
        };
        let Some((table, counts)) = ran else {
            return Ok(None);
        };
        let rows = table.len();
        self.count(&plan, &counts);
        // A scan that ends early has not seen all rows.
        let is_whole = plan.limit.is_none() || !plan.orders.is_empty();
        for (join, table) in plan.joins.iter().zip(&joined) {
            self.matches
                .extend(table.take_matches(join).filter(|_| is_whole));
        }
        Ok(Some(self.shared(rows, || finished(&plan, table))))
    }

    /// Runs `work`, and lets the workers share it if it is on many rows.
    pub(super) fn shared<T: Send>(&self, rows: usize, work: impl FnOnce() -> T + Send) -> T {
        if rows >= SHARED_ROWS {
            self.files.share(work)
        } else {
            work()
        }
    }

    /// Returns the rows of files that a plan selects, which are joined perhaps, and which of them the scan keeps.
    pub(in crate::sql) fn rows(
        &mut self,
        plan: &Plan,
    ) -> Result<Option<(Plan, Filter, Option<JoinedRows>)>, Error> {
        let Some(mut plan) = self.filled(plan)? else {
            return Ok(None);
        };
        let Some(tables) = self.hashed(&plan)? else {
            return Ok(None);
        };
        let Some(filter) = self.filter(&mut plan, &tables) else {
            return Ok(None);
        };
        let joined = (!tables.is_empty()).then(|| JoinedRows::of(&mut plan, tables));
        Ok(Some((plan, filter, joined)))
    }

    /// Returns the filter of the scan: the sample, and the conditions that the scan can test, which leave the plan.
    fn filter(&self, plan: &mut Plan, tables: &[HashedTable]) -> Option<Filter> {
        let filter = if tables.is_empty() {
            plan.take_filter()
        } else {
            let filter = plan.take_filter_before_joins();
            with_semi_joins(plan, tables, filter)
        };
        let (Some(UsingSample { size, seed, .. }), Source::Files(files, _)) =
            (plan.sample, plan.source)
        else {
            return Some(filter);
        };
        let sample = match size {
            SampleSize::Share(share) => Sample::of_share(seed, share),
            SampleSize::Rows(rows) => {
                let fold = SampleFold::new(seed, rows);
                let folded = self.files.fold(files, Filter::default(), &fold)?;
                fold.finish(folded.partial)
            }
        };
        Some(filter.of_sample(sample))
    }

    /// Returns the tables that a plan joins, by their keys.
    fn hashed(&mut self, plan: &Plan) -> Result<Option<Vec<HashedTable>>, Error> {
        let mut tables = Vec::new();
        for join in &plan.joins {
            let Some(table) = self.table(join.step)? else {
                return Ok(None);
            };
            tables.push(HashedTable::new(join, table).map_err(|fault| fault.error())?);
        }
        Ok(Some(tables))
    }

    fn count(&mut self, plan: &Plan, counts: &Counts) {
        self.kept = counts.kept;
        let Source::Files(_, schema) = plan.source else {
            return;
        };
        for (read, &count) in plan.read.iter().zip(&counts.unread) {
            if count == 0 {
                continue;
            }
            let column = schema.column_at(read.place);
            let name = column.map_or_else(|| format!("#{}", read.place + 1), |c| c.name.to_owned());
            let told = (name, read.gives, count);
            // Another step may have read the column, too.
            let mut known = self.unread.iter_mut();
            match known.find(|known| known.0 == told.0 && known.1 == told.1) {
                Some(known) => known.2 = known.2.max(count),
                None => self.unread.push(told),
            }
        }
    }
}

/// Returns a table, or the rows of it that are in a sample.
fn sampled(table: Arc<Table>, sample: Option<UsingSample>) -> Arc<Table> {
    sample.map_or(Arc::clone(&table), |sample| {
        let numbers = Sample::numbers(sample.seed, sample.size, table.len());
        Arc::new(table.rows(&numbers))
    })
}

/// Orders and cuts the rows of a plan.
fn finished(plan: &Plan, mut table: Table) -> Table {
    let mut orders = plan.orders.clone();
    if plan.is_distinct {
        let shown: Vec<_> = (0..plan.titles.len()).map(Order::ascending).collect();
        let numbers = table.distinct(&shown);
        table = table.rows(&numbers);
        // Rows that are one row may be of groups with different keys.
        orders.retain(|order| order.column < shown.len());
        orders.extend(shown);
    }
    let mut numbers = match plan.body {
        // These are in their order.
        Body::Rows(_) => (0..table.len()).collect(),
        Body::Groups(_) => table.sorted(&orders, plan.most()),
    };
    numbers.drain(..plan.offset.min(numbers.len()));
    numbers.truncate(plan.limit.unwrap_or(usize::MAX));
    // Those for orders alone are no longer asked for.
    table.columns.truncate(plan.titles.len());
    if numbers.len() < table.len() || !numbers.is_sorted() {
        table = table.rows(&numbers);
    }
    table
}
