//! Several groupings in one pass.

use std::sync::Arc;

use super::across::Across;
use super::partial::Partial;
use super::{ByFold, GroupQuestion, Grouped};
use crate::coding::Reader;
use crate::error::Error;
use crate::fold::{FileLines, Fold, Folded, Origin, StoredFold};
use crate::input::Part;
use crate::join::Partners;
use crate::scan::{Need, Rows};

/// The fold that groups the same rows in several ways.
#[derive(Debug)]
pub struct GroupingSets {
    /// A fold for each question. With a key across, each question has a second fold, which groups by that key too.
    folds: Vec<ByFold>,
    across: bool,
}

impl GroupingSets {
    /// Returns a fold that answers `question`, and the same with the keys `also` instead. The values of the key `across` become columns
    /// of all answers: those of the first aggregate, or of the count.
    ///
    /// # Errors
    /// See [`GroupQuestion::new`].
    pub fn new(
        question: GroupQuestion,
        also: impl IntoIterator<Item = impl AsRef<str>>,
        across: Option<&str>,
    ) -> Result<GroupingSets, Error> {
        let mut questions = vec![question];
        for keys in also {
            questions.push(questions[0].also(keys.as_ref())?);
        }
        if let Some(key) = across {
            let pair = |question: GroupQuestion| {
                let with_key = question.across(key)?;
                Ok([question, with_key])
            };
            let pairs = questions.into_iter().map(pair);
            let pairs = pairs.collect::<Result<Vec<_>, Error>>()?;
            questions = pairs.into_iter().flatten().collect();
        }
        Ok(GroupingSets {
            folds: questions.into_iter().map(ByFold::new).collect(),
            across: across.is_some(),
        })
    }

    /// Returns the first question.
    pub(crate) fn question(&self) -> &GroupQuestion {
        &self.folds[0].question
    }

    /// Returns the first question with the key that goes across.
    pub(crate) fn question_across(&self) -> Option<&GroupQuestion> {
        self.across.then(|| &self.folds[1].question)
    }

    /// Returns the questions after the first one, without the key that goes across.
    pub(crate) fn further(&self) -> impl Iterator<Item = &GroupQuestion> {
        let step = 1 + usize::from(self.across);
        let folds = self.folds.iter().step_by(step).skip(1);
        folds.map(|fold| &fold.question)
    }

    /// Returns the same fold, whose questions may name columns of joined files.
    #[must_use]
    pub fn with_partners(self, partners: &Partners) -> GroupingSets {
        let folds = self.folds.into_iter();
        let folds = folds.map(|fold| fold.with_partners(partners.clone()));
        GroupingSets {
            folds: folds.collect(),
            ..self
        }
    }

    /// Returns the groups of each question.
    ///
    /// # Errors
    /// See [`ByFold::grouped`]. If the key that goes across has too many values.
    pub fn grouped(&self, folded: Folded<Vec<Partial>>) -> Result<Vec<Grouped>, Error> {
        let Folded {
            files,
            lines,
            lines_scanned,
            odd_rows,
            unread,
            without_partner,
            partial,
            numbered,
            repeated_names,
        } = folded;
        let answers = self.folds.iter().zip(partial).map(|(fold, partial)| {
            fold.grouped(Folded {
                files: files.clone(),
                lines,
                lines_scanned,
                odd_rows,
                unread,
                without_partner: without_partner.clone(),
                partial,
                numbered: numbered.clone(),
                repeated_names: repeated_names.clone(),
            })
        });
        if !self.across {
            return answers.collect();
        }
        let answers: Vec<_> = answers.collect::<Result<_, _>>()?;
        let mut answers = answers.into_iter();
        let mut with_columns = Vec::new();
        while let (Some(mut grouped), Some(cells)) = (answers.next(), answers.next()) {
            grouped.across = Some(Across::new(&mut grouped, cells)?);
            with_columns.push(grouped);
        }
        Ok(with_columns)
    }

    /// Checks that a run has not ended early.
    ///
    /// # Errors
    /// If it has found too many groups.
    pub fn check_room(&self) -> Result<(), Error> {
        self.folds.iter().try_for_each(ByFold::check_room)
    }
}

impl Fold for GroupingSets {
    type Partial = Vec<Partial>;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        let mut columns = Vec::new();
        for fold in &self.folds {
            columns.extend(fold.columns_of(part)?);
        }
        Ok(Need::Rows(columns))
    }

    fn partial(&self) -> Vec<Partial> {
        self.folds.iter().map(ByFold::partial).collect()
    }

    fn rows(&self, rows: &Rows<'_>, partials: &mut Vec<Partial>) -> Result<(), Error> {
        let mut first = 0;
        for (fold, partial) in self.folds.iter().zip(partials) {
            let columns = first..first + fold.columns();
            first = columns.end;
            fold.rows(&rows.with_columns(columns), partial)?;
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.folds.iter().any(ByFold::is_over)
    }

    fn after_chunk(&self) -> Result<(), Error> {
        self.folds.iter().try_for_each(ByFold::after_chunk)
    }

    fn merge(&self, into: &mut Vec<Partial>, from: Vec<Partial>) {
        for (into, from) in into.iter_mut().zip(from) {
            into.merge(from);
        }
    }
}

impl StoredFold for GroupingSets {
    /// Writes the partial of one question after the other.
    fn store(
        &self,
        _: &[FileLines],
        partials: Vec<Partial>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let mut pairs = self.folds.iter().zip(partials);
        pairs.try_for_each(|(fold, partial)| fold.store(&partial, out))
    }

    fn load(&self, origin: &Origin<'_>, state: &Arc<Vec<u8>>) -> Result<Vec<Partial>, Error> {
        let mut reader = Reader(state);
        let folds = self.folds.iter();
        let partials = folds.map(|fold| fold.load(origin, state, &mut reader));
        let partials = partials.collect::<Result<_, Error>>()?;
        reader.end()?;
        Ok(partials)
    }

    fn check_merged(&self, merged: &mut Vec<Partial>) -> Result<(), Error> {
        let mut pairs = self.folds.iter().zip(merged);
        pairs.try_for_each(|(fold, merged)| fold.check_merged(merged))
    }
}
