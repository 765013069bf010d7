//! What the system refuses: maps, threads, memory, descriptors, space on a disk; and files that are
//! none. The answer is right, or there is one message and exit status 2.

mod common;

use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use common::program::{assert_fails, fecscan, run, run_with, shell};

const PLAIN: &str = "fixtures/plain.txt";

/// The program under `limits`, as `prlimit` names them.
fn limited(limits: &[&str], arguments: &str) -> Command {
    let mut command = Command::new("prlimit");
    command.args(limits).arg(env!("CARGO_BIN_EXE_fecscan"));
    command
        .args(arguments.split_whitespace())
        .stdin(Stdio::null());
    command.env_remove("FECSCAN_SIMD").env_remove("NO_COLOR");
    command
}

#[test]
fn a_file_that_can_not_be_mapped_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("large.txt");
    // There is less room for addresses than the file has bytes.
    File::create(&path).unwrap().set_len(1 << 30).unwrap();
    fs::write(directory.path().join("small.txt"), "a\nb\n").unwrap();
    let arguments = "count --stats -j 2 --io mmap small.txt large.txt";
    let ended = run(limited(&["--as=600000000"], arguments).current_dir(&directory));
    assert_eq!(
        (ended.status, ended.out.as_str()),
        (
            0,
            "         2 small.txt\n         0 large.txt\n         2 total\n"
        )
    );
    assert!(ended.err.contains(", io mmap+read, "), "{}", ended.err);
}

#[test]
fn without_threads_one_does_the_work() {
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let copy = |from: &str, to: &str| {
        let to = directory.path().join(to);
        // A program that we had open for writing could not be run while another test starts its
        // own.
        assert!(
            Command::new("cp")
                .arg(from)
                .arg(to)
                .status()
                .unwrap()
                .success()
        );
    };
    copy(env!("CARGO_BIN_EXE_fecscan"), "fecscan");
    copy(PLAIN, "plain.txt");
    for arguments in [
        "-j 8 --task-size 64 --stats plain.txt",
        "-j 8 --task-size 64 --stats --io read plain.txt",
        "generate --rows 100000 -j 8",
    ] {
        let run_with_limit = |limit: &str| {
            let mut limited = Command::new("prlimit");
            limited
                .args([limit, "./fecscan"])
                .args(arguments.split(' '));
            limited.current_dir(&directory).stdin(Stdio::null());
            if is_root() {
                // Root may have as many threads as it likes; nobody may not.
                limited.uid(65534).gid(65534);
            }
            run(&mut limited)
        };
        let alone = run_with_limit("--nproc=1");
        let with_others = run(Command::new("./fecscan")
            .args(arguments.split(' '))
            .current_dir(&directory));
        assert_eq!(
            (alone.status, &alone.out),
            (0, &with_others.out),
            "{arguments}: {}",
            alone.err
        );
        if arguments.contains("--stats") {
            assert!(alone.err.contains(", 1 thread, "), "{}", alone.err);
            assert!(
                with_others.err.contains(", 8 threads, "),
                "{}",
                with_others.err
            );
        }
    }
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata("/proc/self").unwrap().uid() == 0
}

#[test]
fn without_memory_there_is_a_message_and_no_wrong_answer() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names.txt");
    let row = |i: usize| format!("|||||||X, N{i}|\n");
    fs::write(&path, (0..200_000).map(row).collect::<String>()).unwrap();
    let mut command = fecscan(["-f", "json"]);
    let expected = run(command.arg(&path));
    let (mut done, mut failed) = (0, 0);
    for megabytes in (10..90).step_by(4) {
        let limit = format!("--as={}", megabytes << 20);
        let mut command = limited(&[&limit], "-f json -j 2");
        let ended = command.arg(&path).output().unwrap();
        let out = String::from_utf8_lossy(&ended.stdout);
        let err = String::from_utf8_lossy(&ended.stderr);
        if ended.status.success() {
            assert_eq!((&*out, &*err), (&*expected.out, ""), "{megabytes} MiB");
            done += 1;
            continue;
        }
        // Rust aborts where it gets no memory; reading fails.
        let aborted = ended.status.signal() == Some(libc::SIGABRT);
        let told = match aborted {
            true => err.contains("memory allocation of "),
            false => ended.status.code() == Some(2) && err.contains("not enough memory"),
        };
        assert!(told && out.is_empty(), "{megabytes} MiB: {ended:?}");
        failed += 1;
    }
    assert!(done > 0 && failed > 0, "{done} done, {failed} failed");
}

/// A thread of Rust's runtime that has its stack, but can't have the one for its handlers of signals,
/// panics; with a little more, it can't have the memory that it works with. That takes limits that
/// leave room for the one and not for the other, so all are tried, to some pages.
#[test]
fn a_thread_is_not_started_where_there_is_no_room_for_it() {
    let arguments = format!("count -j 8 --task-size 64 --stats {PLAIN}");
    let expected = run_with(&format!("count {PLAIN}")).out;
    let (mut alone, mut with_others) = (0, 0);
    for pages in (2500..5500).step_by(5) {
        // This fails if the program panics.
        let ended = run(&mut limited(
            &[&format!("--as={}", pages * 4096)],
            &arguments,
        ));
        // From where there is room for one thread on, there is an answer.
        if ended.status != 0 && alone == 0 {
            continue;
        }
        assert_eq!(
            (ended.status, &ended.out),
            (0, &expected),
            "{pages} pages: {}",
            ended.err
        );
        alone += usize::from(ended.err.contains(", 1 thread, "));
        with_others += usize::from(ended.err.contains(" threads, "));
    }
    assert!(
        alone > 0 && with_others > 0,
        "{alone} alone, {with_others} with others"
    );
}

