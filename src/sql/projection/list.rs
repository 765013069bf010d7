//! Select lists, as they are typed.

use sqlparser::ast::{SelectItem, Spanned};

use crate::error::Error;
use crate::sql::messages::Wrong;
use crate::sql::parse;
use crate::sql::parse::tokens::{self, REGEXES_MOST};

/// The select list of rows: columns, expressions of them, and `*`, each with a name perhaps. An empty one stands for all columns.
///
/// ```
/// use fecscan::export::SelectList;
/// let mut list = SelectList::default();
/// list.add("NAME, year(date) AS year")?;
/// assert!(list.add("sum(amount").is_err());
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectList {
    pub(in crate::sql) parts: Vec<ListPart>,
}

/// Items that were typed at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sql) struct ListPart {
    pub(in crate::sql) text: String,
    pub(in crate::sql) items: Vec<SelectItem>,
}

impl SelectList {
    /// Adds items such as `NAME, year(date) AS year` and `* EXCLUDE (MEMO_TEXT)`.
    ///
    /// # Errors
    /// If the text is no list of SQL. The error names the line and the column.
    pub fn add(&mut self, text: &str) -> Result<(), Error> {
        let items = parse::select_list(text).map_err(|wrong| wrong.error_in(text))?;
        let texts = self.parts.iter().map(|part| &*part.text).chain([text]);
        if texts.map(tokens::regexes).sum::<usize>() > REGEXES_MOST {
            let span = items[0].span();
            return Err(Wrong::too_many_regexes(REGEXES_MOST, span).error_in(text));
        }
        let text = text.to_owned();
        self.parts.push(ListPart { text, items });
        Ok(())
    }

    /// Says whether no columns are named.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.items.len()).sum()
    }

    /// Returns the items as SQL.
    pub fn items(&self) -> impl Iterator<Item = String> {
        let parts = self.parts.iter().flat_map(|part| &part.items);
        parts.map(ToString::to_string)
    }
}
