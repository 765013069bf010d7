//! Files to be joined, as a user names them.

use std::ffi::{OsStr, OsString};

use crate::error::Error;
use crate::expr::Key;
use crate::expr::list::{Role, as_typed, parse_key, unquoted};
use crate::fec::schema::Schema;

/// A file to be joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// The path of the file.
    pub path: OsString,
    pub(crate) on: Option<On>,
}

/// How scanned rows lead to the rows of a named table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct On {
    /// The name of the table.
    pub(crate) name: String,
    /// The expression of a scanned row.
    pub(crate) key: Key,
    /// The column of the table that has the same value.
    pub(crate) column: String,
}

impl Join {
    /// Returns a join of committees, candidates or links by the FEC's own keys.
    pub fn new(path: impl AsRef<OsStr>) -> Join {
        Join {
            path: path.as_ref().to_owned(),
            on: None,
        }
    }

    /// Returns a join of any table under a name, as in `zip5(ZIP_CODE)=geo.zip`: an expression of the scanned rows, the
    /// name, and a column of the table.
    ///
    /// ```
    /// use fecscan::join::Join;
    /// assert!(Join::on("zip.csv", "zip5(zip)=geo.zip").is_ok());
    /// assert_eq!(Join::on("zip.csv", "geo.zip=zip5(zip)")?, Join::on("zip.csv", "zip5(zip)=geo.zip")?);
    /// assert!(Join::on("zip.csv", "zip5(zip)=zip").is_err());
    /// # Ok::<(), fecscan::Error>(())
    /// ```
    ///
    /// # Errors
    /// A usage error for another form, an unknown function, or a name that a schema has.
    pub fn on(path: impl AsRef<OsStr>, on: &str) -> Result<Join, Error> {
        Ok(Join {
            path: path.as_ref().to_owned(),
            on: Some(On::parse(on)?),
        })
    }

    /// Returns the name of the table, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.on.as_ref().map(|on| on.name.as_str())
    }

    /// Returns how rows lead to the table, if it has a name. Columns have their names in the schema of the rows.
    pub fn canonical(&self, scanned: Schema) -> Option<String> {
        let On { name, key, column } = self.on.as_ref()?;
        let place = scanned.column(&key.column).ok();
        let known = place.and_then(|place| scanned.column_at(place));
        let key = key.name_of(&as_typed(known.map_or(&key.column, |column| column.name)));
        Some(format!("{key}={name}.{}", as_typed(column)))
    }
}

impl On {
    fn parse(text: &str) -> Result<On, Error> {
        let wrong = |what: &str| {
            Error::usage(format!("'{text}' {what}")).advise(
                "write an expression of the rows, and a column of a joined table: 'zip5(ZIP_CODE)=geo.zip'",
            )
        };
        let sides = text.rsplit_once('=').unwrap_or((text, ""));
        let names_table = |side: &str| {
            let parts = side.trim().split_once('.');
            parts.is_some_and(|(name, _)| check_name(name).is_ok())
        };
        let (key, to) = match sides {
            (to, key) if names_table(to) && !names_table(key) => (key, to),
            sides => sides,
        };
        let Some((name, column)) = to.trim().split_once('.') else {
            return Err(wrong("does not say which column of which table is meant"));
        };
        check_name(name)?;
        let key =
            parse_key(key.trim(), Role::Join).unwrap_or_else(|| Err(wrong("has no expression")))?;
        let column = unquoted(column.trim())?;
        if column.is_empty() {
            return Err(wrong("names no column"));
        }
        let name = name.to_owned();
        Ok(On { name, key, column })
    }
}

/// Says whether `text` has the form of a table's name.
pub fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    bytes
        .next()
        .is_some_and(|byte| is_part(byte) && !byte.is_ascii_digit())
        && bytes.all(is_part)
}

fn check_name(name: &str) -> Result<(), Error> {
    if !is_name(name) {
        return Err(Error::usage(format!("'{name}' is no name of a table"))
            .advise("a name has letters, digits and _, and begins with no digit"));
    }
    let mut schemas = Schema::ALL.into_iter();
    if schemas.any(|schema| schema.name().eq_ignore_ascii_case(name)) {
        return Err(
            Error::usage(format!("{name} is the name of a schema of the FEC's"))
                .advise(format!("choose another for the table, such as {name}2")),
        );
    }
    Ok(())
}
