//! Resolves options against terminal and environment.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, stdin, stdout};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::Path;

use crate::engine::{Engine, Options};
use crate::error::{Error, ErrorKind, escaped};
use crate::input::{Io, Members, OpenOptions, Pattern};
use crate::render::columnar::Compression;
use crate::render::text::{Data, Drawing, Glyphs, Look};
use crate::render::{Format, ResultKind};
use crate::scan::simd::Simd;
use crate::sql::Filter;
use rustix::termios::tcgetwinsize;

use super::{messages, outputs, usage, was_closed};
use crate::cli::{self, Common, CompressionOption, LookOptions, SIMD_LEVELS};

/// Returns the inputs, or standard input. A terminal is refused: it would wait for ever.
pub(super) fn files(common: &Common) -> Result<Vec<OsString>, Error> {
    if !common.files.is_empty() {
        return Ok(common.files.clone());
    }
    if stdin().is_terminal() {
        let what = "no FILE is named, and standard input is a terminal";
        let advice = "name a file, or '-' to type lines; try 'fecscan --help'";
        return Err(usage(what, advice));
    }
    Ok(vec!["-".into()])
}

/// Fails if `path` is standard input and that was closed when the program started: it would look empty.
pub(super) fn check_standard_input(path: &OsStr) -> Result<(), Error> {
    if path == "-" && was_closed(libc::STDIN_FILENO) {
        let closed = io::Error::from_raw_os_error(libc::EBADF);
        Err(Error::io(ErrorKind::Input, "", closed).about("standard input"))
    } else {
        Ok(())
    }
}

pub(super) fn opening(common: &Common) -> OpenOptions {
    let mut options = opening_given(common);
    options.members = members(common.slices, &common.member);
    options.schema = common.schema;
    options.range = common.range.clone();
    options.detects_quotes = common.layout.quotes.is_none();
    options
}

/// Returns the members to read: slices, else members that match one of the `patterns`, else top-level texts.
pub(super) fn members(slices: bool, patterns: &[impl AsRef<OsStr>]) -> Members {
    match patterns {
        _ if slices => Members::Slices,
        [] => Members::TopLevelText,
        patterns => Members::Matching(patterns.iter().map(Pattern::new).collect()),
    }
}

/// Returns how to open files by this way to read, and promises that mapped files do not change.
#[allow(unsafe_code)]
pub(super) fn opening_by(given: cli::Io) -> OpenOptions {
    let mut options = OpenOptions::default();
    // SAFETY: other processes may write to a mapped file. The folds of this program bear that. They
    // compare and copy bytes, and check every position against lengths of their own. They never make
    // a reference to a validated value (a `str`, an enum) from mapped bytes. The engine notices the
    // change afterwards and gives no result. A cut file raises SIGBUS, which ends the process with a
    // message. `main` installs the handler before anything is mapped.
    options.io = unsafe {
        match given {
            cli::Io::Auto => Io::auto(),
            cli::Io::Mmap => Io::mmap(),
            cli::Io::Read => Io::read(),
        }
    };
    options
}

/// Returns how to open the files of `--with`: like inputs, but by their own schemas and members.
pub(super) fn opening_given(common: &Common) -> OpenOptions {
    let mut options = opening_by(common.io);
    options.max_member_bytes = common.max_member_bytes;
    options
}

/// Returns the engine, without its filter.
pub(super) fn engine(common: &Common) -> Result<Engine, Error> {
    let mut options = engine_options(common.work.threads, common.task_size);
    options.simd = simd(common.simd.as_deref())?;
    Ok(Engine::new(options))
}

/// Returns how an engine works: by `threads`, at most one for each processor. A size of tasks is chosen by tests, which want more.
pub(super) fn engine_options(
    threads: Option<NonZeroUsize>,
    task_bytes: Option<NonZeroU64>,
) -> Options {
    let mut options = Options::default();
    let processors = options.threads;
    options.threads = threads.unwrap_or(processors);
    if let Some(bytes) = task_bytes {
        options.task_bytes = bytes;
    } else if options.threads > processors {
        messages::note(&format_args!(
            "{} threads are more than the processors that this process may use; {processors} do the work",
            options.threads
        ));
        options.threads = processors;
    }
    options
}

pub(super) fn filter(conditions: &[String], contributions: bool) -> Result<Filter, Error> {
    let filter = Filter::new(conditions)?;
    Ok(if contributions {
        filter.with_contributions()
    } else {
        filter
    })
}

/// Extensions of formats that no command writes. A result of such a name would mislead other programs.
const FOREIGN: [&str; 22] = [
    "xls", "ods", "gz", "zst", "zip", "bz2", "xz", "db", "sqlite", "sqlite3", "duckdb", "feather",
    "pdf", "png", "jpg", "jpeg", "gif", "docx", "doc", "odt", "pptx", "xml",
];

