//! The program as its users meet it: formats, exit statuses, and one clear message for everything
//! that goes wrong.

mod by;
mod by_formats;
mod columns;
mod derived_conditions;
mod diff;
mod effects;
mod export;
mod export_inputs;
mod formats;
mod hostile;
mod html;
mod info;
mod inputs;
mod join_conditions;
mod joined_files;
mod joins;
mod manual;
mod options;
mod outputs;
mod refusals;
mod schemas;
mod sql;
mod terminal;

use crate::common::program::Ended;

const PLAIN: &str = "fixtures/plain.txt";

/// A run that printed `out` and nothing else.
fn done(out: &str) -> Ended {
    Ended {
        status: 0,
        out: out.to_owned(),
        err: String::new(),
    }
}
