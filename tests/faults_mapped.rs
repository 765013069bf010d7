//! Mapped files whose bytes go away: one message, exit status 2, and nothing left behind.
//!
//! A fault ends the process, so each case is a process of its own: this very program, asked for
//! one of the tests that are ignored otherwise.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::num::{NonZeroU64, NonZeroUsize};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fecscan::engine::{Engine, Options};
use fecscan::fold::count::LineCount;
use fecscan::input::{Input, Io, fault};
use fecscan::output::Output as ResultFile;

const PAGE_BYTES: u64 = 4096;
const FILE_BYTES: u64 = 1000 * PAGE_BYTES;

/// Runs the ignored test `case` in `directory`, as a process of its own.
fn run_case(case: &str, directory: &Path) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args([case, "--exact", "--ignored", "--nocapture"])
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

/// Scans `file.txt` while it is cut at `bytes`, after `tasks` of one page.
fn scan_and_cut(name: &OsStr, threads: usize, tasks: usize, bytes: u64) {
    File::create(name).unwrap().set_len(FILE_BYTES).unwrap();
    let engine = Engine::new(Options {
        threads: NonZeroUsize::new(threads).unwrap(),
        task_bytes: NonZeroU64::new(PAGE_BYTES).unwrap(),
        ..Options::default()
    });
    let scanned = std::sync::atomic::AtomicUsize::new(0);
    let cut = |_| {
        if scanned.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1 == tasks {
            let file = File::options().write(true).open(name).unwrap();
            file.set_len(bytes).unwrap();
        }
    };
    let mut run = engine.run(&LineCount).observed(cut);
    let done = run.input(Input::open(name, Io::Mmap).unwrap());
    eprintln!("the run came to an end: {done:?}");
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
        Input::open(name.as_ref(), Io::Mmap).unwrap()
    };
    // There is room for 64 maps in the table; what is beyond is read. Some are taken back.
    let mut inputs: Vec<_> = (0..70).map(open).collect();
    assert_eq!(inputs[63].io_name(), "mmap");
    assert_eq!(inputs[64].io_name(), "read");
    drop(inputs.drain(..20));
    inputs.extend((70..80).map(open));
    assert_eq!(inputs.last().unwrap().io_name(), "mmap");

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
    // What is gone is back before it is touched, so nothing faults; the time of modification tells.
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
    let input = Input::open("file.txt".as_ref(), Io::Mmap).unwrap();
    fs::write("file.txt", vec![b'x'; FILE_BYTES as usize]).unwrap();
    if let Err(error) = engine.run(&LineCount).input(input) {
        eprintln!("caught: {error}");
    }
}

/// Without `install`, and for whatever is not ours, a SIGBUS is a SIGBUS.
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
    thread::sleep(Duration::from_secs(60));
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
    let _ours = Input::open("ours.txt".as_ref(), Io::Mmap).unwrap();
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

#[test]
fn a_temporary_file_with_a_name_is_removed() {
    let directory = tempfile::tempdir().unwrap();
    let output = run_case("case_with_an_output", directory.path());
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let left: Vec<_> = fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["file.txt"]);
}

#[test]
#[ignore = "ends the process"]
fn case_with_an_output() {
    fault::install("fecscan");
    let mut result = ResultFile::open(Some("result".as_ref())).unwrap();
    result.write_all(b"half of it").unwrap();
    scan_and_cut("file.txt".as_ref(), 2, 3, 0);
}

/// The program itself, with `-o`, while another process cuts its file. Whether it has got so far
/// when the cut comes is chance; the answer is right or there is none.
#[test]
fn the_program_reports_a_file_that_is_cut_and_leaves_no_result() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file.txt");
    let (mut reported, bytes) = (0, 256 << 20);
    let begun = Instant::now();
    for trial in 0..200 {
        File::create(&path).unwrap().set_len(bytes).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_fecscan"))
            .args(["count", "-o", "result", "file.txt"])
            .current_dir(&directory)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let maps = format!("/proc/{}/maps", child.id());
        while child.try_wait().unwrap().is_none()
            && !fs::read_to_string(&maps).is_ok_and(|maps| maps.contains("file.txt"))
        {}
        thread::sleep(Duration::from_millis(trial % 10));
        let file = File::options().write(true).open(&path).unwrap();
        file.set_len(1 << 20).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let result = fs::read_to_string(directory.path().join("result")).unwrap_or_default();
        match output.status.code() {
            // All was read before the cut, or nothing.
            Some(0) => {
                assert_eq!((said.as_ref(), result.as_str()), ("", "0 file.txt\n"));
                fs::remove_file(directory.path().join("result")).unwrap();
            }
            Some(2) => {
                assert!(
                    said.contains(
                        "file.txt: became shorter while it was read (byte 1048576); run again"
                    ) || said.contains("file.txt: was changed while it was read; run again"),
                    "{said}"
                );
                assert_eq!((said.lines().count(), result.as_str()), (1, ""));
                reported += usize::from(said.contains("became shorter"));
            }
            _ => panic!("{output:?}"),
        }
        let left = fs::read_dir(&directory).unwrap().count();
        assert_eq!(left, 1, "nothing is left beside the file");
        if reported >= 5 || begun.elapsed() > Duration::from_secs(60) {
            break;
        }
    }
    assert!(reported > 0, "no cut came in time");
}
