//! Exports whose input or output stalls, and inputs that change while they are exported.

use std::fs::{self, File};
use std::io::{Read, pipe};
use std::num::{NonZeroU64, NonZeroUsize};
use std::os::unix::fs::FileExt;
use std::sync::Mutex;
use std::{io, thread};

use fecscan::engine::{Engine, Options};
use fecscan::export::{ExportQuestion, RowFold};
use fecscan::input::{Input, Io};
use fecscan::render::Format;

use memchr::memmem;
use rustix::io::ioctl_fionread;

use crate::common::program::{fecscan, run_with};
use crate::common::run::mapped;
use crate::faults::waiting::{OpenInput, Running, wait_for_tick_after};

/// A writer that does not end keeps no worker waiting once the head is complete.
#[test]
fn a_head_of_a_pipe_that_stays_open_ends_the_program() {
    let rows = run_with("generate --rows 3000").out;
    for threads in ["1", "2", "6"] {
        let (mut out, result) = pipe().unwrap();
        let mut command = fecscan(["export", "--head", "3", "--task-size", "100000"]);
        command.args(["-j", threads]).stdout(result);
        let mut input = OpenInput::of(&mut command);
        let mut running = Running::start(&mut command);
        drop(command);
        thread::scope(|scope| {
            // It fails when the program has ended.
            let rows = rows.as_bytes();
            scope.spawn(move || {
                let _ = input.try_write(rows);
                // Until then, the pipe stays open.
                input.wait_for_no_reader();
            });
            assert!(running.wait_for_end().success());
        });
        let mut text = String::new();
        out.read_to_string(&mut text).unwrap();
        assert_eq!(text.lines().count(), 3);
    }
}

/// The writer waits for each row before it goes on. The first rows tell the schema, too.
#[test]
fn a_head_of_a_pipe_has_each_row_as_soon_as_it_is_there() {
    let rows = run_with("generate --rows 4").out;
    for options in [&["--schema", "indiv"][..], &["-f", "csv"], &["-j", "2"]] {
        let (mut out, result) = pipe().unwrap();
        let mut command = fecscan(["export", "--head", "5", "--columns", "SUB_ID"]);
        command.args(options).stdout(result);
        let mut input = OpenInput::of(&mut command);
        let mut running = Running::start(&mut command);
        drop(command);
        for row in rows.split_inclusive('\n') {
            // The end of a row may take its time.
            let (beginning, end) = row.split_at(row.len() / 2);
            input.write(beginning.as_bytes());
            running.wait_until("half a row is read", |_| input.is_read());
            input.write(end.as_bytes());
            let id = row.trim_end().rsplit('|').next().unwrap();
            let mut text = Vec::new();
            while memmem::find(&text, id.as_bytes()).is_none() {
                let is_there = |_| ioctl_fionread(&out).unwrap() > 0;
                running.wait_until("the row is written", is_there);
                let mut some = [0; 4096];
                let read = out.read(&mut some).unwrap();
                text.extend_from_slice(&some[..read]);
            }
        }
        drop(input);
        assert!(running.wait_for_end().success());
    }
}

/// Returns the anonymous memory of a process, in bytes.
fn anonymous_memory(id: u32) -> usize {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    number.unwrap_or(0) << 10
}

/// The reader takes nothing until the pipe is full, and the program is often ahead of it afterwards.
#[test]
fn a_reader_that_stalls_makes_memory_no_larger() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    let mut rows = run_with("generate --rows 100000 --hostile")
        .out
        .into_bytes();
    // Blank lines grow to four hundred times their size.
    rows.extend(vec![b'\n'; 700_000]);
    fs::write(&path, rows).unwrap();
    for options in [
        "-j 1",
        "-j 8 --task-size 2000000",
        "-j 8 --task-size 100000 --io read",
    ] {
        let (mut out, result) = pipe().unwrap();
        let mut command = fecscan(["export", "-f", "json"]);
        command.args(options.split(' ')).arg(&path).stdout(result);
        let mut running = Running::start(&mut command);
        drop(command);
        let (mut most, mut bytes) = (0, 0);
        let mut buffer = vec![0; 64 << 10];
        running.wait_until("a full pipe", |_| ioctl_fionread(&out).unwrap() > 60_000);
        for nth in 0.. {
            let read = out.read(&mut buffer).unwrap();
            bytes += read;
            if nth % 50 == 0 {
                most = most.max(anonymous_memory(running.id()));
            }
            if read == 0 {
                break;
            }
        }
        assert!(running.wait_for_end().success());
        assert!(bytes > 250_000_000, "{bytes}");
        assert!((1..64 << 20).contains(&most), "{options}: {most}");
    }
}

/// Changes a file when the first rows are written.
struct ChangeAtWrite<'a> {
    file: &'a File,
    bytes: Mutex<Vec<u8>>,
}

impl io::Write for ChangeAtWrite<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all_at(b"X", 0)?;
        self.bytes.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_file_that_changes_while_it_is_exported_is_noticed_and_the_document_is_whole() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    fs::write(&path, run_with("generate --rows 2000").out).unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    for (io, head) in [(mapped(), None), (Io::read(), None), (Io::read(), Some(3))] {
        wait_for_tick_after(&path);
        let mut options = Options::default();
        options.threads = NonZeroUsize::new(3).unwrap();
        options.task_bytes = NonZeroU64::new(5000).unwrap();
        let engine = Engine::new(options);
        let mut question = ExportQuestion::default();
        question.head = head;
        let mut out = ChangeAtWrite {
            file: &file,
            bytes: Mutex::default(),
        };
        let fold = RowFold::new(question, Format::Json, &mut out);
        let mut run = engine.run(&fold);
        let error = run.input(Input::open(path.as_os_str(), io).unwrap());
        let error = error.unwrap_err().to_string();
        assert!(error.contains("was changed while it was read"), "{error}");
        let partial = run.finish().partial;
        fold.finish(partial, engine.workers()).unwrap();
        let bytes = out.bytes.into_inner().unwrap();
        let array: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert!(!array.as_array().unwrap().is_empty());
    }
}
