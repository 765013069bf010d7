//! Expressions of `--on`: a column, or functions of one.
//!
//! This module parses expressions and evaluates them; [`join`](crate::join) finds their columns.
//! [`fec::derived`](crate::fec::derived) defines the functions. All other expressions are those of [`sql`](crate::sql).

pub(crate) mod arguments;
pub(crate) mod functions;
pub(crate) mod list;

use std::cell::RefCell;
use std::sync::Arc;
use std::{fmt, iter};

use self::arguments::{Arguments, Parameters};
use self::functions::{FUNCTIONS, Function};
use crate::fec::schema::Kind;
use crate::scan::Cell;

/// A key: a column as it stands, or a function of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The function of the column.
    pub function: KeyFunction,
    /// The name, the alias or the number of the column.
    pub column: String,
}

/// A chain of functions of a column: each takes the value of the one before. An empty chain keeps the column's bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyFunction(Option<Arc<Call>>);

/// A call of a function.
#[derive(PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) function: &'static Function,
    pub(crate) arguments: Arguments,
    /// What the function is called on.
    pub(crate) of: KeyFunction,
}

impl KeyFunction {
    /// No function: the bytes of the column as they stand.
    pub const NONE: KeyFunction = KeyFunction(None);

    /// Returns the names of all functions.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FUNCTIONS.iter().map(|function| function.name)
    }

    /// Returns the function with a name, in letters of either case. A function that takes a length or bounds is not found.
    ///
    /// ```
    /// use fecscan::expr::KeyFunction;
    /// assert_eq!(KeyFunction::named("Month").unwrap().name(), Some("month"));
    /// assert_eq!(KeyFunction::named("moon"), None);
    /// assert_eq!(KeyFunction::named("prefix"), None, "prefix(NAME,3) has a length");
    /// ```
    pub fn named(name: &str) -> Option<KeyFunction> {
        let function = functions::named(name).filter(|f| f.parameters == Parameters::None)?;
        Some(KeyFunction::NONE.then(function, Arguments::None))
    }

    /// Returns the name, as typed before the first parenthesis; none for the column as it stands.
    pub fn name(&self) -> Option<&'static str> {
        self.call().map(|call| call.function.name)
    }

    /// Returns the same as a column with the name `column` has it, such as `upper(trim(EMPLOYER))`.
    pub(crate) fn name_of(&self, column: &str) -> String {
        match self.call() {
            None => column.to_owned(),
            Some(Call {
                function,
                arguments,
                of,
            }) => format!("{}({}{arguments})", function.name, of.name_of(column)),
        }
    }

    /// Adds a call of `function` on the values that are made so far.
    pub(crate) fn then(self, function: &'static Function, arguments: Arguments) -> KeyFunction {
        KeyFunction(Some(Arc::new(Call {
            function,
            arguments,
            of: self,
        })))
    }

    #[inline(always)]
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the last call.
    #[inline(always)]
    pub(crate) fn call(&self) -> Option<&Call> {
        self.0.as_deref()
    }

    /// Returns all calls, the last first.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        iter::successors(self.call(), |call| call.of.call())
    }

    /// Returns the kind of the values that are made of a column of this kind.
    pub(crate) fn kind(&self, column: Kind) -> Kind {
        let mut gives = self.calls().map(|call| call.function.gives);
        gives.find_map(|kind| kind).unwrap_or(column)
    }
}

impl Call {
    #[inline(always)]
    fn append(&self, cell: Cell<'_>, out: &mut Vec<u8>) {
        match self.of.call() {
            None => (self.function.append)(cell, &self.arguments, out),
            Some(of) => self.append_nested(of, cell, out),
        }
    }

    #[inline(never)]
    fn append_nested(&self, of: &Call, cell: Cell<'_>, out: &mut Vec<u8>) {
        thread_local! {
            /// Memory for values on their way, one for each call in a call.
            static VALUES: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
        }
        let mut value = VALUES.with_borrow_mut(Vec::pop).unwrap_or_default();
        value.clear();
        of.append(cell, &mut value);
        (self.function.append)(Cell::from(&value[..]), &self.arguments, out);
        VALUES.with_borrow_mut(|values| values.push(value));
    }
}

impl fmt::Debug for KeyFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name_of("column"))
    }
}

/// Appends what a function makes of a column.
#[inline(always)]
pub(crate) fn append(function: &KeyFunction, cell: Cell<'_>, key: &mut Vec<u8>) {
    if let Some(call) = function.call() {
        return call.append(cell, key);
    }
    cell.append_to(key);
}
