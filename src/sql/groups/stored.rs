//! Groups of a partial as they are written down: what was counted, the matches of joined tables, and for each grouping set its groups, its
//! distinct values and its best rows.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::bests::BestTypes;
use super::composed::OF_ALL;
use super::numbers::value_of;
use super::{BEST_BYTES, Counts, GroupsFold, Partial, SetGroups};
use crate::coding::{Damaged, Reader, check};
use crate::error::Error;
use crate::fold::key_words::KEY_SEPARATOR;
use crate::fold::tables::{NO_NUMBER, States, Table, Totals, separators_in};
use crate::fold::{FileLines, Fold, Order, Origin, StoredFold};
use crate::input::Part;
use crate::sql::keys;
use crate::sql::types::Type;

/// A part of the inputs.
#[derive(Clone, Debug)]
pub(super) struct InputPart {
    /// The path of the input.
    input: OsString,
    /// Its own path, which has the name of a member of an archive.
    path: OsString,
}

impl InputPart {
    pub(super) fn of(part: &Part) -> InputPart {
        InputPart {
            input: part.input_path().to_owned(),
            path: part.path(),
        }
    }

    /// Returns the number of the input among `files`, and that of the part in it. `number` is that of the part in the run.
    fn place(&self, number: u64, files: &[FileLines]) -> [u64; 2] {
        let input = files.iter().position(|file| file.path == self.input);
        let input = input.expect("rows are of the inputs that were read");
        let file = &files[input];
        let part = match (file.is_plain(), file.slices()) {
            (true, _) => 0,
            // The upper half is the place of the input in a merge.
            (false, []) => number & u64::from(u32::MAX),
            (false, slices) => {
                let member = &self.path.as_bytes()[self.input.len()..];
                let mut names = slices.iter().map(|slice| slice.name.as_bytes());
                let place = names.position(|name| member.strip_prefix(b": ") == Some(name));
                place.expect("a slice is one of the archive") as u64
            }
        };
        [input as u64, part]
    }
}

impl StoredFold for GroupsFold<'_> {
    fn store(
        &self,
        files: &[FileLines],
        mut partial: Partial,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let joined = self.join_waiting(&mut partial);
        joined.map_err(|fault| fault.error())?;
        self.check()?;
        self.refuse_too_many_merged(&partial)?;
        partial.counts.store(out);
        self.joined.iter().for_each(|table| table.store(out));
        let places: BTreeMap<_, _> = partial
            .parts
            .iter()
            .map(|(number, part)| (*number, part.place(*number, files)))
            .collect();
        let place = |chunk: u32| places[&partial.chunks[chunk as usize]];
        let types = self.best_types();
        for set in &partial.sets {
            set.tables().for_each(|table| table.store(out));
            let place: &dyn Fn(u32) -> [u64; 2] = &place;
            set.bests
                .store(&types, self.has_places().then_some(place), out);
        }
        Ok(())
    }

    fn load(
        &self,
        origin: &Origin<'_>,
        state: &Arc<Vec<u8>>,
        reader: &mut Reader<'_>,
    ) -> Result<Partial, Error> {
        let mut partial = self.partial();
        partial.counts = Counts::load(origin.lines, partial.counts.unread.len(), reader)?;
        self.check_kept(partial.counts.kept, origin.lines)?;
        for table in self.joined {
            table.load(reader)?;
        }
        let mut chunks = Chunks::new(origin);
        let types = self.best_types();
        for (set, keys) in partial.sets.iter_mut().zip(&self.grouping.sets) {
            self.load_set(set, keys, partial.counts.kept, state, reader)?;
            let mut chunk = |part| chunks.number_of(part);
            let chunk: &mut dyn FnMut([u64; 2]) -> Result<u32, Damaged> = &mut chunk;
            let chunk = self.has_places().then_some(chunk);
            set.bests.load(&types, chunk, reader)?;
        }
        (partial.chunks, partial.parts) = (chunks.chunks, chunks.parts);
        Ok(partial)
    }

    /// Counts the merged groups each time that the groups of all partials have doubled, so that a merge of too many ends early.
    fn check_merged(&self, merged: &mut Partial) -> Result<(), Error> {
        let groups = merged.stored_groups();
        if groups > merged.counted_at.saturating_mul(2).max(self.room.most) {
            merged.counted_at = groups;
            self.refuse_too_many_merged(merged)?;
        }
        Ok(())
    }
}

