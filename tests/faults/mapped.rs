//! Mapped files whose bytes go away: one message, exit status 2, and no result.
//!
//! A fault ends the process. So each case is an ignored test, which this program runs as a process
//! of its own.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::num::{NonZeroU64, NonZeroUsize};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Mutex;
use std::thread;

use fecscan::engine::{Engine, Options};
use fecscan::fold::LineCount;
use fecscan::input::{Input, fault};

use crate::common::program::fecscan;
use crate::common::run::mapped;
use crate::faults::waiting::{Running, endless_file, has_mapped, wait_for_tick_after};

const PAGE_BYTES: u64 = 4096;
const FILE_BYTES: u64 = 1000 * PAGE_BYTES;

/// Runs the ignored test `case` in `directory`, as a process of its own.
fn run_case(case: &str, directory: &Path) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args([
            &format!("faults::mapped::{case}"),
            "--exact",
            "--ignored",
            "--nocapture",
        ])
        .current_dir(directory)
        .output()
        .unwrap()
}

#[track_caller]
fn assert_ends_with(output: &Output, message: &str) {
    assert_eq!(
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).as_ref()
        ),
        (Some(2), message)
    );
}

/// Scans a file, and cuts it at `bytes` after `tasks` of one page.
fn scan_and_cut(name: &OsStr, threads: usize, tasks: usize, bytes: u64) {
    File::create(name).unwrap().set_len(FILE_BYTES).unwrap();
    let mut options = Options::default();
    options.threads = NonZeroUsize::new(threads).unwrap();
    options.task_bytes = NonZeroU64::new(PAGE_BYTES).unwrap();
    let engine = Engine::new(options);
    // The lock holds the other workers until the file is cut.
    let scanned = Mutex::new(0);
    let cut = |_| {
        let mut scanned = scanned.lock().unwrap();
        *scanned += 1;
        if *scanned == tasks {
            let file = File::options().write(true).open(name).unwrap();
            file.set_len(bytes).unwrap();
        }
    };
    let mut run = engine.run(&LineCount).observed(cut);
    let done = run.input(Input::open(name, mapped()).unwrap());
    eprintln!("the run was not ended: {done:?}");
}

#[test]
fn a_file_that_is_cut_is_reported_where_it_now_ends() {
    let directory = tempfile::tempdir().unwrap();
    assert_ends_with(
        &run_case("case_cut", directory.path()),
        "fecscan: file.txt: became shorter while it was read (byte 100000); run again when it is complete\n",
    );
    assert_ends_with(
        &run_case("case_cut_to_nothing_under_many_threads", directory.path()),
        "fecscan: file.txt: became shorter while it was read (byte 0); run again when it is complete\n",
    );
}

#[test]
#[ignore = "ends the process"]
fn case_cut() {
    fault::install("fecscan");
    scan_and_cut("file.txt".as_ref(), 1, 3, 100_000);
}

#[test]
#[ignore = "ends the process"]
fn case_cut_to_nothing_under_many_threads() {
    fault::install("fecscan");
    scan_and_cut("file.txt".as_ref(), 8, 20, 0);
}

#[test]
fn names_are_escaped_however_long_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let name = "\\x1b[31m".repeat(50);
    assert_ends_with(
        &run_case("case_hostile_name", directory.path()),
        &format!(
            "fecscan: {name}: became shorter while it was read (byte 4096); run again when it is complete\n"
        ),
    );
}

#[test]
#[ignore = "ends the process"]
fn case_hostile_name() {
    fault::install("fecscan");
    scan_and_cut("\x1b[31m".repeat(50).as_ref(), 2, 3, 4096);
}

#[test]
fn the_file_that_is_cut_is_named_among_many() {
    let directory = tempfile::tempdir().unwrap();
    assert_ends_with(
        &run_case("case_many_maps", directory.path()),
        "fecscan: 37.txt: became shorter while it was read (byte 5000); run again when it is complete\n",
    );
}

