//! Opens and writes outputs.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use crate::error::{Error, ErrorKind, escaped};
use crate::input::name_of;
use crate::output::{Escape, Output, is_standard_output};
use crate::render::{self, Answer, Format, Show};

use super::{Outcome, command_line, messages, options, usage, was_closed};
use crate::cli::LookOptions;

/// Opens the output at `path`, by default standard output. It replaces none of the files that the run has `read`.
///
/// # Errors
/// If it can't be opened, is one of these files, or is standard output and was closed when the program started.
pub(super) fn open(path: Option<&Path>, read: &[OsString]) -> Result<Output, Error> {
    refuse_input(read, path)?;
    if was_closed(libc::STDOUT_FILENO) && path.is_none_or(is_standard_output) {
        let name = path.filter(|path| *path != Path::new("-"));
        let closed = io::Error::from_raw_os_error(libc::EBADF);
        return Err(Error::io(ErrorKind::Output, "can't be written", closed)
            .about(name.unwrap_or("standard output".as_ref())));
    }
    Output::open(path)
}

/// Says whether the output at `path`, by default standard output, is a terminal.
pub(super) fn is_terminal(path: Option<&Path>) -> bool {
    match path.filter(|path| !is_standard_output(path)) {
        None => io::stdout().is_terminal(),
        Some(path) => {
            // To open a pipe would wait for its reader.
            let is_device = fs::metadata(path).is_ok_and(|file| file.file_type().is_char_device());
            is_device && File::open(path).is_ok_and(|file| file.is_terminal())
        }
    }
}

/// Returns the output of a result, unless it would be a new file and an input failed. Nothing in a file tells which input is missing.
pub(super) fn if_whole(output: Output, outcome: Outcome) -> Option<Output> {
    if outcome == Outcome::Failed && output.is_new_file() {
        messages::note_on(output.name(), &"is not written, because an input failed");
        return None;
    }
    Some(output)
}

/// Prints an answer. A broken pipe is no error.
pub(super) fn print(
    answer: &dyn Answer,
    format: Format,
    looks: &LookOptions,
    output: Output,
) -> Result<(), Error> {
    let show = Show {
        look: options::look(looks.color.when, output.is_terminal()),
        title: looks.title.as_deref(),
        command: Some(command_line::shown),
    };
    write_pieces(output, format.escape(), |out| {
        render::write(answer, format, &show, out)
    })
}

/// Writes all of a result. A broken pipe is no error.
pub(super) fn write(output: Output, result: &[u8]) -> Result<(), Error> {
    write_pieces(output, None, |out| out.write_all(result))
}

/// Writes all of a result with `render`, piece by piece. On a terminal, `escape` makes each piece safe. A
/// broken pipe is no error.
pub(super) fn write_pieces(
    output: Output,
    escape: Option<Escape>,
    render: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let mut output = output.escaped_by(escape);
    let written = render(&mut output).map_err(Error::of_writing);
    ignore_broken_pipe(written.and_then(|()| output.finish()))
}

/// Says where a file of columns comes from.
pub(super) fn metadata<'a>(paths: impl IntoIterator<Item = &'a OsString>) -> Vec<(String, String)> {
    let paths = paths
        .into_iter()
        .map(|path| escaped(path.as_encoded_bytes()));
    let sources = serde_json::to_string(&paths.collect::<Vec<_>>());
    let sources = sources.expect("texts are JSON");
    vec![("fecscan.sources".to_owned(), sources)]
}

/// Writes a statement on a line of its own.
pub(super) fn write_statement(output: Output, statement: &str) -> Result<(), Error> {
    let line = format!("{statement}\n");
    write_pieces(output, Format::Csv.escape(), |out| {
        out.write_all(line.as_bytes())
    })
}

/// Returns `written`, but no error for a broken pipe.
pub(super) fn ignore_broken_pipe(written: Result<(), Error>) -> Result<(), Error> {
    match written {
        Err(error) if error.is_closed_pipe() => Ok(()),
        written => written,
    }
}

/// Returns the system's facts about an input; an error for a closed standard input.
pub(super) fn input_metadata(path: &OsString) -> io::Result<Metadata> {
    if path != "-" {
        fs::metadata(path)
    } else if was_closed(libc::STDIN_FILENO) {
        Err(io::Error::from_raw_os_error(libc::EBADF))
    } else {
        fs::metadata("/dev/stdin")
    }
}

pub(super) fn is_missing(path: &OsStr) -> bool {
    fs::metadata(path).is_err_and(|e| e.kind() == io::ErrorKind::NotFound)
}

/// Notes that a file is among the inputs twice.
pub(super) fn note_on_doubles(inputs: &[OsString]) {
    let mut known = HashSet::new();
    for path in inputs {
        let file = input_metadata(path).ok().filter(Metadata::is_file);
        if file.is_some_and(|file| !known.insert((file.dev(), file.ino()))) {
            messages::note_on(path, &"is named twice, so its rows count twice");
        }
    }
}

/// Refuses inputs that are the same pipe, or all standard input: the first of them would take the bytes of both.
pub(super) fn refuse_second_reading(inputs: &[OsString]) -> Result<(), Error> {
    let mut known = Vec::new();
    for path in inputs {
        let Ok(file) = input_metadata(path) else {
            continue;
        };
        let is_read_once =
            path == "-" || file.file_type().is_fifo() || file.file_type().is_socket();
        let place = Some((file.dev(), file.ino())).filter(|_| is_read_once);
        if place.is_some() && known.contains(&place) {
            let error = usage(
                "can be read once, and is named twice",
                "name a file for one of them",
            );
            return Err(error.about(name_of(path)));
        }
        known.push(place);
    }
    Ok(())
}

/// Refuses to write to an input: a replaced input is lost, and a pipe to oneself has no end.
pub(super) fn refuse_input(inputs: &[OsString], output: Option<&Path>) -> Result<(), Error> {
    let output = output.unwrap_or("/dev/stdout".as_ref());
    let Ok(output_file) = fs::metadata(output) else {
        return Ok(());
    };
    let same = |input: Metadata| {
        let file_or_pipe = input.is_file() || input.file_type().is_fifo();
        file_or_pipe && (input.dev(), input.ino()) == (output_file.dev(), output_file.ino())
    };
    let mut inputs = inputs.iter().filter_map(|path| input_metadata(path).ok());
    if inputs.any(same) {
        let what = "is an input, and would be lost as the output";
        Err(usage(what, "write to another file").about(output))
    } else {
        Ok(())
    }
}