/// Options that change the result of some formats alone.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OfFormats<'a> {
    /// For pages and charts.
    pub(super) title: Option<&'a str>,
    /// For text.
    pub(super) color: cli::Color,
    /// For Parquet.
    pub(super) compression: Option<Compression>,
    /// A partial is written instead of a result.
    pub(super) partial: bool,
}

impl<'a> OfFormats<'a> {
    pub(super) fn new(
        look: &'a LookOptions,
        compression: CompressionOption,
        partial: Option<&Path>,
    ) -> OfFormats<'a> {
        OfFormats {
            title: look.title.as_deref(),
            color: look.color.when,
            compression: compression.compression,
            partial: partial.is_some(),
        }
    }

    /// Refuses, or notes, an option that has no effect on a format.
    fn check(&self, format: Format) -> Result<(), Error> {
        let name = format.name();
        let has_title = matches!(format, Format::Html | Format::Svg);
        let given = [
            (
                self.title.is_some() && !has_title,
                ("--title is for html and svg", "-f svg, or -o chart.svg"),
            ),
            (
                self.compression.is_some() && format != Format::Parquet,
                ("--compression is for Parquet", "-f parquet"),
            ),
        ];
        for (is_useless, (what, other)) in given {
            if is_useless && self.partial {
                let what = format!("{what}, and --partial writes neither");
                return Err(usage(what, "give it to the merge of the partials"));
            }
            if is_useless {
                let what = format!("{what}, and the format is {name}");
                return Err(usage(what, format!("leave it out, or add {other}")));
            }
        }
        if matches!(self.color, cli::Color::Always) && (format != Format::Text || self.partial) {
            let format = if self.partial { "a partial" } else { name };
            messages::note(&format_args!(
                "--color is for text, and the result is {format}"
            ));
        }
        Ok(())
    }
}

/// Returns the format: as `given`, else by the extension of `-o`, else the first of those that the command has.
///
/// # Errors
/// A usage error if the command lacks it, it is binary and a terminal would show it, or an option has no effect on it.
pub(super) fn format(
    given: Option<Format>,
    path: Option<&Path>,
    kind: ResultKind,
    options: OfFormats<'_>,
) -> Result<Format, Error> {
    let format = chosen_format(given, path, &Format::of(kind))?;
    options.check(format)?;
    if format.is_binary() && outputs::is_terminal(path) {
        let what = format!("{} is binary, and a terminal shows text", format.name());
        let advice = "name a file with -o, or pipe the result to a program that reads it";
        return Err(usage(what, advice));
    }
    Ok(format)
}

fn chosen_format(
    given: Option<Format>,
    path: Option<&Path>,
    formats: &[Format],
) -> Result<Format, Error> {
    let (by_extension, says) = path.map_or((None, None), named_format);
    let (Some(path), Some(says)) = (path, says) else {
        let format = given.unwrap_or(formats[0]);
        if let Some(path) = path.filter(|path| given.is_none() && path.extension().is_some()) {
            let known = formats.iter().flat_map(|format| format.extensions());
            let known: Vec<_> = known.map(|extension| format!(".{extension}")).collect();
            let (name, known) = (format.name(), known.join(" "));
            let what = format!("the result is {name}; these extensions choose a format: {known}");
            messages::note_on(path, &what);
        }
        return Ok(format);
    };
    match (given, by_extension) {
        (None, Some(format)) if formats.contains(&format) => Ok(format),
        (None, _) => {
            let what = format!("the name says {says}, a format that this command lacks");
            let mut advice = format!("choose another name, or --format: {}", names(formats));
            let has_pages = formats.contains(&Format::Html);
            if let Some(more) = instead_of(says).filter(|more| *more != PAGES || has_pages) {
                advice = format!("{advice}; {more}");
            }
            Err(usage(what, advice).about(path))
        }
        (Some(given), _) => {
            // The sentences of the challenge are text too.
            let is_text = given == Format::Challenge && by_extension == Some(Format::Text);
            if by_extension != Some(given) && !is_text {
                let format = given.name();
                let what =
                    format!("the name says {says}; the format is {format}, as --format says");
                messages::note_on(path, &what);
            }
            Ok(given)
        }
    }
}

/// Returns the format that the extension of `path` says, and its name. A format that no command writes has a name alone.
fn named_format(path: &Path) -> (Option<Format>, Option<&'static str>) {
    let extension = path.extension().and_then(OsStr::to_str);
    let is_it = |known: &&str| extension.is_some_and(|e| e.eq_ignore_ascii_case(known));
    let mut formats = Format::ALL.into_iter();
    let format = formats.find(|format| format.extensions().iter().any(&is_it));
    let foreign = FOREIGN.into_iter().find(is_it);
    (format, format.map(Format::name).or(foreign))
}

/// Refuses a name for rejected rows that says another format than theirs, which is text.
pub(super) fn check_rejects(path: &Path) -> Result<(), Error> {
    let (format, says) = named_format(path);
    let says = says.filter(|_| !matches!(format, Some(Format::Csv | Format::Text)));
    says.map_or(Ok(()), |says| {
        let what = format!("the name says {says}, and rejected rows are csv");
        Err(usage(what, "choose another name, such as rejects.csv").about(path))
    })
}

