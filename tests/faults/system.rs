//! The system refuses maps, threads, memory, descriptors or disk space, or an input is not a file.
//! The answer is right, or there is one message and exit status 2.

use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::archives::gzip;
use crate::common::needs;
use crate::common::program::{assert_fails, fecscan, run, run_with, shell};

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
    // The limit on addresses is below the file's size.
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
        // `fs::copy` would hold the program open for writing. A process that another test starts
        // then inherits the descriptor, and the copy can't be run.
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
                // The limit does not bind root.
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

/// Sweeps limits on addresses, from those in which the program can't start its work to those in
/// which it has all that it needs. A failed allocation is a message, never a signal.
#[test]
fn without_memory_there_is_a_message_and_no_result() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names.txt");
    let row = |i: usize| format!("|||||||X, N{i}|\n");
    fs::write(&path, (0..200_000).map(row).collect::<String>()).unwrap();
    let packed = directory.path().join("names.gz");
    fs::write(&packed, gzip(&fs::read(&path).unwrap())).unwrap();
    let (mut done, mut allocations) = (0, 0);
    let under = |megabytes: u64, arguments: &str| {
        let limit = format!("--as={}", megabytes << 20);
        limited(&[&limit, "--core=0"], arguments)
    };
    // With less, the loader finds no room for the program, and glibc and Rust's start of a process may end it before it runs. Some builds
    // for tests have 10 MiB more than others.
    let starts = |&megabytes: &u64| {
        let ended = under(megabytes, "--version").output().unwrap();
        ended.status.success()
    };
    let least = (1..90).find(starts).unwrap();
    for (path, arguments) in [
        (&path, "--force -f json -j 2"),
        (&path, "--force -f json -j 2 --io read --task-size 100000"),
        (&packed, "--force -f json -j 1"),
    ] {
        let expected = run(fecscan(arguments.split(' ')).arg(path)).out;
        for megabytes in least..least + 67 {
            let mut command = under(megabytes, arguments);
            let Output {
                status,
                stdout,
                stderr,
            } = command.arg(path).output().unwrap();
            let (out, err) = (
                String::from_utf8_lossy(&stdout),
                String::from_utf8_lossy(&stderr),
            );
            let what = format!("{arguments}, {megabytes} MiB: {status}: {err}");
            if status.success() {
                assert_eq!((&*out, &*err), (expected.as_str(), ""), "{what}");
                done += 1;
                continue;
            }
            assert_eq!((status.code(), &*out), (Some(2), ""), "{what}");
            let said = err.starts_with("fecscan: ") && err.lines().count() == 1;
            assert!(said, "{what}");
            if let Some(wanted) = err.strip_prefix("fecscan: not enough memory (") {
                let (bytes, advice) = wanted.split_once(' ').expect(&what);
                assert!(bytes.parse::<u64>().is_ok(), "{what}");
                let message = "bytes wanted); use fewer threads (-j 1), or raise the limit\n";
                assert_eq!(advice, message, "{what}");
                allocations += 1;
            }
        }
    }
    assert!(
        done > 0 && allocations > 0,
        "{done} done, {allocations} failed allocations"
    );
}