#[test]
fn without_descriptors_there_is_a_message() {
    // The loader needs one.
    for descriptors in 4..12 {
        let ended = run(&mut limited(
            &[&format!("--nofile={descriptors}")],
            &format!("count {PLAIN} {PLAIN}"),
        ));
        match ended.status {
            0 => assert_eq!(ended, run_with(&format!("count {PLAIN} {PLAIN}"))),
            _ => assert!(
                ended.status == 2 && ended.err.contains("Too many open files"),
                "{descriptors}: {ended:?}"
            ),
        }
    }
}

#[test]
fn a_result_for_which_there_is_no_space_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("result"), "before").unwrap();
    let source = fs::canonicalize("fixtures/columns.txt").unwrap();
    let source = source.display();
    for (arguments, bytes) in [
        (format!("-o result {source}"), 100),
        (format!("--rejects result -o /dev/null {source}"), 100),
        ("generate --rows 1000 -o result".to_owned(), 10_000),
    ] {
        // A file may have this many bytes; usually a signal says so, which ends the process.
        let script = format!(
            "cd {}; exec prlimit --fsize={bytes} $F {arguments}",
            directory.path().display()
        );
        let ended = shell(&script);
        let said = "can't be written: File too large";
        let aside = "rows can't be set aside: File too large";
        assert!(
            [said, aside]
                .iter()
                .any(|what| ended.err == format!("fecscan: result: {what}\n")),
            "{arguments}: {}",
            ended.err
        );
        assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{arguments}");
        assert_eq!(
            fs::read_to_string(directory.path().join("result")).unwrap(),
            "before"
        );
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1, "{arguments}");
    }
    // What is given to us can't be taken back, but it can be said.
    let ended = shell(&format!(
        "cd {}; exec prlimit --fsize=10000 $F generate --rows 1000 > result",
        directory.path().display()
    ));
    let message = "standard output: can't be written: File too large";
    assert_fails(ended, 2, message);
}

#[test]
fn results_go_where_a_shell_would_write_them() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let here = directory.path().display();
    fs::create_dir(at("folder")).unwrap();
    symlink("folder/new", at("dangling")).unwrap();
    symlink("no/such/folder", at("nowhere")).unwrap();
    symlink("circle", at("circle")).unwrap();
    let plain = fs::canonicalize(PLAIN).unwrap();
    let ended = shell(&format!(
        "cd {here}; $F count -o dangling {}",
        plain.display()
    ));
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    assert!(fs::symlink_metadata(at("dangling")).unwrap().is_symlink());
    assert!(
        fs::read_to_string(at("folder/new"))
            .unwrap()
            .starts_with("8 ")
    );

    // Nothing is read before: the input is a pipe that nobody writes to.
    assert!(
        Command::new("mkfifo")
            .arg(at("fifo"))
            .status()
            .unwrap()
            .success()
    );
    for (output, problem) in [
        ("nowhere", "No such file or directory"),
        ("no/such", "No such file or directory"),
        ("no/", "No such file or directory"),
        ("no/.", "No such file or directory"),
        ("folder", "Is a directory"),
        ("folder/", "Is a directory"),
        ("circle", "Too many levels of symbolic links"),
        ("folder/new/", "Not a directory"),
    ] {
        let ended = run(fecscan(["count", "-o", output, "fifo"]).current_dir(&directory));
        assert_fails(ended, 2, &format!("{output}: can't be written: {problem}"));
    }
    assert_eq!(fs::read_dir(at("folder")).unwrap().count(), 1);
}

#[test]
fn inputs_that_are_no_files_or_lead_nowhere_are_reported_and_the_others_counted() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    symlink("nowhere", at("dangling")).unwrap();
    symlink("circle", at("circle")).unwrap();
    fs::write(at("empty"), "").unwrap();
    fs::write(at("plain"), "a\n").unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    let mut command = fecscan([
        "count", "dangling", "circle", "socket", "plain/x", "empty", "plain",
    ]);
    let ended = run(command.current_dir(&directory));
    let mut wc = Command::new("wc");
    wc.args([
        "-l", "dangling", "circle", "socket", "plain/x", "empty", "plain",
    ]);
    let expected = wc.current_dir(&directory).output().unwrap().stdout;
    assert_eq!((ended.status, ended.out.as_bytes()), (2, &expected[..]));
    let problems = [
        "dangling: No such file or directory; check the name",
        "circle: Too many levels of symbolic links",
        "socket: No such device or address",
        "plain/x: Not a directory",
    ];
    let expected: String = problems
        .map(|problem| format!("fecscan: {problem}\n"))
        .concat();
    assert_eq!(ended.err, expected);
}

#[test]
fn names_that_are_no_text_work_everywhere() {
    let directory = tempfile::tempdir().unwrap();
    let name = Path::new(std::ffi::OsStr::from_bytes(b"not\xffutf-8\n\x1b[31m.txt"));
    fs::copy("fixtures/cut-off-row.txt", directory.path().join(name)).unwrap();
    let mut command = fecscan(["--strict", "-f", "json", "--rejects", "odd.csv"]);
    let ended = run(command.arg(name).current_dir(&directory));
    assert_eq!(ended.status, 1);
    assert_eq!(
        ended.err,
        "fecscan: not\\xffutf-8\\n\\x1b[31m.txt:8: byte 1140: 9 columns, expected 21\n\
         fecscan: 1 row breaks the schema; it is counted like all others\n"
    );
    let rejects = fs::read(directory.path().join("odd.csv")).unwrap();
    assert!(
        rejects
            .starts_with(b"file,line,byte,columns,text\n\"not\xffutf-8\n\x1b[31m.txt\",8,1140,9,")
    );
    let ended = run(
        fecscan(["-o".as_ref(), name.as_os_str(), "/dev/null".as_ref()]).current_dir(&directory),
    );
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
}