#[test]
#[ignore = "ends the process"]
fn case_many_maps() {
    fault::install("fecscan");
    let open = |nth: usize| {
        let name = format!("{nth}.txt");
        File::create(&name).unwrap().set_len(FILE_BYTES).unwrap();
        Input::open(name.as_ref(), mapped()).unwrap()
    };
    // Later maps may have the addresses of those that are gone.
    let mut inputs: Vec<_> = (0..70).map(open).collect();
    drop(inputs.drain(..20));
    inputs.extend((70..80).map(open));
    assert!(inputs.iter().all(|input| input.io_name() == "mmap"));

    let cut = File::options().write(true).open("37.txt").unwrap();
    cut.set_len(5000).unwrap();
    let engine = Engine::new(Options::default());
    for input in inputs {
        let name = input.name().to_owned();
        engine.run(&LineCount).input(input).unwrap();
        assert_ne!(name, "37.txt");
    }
}

#[test]
fn a_file_that_is_written_anew_is_reported_as_changed() {
    let directory = tempfile::tempdir().unwrap();
    let output = run_case("case_written_anew", directory.path());
    // The file has its full size again before a worker reads it, so nothing faults.
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "caught: file.txt: was changed while it was read; run again when nobody writes to it\n"
    );
}

#[test]
#[ignore = "ends the process"]
fn case_written_anew() {
    fault::install("fecscan");
    fs::write("file.txt", vec![b'\n'; FILE_BYTES as usize]).unwrap();
    let engine = Engine::new(Options::default());
    let input = Input::open("file.txt".as_ref(), mapped()).unwrap();
    wait_for_tick_after("file.txt".as_ref());
    fs::write("file.txt", vec![b'x'; FILE_BYTES as usize]).unwrap();
    if let Err(error) = engine.run(&LineCount).input(input) {
        eprintln!("caught: {}", error.with_advice());
    }
}

/// Without `install`, and outside our maps, SIGBUS has its default action.
#[test]
fn other_faults_have_their_default_action() {
    let directory = tempfile::tempdir().unwrap();
    for case in [
        "case_not_installed",
        "case_sent_by_somebody",
        "case_map_of_others",
    ] {
        let output = run_case(case, directory.path());
        assert_eq!(
            output.status.signal(),
            Some(libc::SIGBUS),
            "{case}: {output:?}"
        );
    }
}

#[test]
#[ignore = "ends the process"]
fn case_not_installed() {
    scan_and_cut("file.txt".as_ref(), 1, 3, 0);
}

#[test]
#[ignore = "ends the process"]
fn case_sent_by_somebody() {
    fault::install("fecscan");
    let me = std::process::id().to_string();
    Command::new("kill").args(["-BUS", &me]).status().unwrap();
    loop {
        thread::park();
    }
}

#[test]
#[ignore = "ends the process"]
#[allow(unsafe_code)]
fn case_map_of_others() {
    fault::install("fecscan");
    File::create("ours.txt")
        .unwrap()
        .set_len(FILE_BYTES)
        .unwrap();
    let _ours = Input::open("ours.txt".as_ref(), mapped()).unwrap();
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open("other.txt")
        .unwrap();
    file.set_len(FILE_BYTES).unwrap();
    // SAFETY: touching it is meant to raise SIGBUS.
    let map = unsafe { memmap2::Mmap::map(&file).unwrap() };
    file.set_len(0).unwrap();
    eprintln!("{}", map[5000]);
}

/// The program itself, with `-o`. The scan has no end before the cut.
#[test]
fn the_program_reports_a_file_that_is_cut_and_leaves_no_result() {
    for threads in ["1", "2", "8"] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file.txt");
        endless_file(&path);
        let errors = directory.path().join("errors");
        let mut program = fecscan(["count", "--io", "mmap", "-j", threads]);
        program
            .args(["--task-size", "2097152"])
            .args(["-o", "result", "file.txt"])
            .current_dir(&directory)
            .stderr(File::create(&errors).unwrap());
        let mut running = Running::start(&mut program);
        running.wait_until("the file is mapped", |id| has_mapped(id, "file.txt"));
        let file = File::options().write(true).open(&path).unwrap();
        file.set_len(1 << 20).unwrap();
        let status = running.wait_for_end();
        assert_eq!(
            (status.code(), fs::read_to_string(&errors).unwrap().as_str()),
            (
                Some(2),
                "fecscan: file.txt: became shorter while it was read (byte 1048576); run again when it is complete\n"
            ),
            "{threads} threads"
        );
        let left = fs::read_dir(&directory).unwrap().count();
        assert_eq!(left, 2, "beside the input and the errors, nothing is left");
    }
}
