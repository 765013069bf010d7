//! What is said on standard error. If even that can't be written, nobody is listening.

use std::fmt::Display;
use std::io::Write;

use super::{Outcome, open_output};

/// Prints one line, with the program's name in front.
pub fn print(message: &impl Display) {
    let _ = writeln!(std::io::stderr(), "fecscan: {message}");
}

/// Prints what the parser of arguments has to say: help or the version on standard output, errors
/// on standard error.
pub fn of_clap(said: &clap::Error) -> Outcome {
    let text = said.render();
    if said.use_stderr() {
        let text = text.to_string();
        let _ = write!(
            std::io::stderr(),
            "fecscan: {}",
            text.strip_prefix("error: ").unwrap_or(&text)
        );
        return Outcome::Failed;
    }
    let written = open_output(None).and_then(|mut output| {
        output.write_all(text.to_string().as_bytes())?;
        output.finish()
    });
    match written {
        Err(error) if !error.is_closed_pipe() => {
            print(&error);
            Outcome::Failed
        }
        _ => Outcome::Done,
    }
}