#[test]
fn without_descriptors_there_is_a_message() {
    let (mut done, mut refused) = (0, 0);
    // The loader needs one.
    for descriptors in 4..12 {
        let ended = run(&mut limited(
            &[&format!("--nofile={descriptors}")],
            &format!("count {PLAIN} {PLAIN}"),
        ));
        if ended.status == 0 {
            assert_eq!(ended, run_with(&format!("count {PLAIN} {PLAIN}")));
            done += 1;
        } else {
            let said = ended.err.contains("Too many open files");
            assert!(ended.status == 2 && said, "{descriptors}: {ended:?}");
            refused += 1;
        }
    }
    assert!(done > 0 && refused > 0, "{done} done, {refused} refused");
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
        // By default, the signal SIGXFSZ ends a process that exceeds the limit.
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
    // Standard output keeps the bytes before the limit, and there is a message.
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

    // The output is refused before the input is opened: the input is a pipe without a writer.
    assert!(
        Command::new("mkfifo")
            .arg(at("fifo"))
            .status()
            .unwrap()
            .success()
    );
    for (output, problem) in [
        ("nowhere", "No such file or directory"),
        (
            "no/such",
            "No such file or directory; make its directory first: mkdir -p",
        ),
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

/// Messages of processes that run at the same time do not mix, if each is one write.
#[test]
fn a_message_is_written_at_once() {
    if !needs::has("strace") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let trace = directory.path().join("trace");
    for (arguments, messages) in [("count missing-1 missing-2", 2), ("by STATE --nonsense", 1)] {
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-e", "trace=write", "-e", "signal=none", "-o"]);
        command.arg(&trace).arg(env!("CARGO_BIN_EXE_fecscan"));
        let ended = run(command
            .args(arguments.split(' '))
            .current_dir(&directory)
            .stdin(Stdio::null()));
        assert_eq!(ended.err.lines().count(), messages, "{}", ended.err);
        let trace = fs::read_to_string(&trace).unwrap();
        let writes = trace.lines().filter(|line| line.contains("write(2,"));
        assert_eq!(writes.count(), messages, "{trace}");
    }
}

#[test]
fn a_packed_file_whose_first_bytes_can_not_be_read_is_not_taken_for_text() {
    if !needs::has("strace") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("packed"), gzip(b"a\nb\n")).unwrap();
    let path = directory.path().join("packed").canonicalize().unwrap();
    let count_where_the_first_read_fails = |error: &str| {
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o", "trace", "-e", "signal=none", "-P"]);
        command.arg(&path).arg("-e");
        command.arg(format!("inject=pread64:error={error}:when=1"));
        command.arg(env!("CARGO_BIN_EXE_fecscan"));
        command.args(["count", "--io", "mmap", "packed"]);
        run(command.current_dir(&directory).stdin(Stdio::null()))
    };
    let failed = count_where_the_first_read_fails("EIO");
    assert_eq!(
        (failed.status, failed.out.as_str(), failed.err.as_str()),
        (2, "", "fecscan: packed: read error: Input/output error\n")
    );
    let interrupted = count_where_the_first_read_fails("EINTR");
    assert_eq!(
        (interrupted.status, interrupted.out.as_str()),
        (0, "2 packed\n")
    );
}

/// The name of a column in the question comes from the schema, and so from a file that was opened.
#[test]
fn a_partial_is_the_same_or_none_whichever_opening_of_its_file_fails() {
    if !needs::has("strace") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().canonicalize().unwrap().join("itcont.txt");
    fs::copy("fixtures/generated.txt", &path).unwrap();
    let asked: [&[&str]; 2] = [&["count"], &["by", "state"]];
    for asked in asked {
        let ended_and_partial = |which: u32| {
            let partial = directory.path().join("partial");
            _ = fs::remove_file(&partial);
            let mut command = Command::new("strace");
            command.args(["-f", "-qq", "-o", "trace", "-e", "signal=none", "-P"]);
            command.arg(&path).arg("-e");
            command.arg(format!("inject=openat:error=EACCES:when={which}"));
            command.arg(env!("CARGO_BIN_EXE_fecscan"));
            command
                .args(asked)
                .args(["--where", "amount>=100", "--partial", "partial"]);
            command.arg(&path).current_dir(&directory);
            (run(command.stdin(Stdio::null())), fs::read(partial).ok())
        };
        let (_, whole) = ended_and_partial(1000);
        assert!(whole.is_some());
        let mut failed = 0;
        for which in 1..10 {
            let (ended, partial) = ended_and_partial(which);
            if ended.status == 0 {
                assert_eq!(partial, whole, "{asked:?} {which}: {}", ended.err);
            } else {
                assert_eq!((ended.status, partial), (2, None), "{}", ended.err);
                assert!(
                    ended.err.contains("itcont.txt: Permission denied"),
                    "{}",
                    ended.err
                );
                failed += 1;
            }
        }
        assert!(failed > 0);
    }
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