const PAGES: &str = "a chart is svg, and a page with it html";

/// Says what to write instead of a format that no command writes.
pub(super) fn instead_of(format: &str) -> Option<&'static str> {
    match &format.to_ascii_lowercase()[..] {
        "excel" | "xls" | "ods" => Some("spreadsheets open xlsx"),
        "png" | "jpg" | "jpeg" | "gif" | "pdf" => Some(PAGES),
        "html" | "svg" => Some("'fecscan by' draws charts and pages"),
        "gz" | "zst" | "zip" | "bz2" | "xz" => Some("to compress, write to a pipe: | gzip"),
        "db" | "sqlite" | "sqlite3" | "duckdb" | "sql" => {
            Some("databases load csv and parquet: docs/load.md has the commands")
        }
        _ => None,
    }
}

/// Returns the names of formats, as a list to choose from.
pub(super) fn names(formats: &[Format]) -> String {
    let names: Vec<_> = formats.iter().map(|format| format.name()).collect();
    names.join(", ")
}

/// Notes that rows with pipes between columns are not what the name of their file says.
pub(super) fn note_on_rows(path: &Path) {
    if !matches!(named_format(path), (Some(Format::Text), _) | (_, None)) {
        messages::note_on(
            path,
            &"its rows have | between columns, as the FEC writes them; 'fecscan export' writes other formats",
        );
    }
}

/// Returns the level that is `given`, or that the environment names.
fn simd(given: Option<&str>) -> Result<Simd, Error> {
    let environment = env::var_os("FECSCAN_SIMD").unwrap_or_default();
    let name = match given {
        Some(name) => name.to_ascii_lowercase(),
        None if environment.is_empty() => "auto".to_owned(),
        None => environment.to_string_lossy().to_ascii_lowercase(),
    };
    if !SIMD_LEVELS.contains(&&*name) {
        let value = escaped(environment.as_encoded_bytes());
        let what = format!("'{value}' is not a SIMD level");
        let error = usage(what, "it can be auto, avx512, avx2, neon or portable");
        return Err(error.about("FECSCAN_SIMD"));
    }
    if name == "auto" {
        return Ok(Simd::best());
    }
    Simd::named(&name).ok_or_else(|| {
        let available: Vec<_> = Simd::available().map(Simd::name).collect();
        let what = format!("this processor does not have the level {name}");
        usage(what, format!("it has: {}", available.join(", ")))
    })
}

/// Returns how text looks on a `terminal` or elsewhere.
pub(super) fn look(color: cli::Color, terminal: bool) -> Look {
    let no_color = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    let drawing = match (color, terminal) {
        (cli::Color::Always, _) => Drawing::Colored,
        (_, false) => Drawing::Plain,
        (cli::Color::Auto, true) if !no_color && !dumb => Drawing::Colored,
        (cli::Color::Auto | cli::Color::Never, true) => Drawing::Bars,
    };
    let data = if terminal { Data::Escaped } else { Data::Exact };
    let window = terminal.then(|| tcgetwinsize(stdout()).ok()).flatten();
    let columns = window.map(|window| window.ws_col.into());
    Look {
        drawing,
        data,
        columns: columns.filter(|&columns| columns > 0),
        glyphs: glyphs(),
    }
}

pub(super) fn glyphs() -> Glyphs {
    glyphs_of(|name| env::var_os(name))
}

/// Returns what the locale can show. As in the C library, the first of the variables that is not empty counts.
fn glyphs_of(variable: impl Fn(&str) -> Option<OsString>) -> Glyphs {
    let mut set = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(variable);
    let locale = set.find(|value| !value.is_empty()).unwrap_or_default();
    let locale = locale.to_string_lossy().to_ascii_lowercase();
    if locale.contains("utf-8") || locale.contains("utf8") {
        Glyphs::Blocks
    } else {
        Glyphs::Ascii
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_of_the_locale_that_is_set_counts() {
        let of = |values: [&str; 3]| {
            glyphs_of(|name| {
                let place = ["LC_ALL", "LC_CTYPE", "LANG"]
                    .iter()
                    .position(|known| *known == name);
                Some(values[place.unwrap()].into())
            })
        };
        for values in [
            ["C.UTF-8", "C", "C"],
            ["", "en_US.utf8", "C"],
            ["", "", "de_DE.UTF-8@euro"],
        ] {
            assert_eq!(of(values), Glyphs::Blocks, "{values:?}");
        }
        for values in [
            ["C", "C.UTF-8", "C.UTF-8"],
            ["", "POSIX", "C.UTF-8"],
            ["", "", "en_US.ISO-8859-1"],
            ["", "", ""],
        ] {
            assert_eq!(of(values), Glyphs::Ascii, "{values:?}");
        }
        assert_eq!(glyphs_of(|_| None), Glyphs::Ascii);
    }
}