impl GroupsFold<'_> {
    /// Returns the types of the values of aggregates whose best row is kept.
    fn best_types(&self) -> Vec<BestTypes> {
        let bests = self.layout.bests.iter();
        let types = bests.map(|(nth, _)| {
            let of = &self.grouping.aggregates[*nth].of;
            let mut types = of.iter().map(|of| of.gives).rev();
            (types.next().expect("it is of something"), types.next())
        });
        types.collect()
    }

    /// Says whether the places of best rows decide between equal ones.
    fn has_places(&self) -> bool {
        self.order() == Order::Input
    }

    /// Checks how many rows a partial of this many `lines` kept. A line and its matches are a row for each combination.
    fn check_kept(&self, kept: u64, lines: u64) -> Result<(), Damaged> {
        let matches = self.joined.iter().map(|table| table.rows() as u128 + 1);
        let most = matches.fold(u128::from(lines), u128::saturating_mul);
        check(u128::from(kept) <= most)?;
        let add = |rows: u64| rows.checked_add(kept);
        let added = self
            .rows_read
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        added.map(|_| ()).map_err(|_| Damaged)
    }

    /// Reads the groups and the distinct values of a set with these keys, which has this number of rows.
    fn load_set(
        &self,
        set: &mut SetGroups,
        keys: &[usize],
        kept: u64,
        state: &Arc<Vec<u8>>,
        reader: &mut Reader<'_>,
    ) -> Result<(), Damaged> {
        let is_group =
            |key: &[u8], totals: &Totals| self.is_key(key, keys) && self.are_totals(totals);
        check(set.groups.load(&is_group, state, reader)? == kept)?;
        let separators = keys.len().saturating_sub(1) + 1;
        let is_value = |key: &[u8], _: &Totals| separators_in(key) == separators;
        for table in &mut set.distinct {
            check(table.load(&is_value, state, reader)? <= kept)?;
        }
        Ok(())
    }

    /// Says whether a key has a value for each of these keys, written as this program writes it.
    fn is_key(&self, key: &[u8], keys: &[usize]) -> bool {
        let [first, others @ ..] = keys else {
            return key == [OF_ALL];
        };
        let is_right = |part: &[u8], nth: usize| {
            let (form, of) = (self.keys[nth], self.grouping.keys[nth].gives);
            keys::value_of(part, of, form).is_some()
        };
        let mut parts = key.split(|byte| *byte == KEY_SEPARATOR);
        let has_first = parts.next().is_some_and(|part| is_right(part, *first));
        has_first
            && others
                .iter()
                .all(|nth| parts.next().is_some_and(|part| is_right(part, *nth)))
            && parts.next().is_none()
    }

    /// Says whether the states of the only group stand for values of their types. Sums of any numbers do.
    fn are_totals(&self, totals: &Totals) -> bool {
        let mut kept = self.layout.kept.iter().enumerate();
        kept.all(|(nth, (states, column))| {
            let of = self.grouping.aggregates[self.layout.numbers[*column]].of_type();
            let is_of = |number: i128| value_of(number, of).is_of(of) && is_written(number, of);
            match states {
                States::Total(_) => true,
                States::Least(_) | States::Greatest(_) => totals.value(nth, 0).is_none_or(is_of),
                States::Distribution(_) => {
                    let mut runs = totals.runs(nth, 0).iter();
                    runs.all(|(number, _)| is_of((*number).into()))
                }
            }
        })
    }

    /// Refuses partials whose groups, merged, are too many.
    fn refuse_too_many_merged(&self, partial: &Partial) -> Result<(), Error> {
        if partial.stored_groups() <= self.room.most {
            return Ok(());
        }
        let tables = partial.sets.iter().flat_map(SetGroups::tables);
        let groups = tables.fold(0_u64, |counted, table| {
            match self.room.most.checked_sub(counted) {
                None => counted,
                Some(left) => counted + table.merged_groups(left),
            }
        });
        if groups > self.room.most {
            self.room.count(groups);
        }
        self.check()
    }
}

/// Says whether a number that stands for a value is the one that rows would have made.
fn is_written(number: i128, of: Type) -> bool {
    match of {
        Type::Boolean => matches!(number, 0 | 1),
        Type::Date => u32::try_from(number).is_ok(),
        _ => number != i128::from(NO_NUMBER),
    }
}

impl SetGroups {
    /// Returns the groups and the distinct values.
    fn tables(&self) -> impl Iterator<Item = &Table> {
        [&self.groups].into_iter().chain(&self.distinct)
    }
}

impl Partial {
    /// Returns the number of groups of all partials, before equal keys are merged, or of groups that would take as much memory.
    fn stored_groups(&self) -> u64 {
        let groups = |set: &SetGroups| {
            let groups: u64 = set.tables().map(Table::stored_groups).sum();
            groups + set.bests.bytes as u64 / BEST_BYTES
        };
        self.sets.iter().map(groups).sum()
    }
}

/// The parts of the inputs of a partial that was read. Each stands for all chunks in it.
struct Chunks<'o> {
    files: &'o [FileLines],
    /// For each input of the partial its place in the merge.
    inputs: Vec<(usize, OsString)>,
    numbers: BTreeMap<u64, u32>,
    chunks: Vec<u64>,
    parts: BTreeMap<u64, InputPart>,
}

impl<'o> Chunks<'o> {
    fn new(origin: &Origin<'o>) -> Chunks<'o> {
        let inputs = (0..origin.files.len()).map(|input| {
            let place = (origin.place)(input, 0);
            (place.input, place.path.to_owned())
        });
        Chunks {
            files: origin.files,
            inputs: inputs.collect(),
            numbers: BTreeMap::new(),
            chunks: Vec::new(),
            parts: BTreeMap::new(),
        }
    }

    /// Returns the number of the chunk of a part of an input.
    fn number_of(&mut self, [input, part]: [u64; 2]) -> Result<u32, Damaged> {
        let nth = usize::try_from(input).map_err(|_| Damaged)?;
        let file = self.files.get(nth).ok_or(Damaged)?;
        let part = u32::try_from(part).map_err(|_| Damaged)?;
        let (place, path) = &self.inputs[nth];
        let slice = match (file.is_plain(), file.slices()) {
            (true, _) => {
                check(part == 0)?;
                None
            }
            (false, []) => None,
            (false, slices) => Some(slices.get(part as usize).ok_or(Damaged)?),
        };
        let number = (*place as u64) << 32 | u64::from(part);
        if let Some(known) = self.numbers.get(&number) {
            return Ok(*known);
        }
        let chunk = self.chunks.len() as u32;
        self.numbers.insert(number, chunk);
        self.chunks.push(number);
        let mut of_part = path.clone();
        if let Some(slice) = slice {
            of_part.push(": ");
            of_part.push(&slice.name);
        }
        self.parts.insert(
            number,
            InputPart {
                input: path.clone(),
                path: of_part,
            },
        );
        Ok(chunk)
    }
}
