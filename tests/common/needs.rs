//! What a test needs and not every machine has.
//!
//! A test that can't run passes, and says so on standard error, past the harness that captures output. Two variables are
//! for CI: `FECSCAN_REQUIRE` names needs, separated by commas, that fail a test where they are missing, and
//! `FECSCAN_SKIPPED` names a file to which each skipped test adds a line.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use fecscan::scan::simd::Simd;

/// A name, a check of this machine, and advice.
type Need = (&'static str, fn() -> bool, &'static str);

// The processor is asked, not the program: a level that the program has lost must fail.
#[cfg(target_arch = "x86_64")]
const LEVELS: [Need; 2] = [
    ("avx2", has_avx2, PROCESSOR),
    ("avx512", has_avx512, PROCESSOR),
];
#[cfg(target_arch = "aarch64")]
const LEVELS: [Need; 1] = [("neon", || true, PROCESSOR)];

const PROCESSOR: &str = "use a processor that has it";
const MODULES: &str =
    "pip install duckdb openpyxl polars pyarrow, and name that Python in FECSCAN_PYTHON";
const PACKAGE: &str = "install the package of that name";

const NEEDS: [Need; 9] = [
    ("duckdb", || has_module("duckdb"), MODULES),
    ("openpyxl", || has_module("openpyxl"), MODULES),
    ("polars", || has_module("polars"), MODULES),
    ("pyarrow", || has_module("pyarrow"), MODULES),
    ("python3", || succeeds("python3", &["-c", ""]), PACKAGE),
    (
        "real",
        || real_files().is_some(),
        "name a folder of the FEC's files in FECSCAN_REAL",
    ),
    (
        "root",
        || succeeds("unshare", &["-m", "true"]),
        "run the tests as root",
    ),
    ("strace", || succeeds("strace", &["true"]), PACKAGE),
    ("unzip", || succeeds("unzip", &["-v"]), PACKAGE),
];

/// Checks the need of this name. If it is missing, records that the test at hand is skipped.
pub fn has(name: &str) -> bool {
    let (_, is_met, advice) = all()
        .find(|need| need.0 == name)
        .expect("a need in the table");
    if is_met() {
        return true;
    }
    let current = thread::current();
    let line = format!("{}: needs {name}: {advice}", current.name().unwrap());
    assert!(!required().iter().any(|other| other == name), "{line}");
    let _ = writeln!(io::stderr(), "skipped {line}");
    if let Some(path) = env::var_os("FECSCAN_SKIPPED") {
        let file = File::options().create(true).append(true).open(path);
        file.unwrap()
            .write_all(format!("{line}\n").as_bytes())
            .unwrap();
    }
    false
}

/// Returns the Python that has the modules of other programs.
pub fn python() -> OsString {
    env::var_os("FECSCAN_PYTHON").unwrap_or_else(|| "python3".into())
}

/// Returns the folder of the FEC's own files, if there is one.
pub fn real_files() -> Option<PathBuf> {
    const BESIDE: &str = "../shared/real";
    let named = env::var_os("FECSCAN_REAL").map(PathBuf::from);
    named.or_else(|| Path::new(BESIDE).is_dir().then(|| BESIDE.into()))
}

fn all() -> impl Iterator<Item = Need> {
    LEVELS.into_iter().chain(NEEDS)
}

fn required() -> Vec<String> {
    let names = env::var("FECSCAN_REQUIRE").unwrap_or_default();
    let names = names.split(',').filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("avx512vl")
}

fn has_module(name: &str) -> bool {
    let mut import = Command::new(python());
    import.args(["-c", &format!("import {name}")]);
    succeeds_quietly(&mut import)
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    succeeds_quietly(Command::new(program).args(arguments))
}

fn succeeds_quietly(command: &mut Command) -> bool {
    let command = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The campaign reads the same variable, and has needs of its own.
#[test]
fn required_needs_are_in_a_table() {
    let campaign = fs::read_to_string("tests/campaign/needs.py").unwrap();
    for name in required() {
        let is_known = all().any(|need| need.0 == name);
        let quoted = format!("\"{name}\": ");
        assert!(
            is_known || campaign.contains(&quoted),
            "FECSCAN_REQUIRE: {name}"
        );
    }
}

/// Tests compare the levels that the program has. This one says which the processor lacks.
#[test]
fn the_program_has_every_level_of_this_processor() {
    let levels = LEVELS.into_iter().map(|need| need.0);
    let here: Vec<_> = levels.filter(|name| has(name)).collect();
    let mut found: Vec<_> = Simd::available().map(Simd::name).collect();
    assert_eq!(found.pop(), Some("portable"));
    found.reverse();
    assert_eq!(found, here);
}
