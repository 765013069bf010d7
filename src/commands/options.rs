//! Options as they were given to options as the library takes them, resolved against terminal and
//! environment.

use std::env;
use std::ffi::OsString;
use std::io::{IsTerminal, stdin};

use clap::ValueEnum;
use fecscan::engine::{Engine, Options};
use fecscan::error::{Error, ErrorKind, escaped};
use fecscan::fec::schema::Schema;
use fecscan::fold::report::MonthColumn;
use fecscan::input::{Io, Members, OpenOptions, Pattern};
use fecscan::render::text::Look;
use fecscan::scan::simd::Simd;

use crate::cli::{self, Common};

/// The inputs that were asked for: standard input if none was named, unless that is a terminal,
/// where somebody would wait for an answer that never comes.
pub fn files(common: &Common) -> Result<Vec<OsString>, Error> {
    if !common.files.is_empty() {
        return Ok(common.files.clone());
    }
    if stdin().is_terminal() {
        return Err(Error::new(
            ErrorKind::Usage,
            "no FILE is named, and standard input is a terminal",
        )
        .advise("name a file, or '-' to type lines; try 'fecscan --help'"));
    }
    Ok(vec!["-".into()])
}

/// How inputs are to be opened.
pub fn opening(common: &Common) -> OpenOptions {
    let members = match &common.member[..] {
        [] => Members::TopLevelText,
        patterns => Members::Matching(patterns.iter().map(Pattern::new).collect()),
    };
    let mut options = OpenOptions::default();
    options.io = io(common.io);
    options.members = members;
    options.max_member_bytes = common.max_member_bytes;
    options
}

/// Returns how to get at the bytes of plain files. This is where the program promises that mapped files do
/// not change.
#[allow(unsafe_code)]
fn io(given: cli::Io) -> Io {
    // SAFETY: nobody can keep other processes from writing to a file. The program's folds bear it: they only
    // compare and copy bytes, check every position against lengths that they computed themselves, and
    // make no reference to a validated value (a `str`, an enum) from mapped bytes. A file that has changed
    // is noticed when it has been read, and has no answer. If it is cut, SIGBUS ends the process, with a
    // message: `main` installs the handler before anything is mapped.
    unsafe {
        match given {
            cli::Io::Auto => Io::auto(),
            cli::Io::Mmap => Io::mmap(),
            cli::Io::Read => Io::read(),
        }
    }
}

/// The engine that was asked for.
pub fn engine(common: &Common) -> Result<Engine, Error> {
    let mut options = Options::default();
    options.threads = common.threads.unwrap_or(options.threads);
    options.simd = simd(common.simd)?;
    options.task_bytes = common.task_size.unwrap_or(options.task_bytes);
    Ok(Engine::new(options))
}

fn simd(given: Option<cli::Simd>) -> Result<Simd, Error> {
    let name = match given.map_or_else(simd_of_environment, Ok)? {
        cli::Simd::Auto => return Ok(Simd::best()),
        cli::Simd::Avx512 => "avx512",
        cli::Simd::Avx2 => "avx2",
        cli::Simd::Portable => "portable",
    };
    Simd::named(name).ok_or_else(|| {
        let available: Vec<_> = Simd::available().map(Simd::name).collect();
        Error::new(
            ErrorKind::Usage,
            format!("this processor does not have the level {name}"),
        )
        .advise(format!("it has: {}", available.join(", ")))
    })
}

fn simd_of_environment() -> Result<cli::Simd, Error> {
    let value = env::var_os("FECSCAN_SIMD").unwrap_or_default();
    if value.is_empty() {
        return Ok(cli::Simd::Auto);
    }
    let level = value
        .to_str()
        .and_then(|name| cli::Simd::from_str(name, false).ok());
    level.ok_or_else(|| {
        Error::new(
            ErrorKind::Usage,
            format!(
                "'{}' is not a SIMD level",
                escaped(value.as_encoded_bytes())
            ),
        )
        .about("FECSCAN_SIMD")
        .advise("it can be auto, avx512, avx2 or portable")
    })
}

/// How text is to look that goes to a `terminal`, or elsewhere.
pub fn look(color: cli::Color, terminal: bool) -> Look {
    let no_color = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    let color = match color {
        cli::Color::Auto => terminal && !no_color && !dumb,
        cli::Color::Always => true,
        cli::Color::Never => false,
    };
    Look { color, terminal }
}

impl From<cli::MonthColumn> for MonthColumn {
    fn from(given: cli::MonthColumn) -> MonthColumn {
        match given {
            cli::MonthColumn::ImageNum => MonthColumn::ImageNum,
            cli::MonthColumn::TransactionDate => MonthColumn::TransactionDate,
        }
    }
}

impl From<cli::Schema> for Schema {
    fn from(given: cli::Schema) -> Schema {
        match given {
            cli::Schema::Indiv => Schema::Indiv,
            cli::Schema::Oth => Schema::Oth,
            cli::Schema::Pas2 => Schema::Pas2,
            cli::Schema::Cm => Schema::Cm,
            cli::Schema::Cn => Schema::Cn,
            cli::Schema::Ccl => Schema::Ccl,
            cli::Schema::Oppexp => Schema::Oppexp,
        }
    }
}
