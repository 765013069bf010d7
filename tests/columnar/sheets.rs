//! Workbooks: read by another program, the same for any number of threads, and refused where no sheet can hold the rows.

use std::fs;
use std::process::Command;

use crate::common::needs;
use crate::common::program::{assert_fails, fecscan, run};

const GENERATED: &str = "fixtures/generated.txt";

/// The script compares cells, and their kinds, with the CSV of the same question.
#[test]
fn openpyxl_finds_the_cells_of_csv() {
    if !needs::has("openpyxl") {
        return;
    }
    let mut command = Command::new(needs::python());
    command.args(["-B", "tests/queries/sheets.py", "--program"]);
    let ended = run(command.arg(env!("CARGO_BIN_EXE_fecscan")));
    assert_eq!(ended.status, 0, "{}{}", ended.out, ended.err);
    assert!(ended.out.ends_with("all equal\n"), "{}", ended.out);
}

#[test]
fn a_sheet_has_the_same_bytes_for_any_number_of_threads() {
    let file = |options: &[&str]| {
        let mut command = fecscan(["export", "-f", "xlsx", GENERATED]);
        let output = command.args(options).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        output.stdout
    };
    let expected = file(&["--threads", "1"]);
    assert!(expected.starts_with(b"PK"));
    for threads in ["2", "8"] {
        for task_size in ["100", "5000"] {
            let found = file(&["--threads", threads, "--task-size", task_size]);
            assert!(found == expected, "{threads} threads, {task_size}");
        }
    }
}

#[test]
fn rows_that_no_sheet_holds_are_refused_before_anything_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let (rows, result) = (
        directory.path().join("itcont.txt"),
        directory.path().join("x.xlsx"),
    );
    let command = |name: &str| {
        let mut command = fecscan(["export", "--columns", "STATE", "-f", "xlsx"]);
        if !name.is_empty() {
            command.arg("-o").arg(&result);
        }
        command.arg(&rows);
        command
    };
    let message = "a sheet of xlsx has at most 1,048,575 rows below the names; choose csv, -f csv, or fewer rows: --head N or --sample N";
    fs::write(&rows, "\n".repeat(1 << 20)).unwrap();
    for name in ["x.xlsx", ""] {
        let ended = run(&mut command(name));
        assert_eq!((ended.status, &ended.out[..]), (2, ""), "{}", ended.err);
        assert!(ended.err.contains(message), "{}", ended.err);
        assert!(!result.exists());
    }
    let mut fewer = command("x.xlsx");
    assert_eq!(run(fewer.args(["--head", "1048575"])).status, 0);
    assert!(result.exists());
}

#[test]
fn a_text_that_no_cell_holds_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let rows = directory.path().join("other.txt");
    // Of one and of two units of UTF-16.
    for (character, units) in [("é", 1), ("😀", 2)] {
        let text = |units_all: usize| character.repeat(units_all / units);
        let mut command = fecscan([
            "export",
            "--delimiter",
            "tab",
            "--names",
            "a,b",
            "-f",
            "xlsx",
        ]);
        command.arg(&rows);
        fs::write(&rows, format!("x\ty\nx\t{}\n", text(32_766))).unwrap();
        assert_eq!(command.output().unwrap().status.code(), Some(0));
        fs::write(&rows, format!("x\ty\nx\t{}\n", text(32_768))).unwrap();
        let message = "a sheet of xlsx has at most 32,767 characters in a cell, and b has 32,768 in row 3; choose csv, -f csv, or \
            leave the column out";
        assert_fails(run(&mut command), 2, message);
    }
}

#[test]
fn a_name_that_no_cell_holds_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let rows = directory.path().join("other.csv");
    let result = directory.path().join("x.xlsx");
    fs::write(&rows, format!("a,{}\n1,2\n", "b".repeat(32_768))).unwrap();
    let mut command = fecscan(["export", "--header", "-o"]);
    let ended = run(command.arg(&result).arg(&rows));
    let message = "a sheet of xlsx has at most 32,767 characters in a cell, and the name of column 2 has 32,768; choose csv, -f csv, or \
        leave the column out";
    assert_eq!(ended.status, 2);
    assert!(ended.err.contains(message), "{}", ended.err);
    assert!(!result.exists());
}

/// The number format of a cell is an attribute of it. A whole number may be a year, or identify something.
#[test]
fn years_have_no_thousands_separators() {
    if !needs::has("openpyxl") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("rows.csv"), "k,year,price\nx,2018,2018\n").unwrap();
    let mut command = fecscan([
        "by",
        "k",
        "--header",
        "--agg",
        "max(year), sum(price)",
        "-o",
    ]);
    command.arg(at("x.xlsx")).arg(at("rows.csv"));
    let ended = run(command.args(["--types", "year=number:0,price=number"]));
    assert_eq!((ended.status, &ended.err[..]), (0, ""));
    let read = "import openpyxl, sys; row = openpyxl.load_workbook(sys.argv[1]).active[2]; print([cell.number_format for cell in row])";
    let mut python = Command::new(needs::python());
    let printed = run(python.args(["-c", read]).arg(at("x.xlsx"))).out;
    assert_eq!(printed, "['General', 'General', 'General', '#,##0.00']\n");
}
