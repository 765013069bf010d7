//! The program writes columns: the same values as JSON has, and the same errors.

use std::fs;
use std::process::Command;

use fecscan::render::Format;
use fecscan::render::columnar::Compression;
use serde_json::Value as Json;

use super::reading::{Columnar, Value, names_in, read};
use crate::common::archives::{Member, gzip, zip};
use crate::common::program::{assert_usage_error, fecscan, on_a_terminal, run, shell};

const PLAIN: &str = "fixtures/plain.txt";
const GENERATED: &str = "fixtures/generated.txt";
const HOSTILE: &str = "fixtures/generated-hostile.txt";

/// Runs the program, which must succeed, and returns what it writes.
fn output(command: &mut Command) -> (Vec<u8>, String) {
    let output = command.output().unwrap();
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{command:?}: {notes}");
    (output.stdout, notes)
}

fn formats() -> [(&'static str, Columnar); 3] {
    let parquet = |compression| (Format::Parquet, compression);
    [
        ("-f parquet", parquet(Compression::Snappy)),
        ("-f Parquet --compression ZSTD", parquet(Compression::Zstd)),
        ("-f arrow", (Format::Arrow, Compression::Snappy)),
    ]
}

/// Returns a value as JSON has it.
fn json(value: Value, name: &str) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Text(text) => text.into(),
        Value::Amount(hundredths) => serde_json::from_str(&format!(
            "{}{}.{:02}",
            if hundredths < 0 { "-" } else { "" },
            hundredths.unsigned_abs() / 100,
            hundredths.unsigned_abs() % 100
        ))
        .unwrap(),
        Value::Day(days) => {
            let shifted = i64::from(days) + 719_468;
            let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
            let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
            let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
            let month = (5 * of_year + 2) / 153;
            let day = of_year - (153 * month + 2) / 5 + 1;
            let month = if month < 10 { month + 3 } else { month - 9 };
            let year = year_of_era + 400 * era + i64::from(month <= 2);
            format!("{year:04}-{month:02}-{day:02}").into()
        }
        // JSON has whole numbers of a file as texts.
        Value::Integer(integer) if ["SUB_ID", "FILE_NUM"].contains(&name) => {
            integer.to_string().into()
        }
        Value::Integer(integer) => integer.into(),
        Value::Truth(is) => is.into(),
        Value::Double(number) => number.into(),
        Value::Huge(number) => serde_json::from_str(&number.to_string()).unwrap(),
    }
}

/// Checks that columns have the values of JSON, by `arguments` of a command.
fn assert_same(arguments: &[&str]) {
    let (expected, notes) = output(fecscan(arguments).args(["-f", "json"]));
    let expected: Vec<serde_json::Map<String, Json>> = serde_json::from_slice(&expected).unwrap();
    for (options, format) in formats() {
        let mut command = fecscan(arguments);
        let (file, columnar_notes) = output(command.args(options.split(' ')));
        assert_eq!(columnar_notes, notes, "{command:?}");
        let rows = read(format, &file);
        assert_eq!(rows.len(), expected.len(), "{command:?}");
        let names = names_in(format, &file);
        for (row, expected) in rows.into_iter().zip(&expected) {
            let values = names.iter().zip(row);
            let values = values.map(|(name, value)| (name.clone(), json(value, name)));
            let found: serde_json::Map<_, _> = values.collect();
            assert_eq!(found, *expected, "{command:?}");
        }
    }
}

#[test]
fn rows_have_the_values_of_json() {
    let directory = tempfile::tempdir().unwrap();
    let committees = directory.path().join("cm.txt");
    let committees = committees.to_str().unwrap();
    output(&mut fecscan(
        "generate --schema cm --rows 10000 -o"
            .split(' ')
            .chain([committees]),
    ));
    let joined = ["--with", committees, "--columns"];
    let columns = "month(date),CMTE_NM,#8,first_name(name),date,amount*2,zip5(zip),SUB_ID";
    for types in ["raw", "typed"] {
        for path in [GENERATED, HOSTILE] {
            for others in [
                &[][..],
                &[
                    "--columns",
                    "last_name(name),year(date),amount>100,SUB_ID,amount",
                ],
                &["--head", "0"],
                &["--head", "17", "--task-size", "100"],
                &["--where", "STATE IN ('CA', 'NY')", "--contributions", "-j1"],
                &["--where", "STATE = 'nowhere'"],
                &[
                    joined[0],
                    joined[1],
                    joined[2],
                    columns,
                    "--task-size",
                    "777",
                ],
            ] {
                let arguments = [&["export", path, "--types", types], others].concat();
                assert_same(&arguments);
            }
        }
    }
    let archive = directory.path().join("a.zip");
    let members = ["a.txt", "b.txt", "c.txt"]
        .map(|name| Member::deflated(name, &fs::read(GENERATED).unwrap()));
    fs::write(&archive, zip(&members)).unwrap();
    let inputs = ["export", GENERATED, archive.to_str().unwrap(), HOSTILE];
    for options in [
        "--types typed --schema indiv",
        "--types typed --schema indiv --head 100",
        "--types typed --schema indiv --head 101 -j 8 --task-size 1000",
        "--types typed --schema indiv --head 399 -j 8",
        "--types typed --schema indiv --head 10000 -j 1",
    ] {
        let options: Vec<&str> = options.split(' ').collect();
        assert_same(&[&inputs[..], &options].concat());
    }
}

#[test]
fn groups_have_the_values_of_json() {
    for arguments in [
        "by STATE,month(date),date,amount fixtures/generated.txt",
        "by zip fixtures/generated-hostile.txt --sum amount --agg min(date),count(DISTINCT(name)),max(amount)",
        "by NAME fixtures/empty.txt --sum amount",
    ] {
        assert_same(&arguments.split(' ').collect::<Vec<_>>());
    }
}

#[test]
fn types_and_extensions_are_the_default() {
    let directory = tempfile::tempdir().unwrap();
    for (name, format) in [
        ("a.parquet", formats()[0].1),
        ("a.PQ", formats()[0].1),
        ("a.arrow", (Format::Arrow, Compression::Snappy)),
        ("a.arrows", (Format::Arrow, Compression::Snappy)),
    ] {
        let path = directory.path().join(name);
        output(fecscan(["export", GENERATED, "--head", "3", "-o"]).arg(&path));
        let rows = read(format, &fs::read(&path).unwrap());
        assert_eq!(rows.len(), 3);
        assert!(matches!(rows[0][13], Value::Day(_)), "{:?}", rows[0]);
        assert!(matches!(rows[0][14], Value::Amount(_)), "{:?}", rows[0]);
        assert!(matches!(rows[0][20], Value::Integer(_)), "{:?}", rows[0]);
        output(fecscan(["by", "STATE", GENERATED, "-o"]).arg(&path));
        let rows = read(format, &fs::read(&path).unwrap());
        assert!(matches!(rows[0][..], [Value::Text(_), Value::Integer(_)]));
    }
}

#[test]
fn types_do_not_depend_on_values() {
    for condition in ["NAME = 'nobody'", "STATE <> 'nowhere'"] {
        let arguments = "by STATE fixtures/plain.txt --agg max(date),sum(amount) -f arrow --where";
        let (file, _) = output(fecscan(arguments.split(' ')).arg(condition));
        let reader = arrow_ipc::reader::StreamReader::try_new(&file[..], None).unwrap();
        let schema = reader.schema();
        let types = schema
            .fields()
            .iter()
            .map(|field| field.data_type().to_string());
        assert_eq!(
            types.collect::<Vec<_>>(),
            ["Utf8", "Int64", "Date32", "Decimal128(38, 2)"]
        );
    }
}

#[test]
fn the_file_knows_where_it_comes_from() {
    let (file, _) = output(&mut fecscan(["export", "-f", "arrow", GENERATED, HOSTILE]));
    let reader = arrow_ipc::reader::StreamReader::try_new(&file[..], None).unwrap();
    let schema = reader.schema();
    assert_eq!(schema.metadata()["fecscan.schema"], "indiv");
    let sources: Vec<String> = serde_json::from_str(&schema.metadata()["fecscan.sources"]).unwrap();
    assert_eq!(sources, [GENERATED, HOSTILE]);
}

#[test]
fn rows_that_differ_come_from_both_versions() {
    let both = format!("{PLAIN},{GENERATED}");
    let (file, _) = output(&mut fecscan(["diff", "-f", "arrow", &both, HOSTILE]));
    let reader = arrow_ipc::reader::StreamReader::try_new(&file[..], None).unwrap();
    let schema = reader.schema();
    let sources: Vec<String> = serde_json::from_str(&schema.metadata()["fecscan.sources"]).unwrap();
    assert_eq!(sources, [PLAIN, GENERATED, HOSTILE]);
}

#[test]
fn a_terminal_gets_no_columns() {
    for (command, format) in [
        ("export", "parquet"),
        ("by STATE", "arrow"),
        ("export", "xlsx"),
        ("by STATE", "xlsx"),
        ("count -o /dev/tty", "xlsx"),
        ("", "xlsx"),
    ] {
        let ended = on_a_terminal(&format!("$F {command} -f {format} {GENERATED}"));
        assert_eq!(ended.status, 2);
        let what = format!("{format} is binary, and a terminal shows text");
        assert!(ended.out.contains(&what), "{}", ended.out);
        assert!(ended.out.contains("name a file with -o"), "{}", ended.out);
    }
}

#[test]
fn an_input_that_fails_leaves_whole_rows_or_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cut.txt.gz");
    let rows = fs::read(GENERATED).unwrap().repeat(100);
    let whole = directory.path().join("itcont.txt");
    fs::write(&whole, &rows).unwrap();
    let packed = gzip(&rows);
    fs::write(&path, &packed[..packed.len() / 2]).unwrap();
    for (options, format) in formats() {
        let mut command = fecscan(["export", "--task-size", "5000"]);
        command
            .arg(&path)
            .args([GENERATED])
            .args(options.split(' '));
        let ended = command.output().unwrap();
        assert_eq!(ended.status.code(), Some(2));
        let found = read(format, &ended.stdout);
        let mut text = fecscan(["export", "--task-size", "7000"]);
        let text = text.arg(&path).arg(GENERATED).output().unwrap().stdout;
        assert_eq!(found.len(), text.iter().filter(|&&b| b == b'\n').count());
        assert!(found.len() > 200 && found.len() < 10_000);
        let (expected, _) = output(
            fecscan(["export", "-f", "arrow"])
                .arg(&whole)
                .args(["--head", &(found.len() - 100).to_string()]),
        );
        let (last, _) = output(&mut fecscan(["export", "-f", "arrow", GENERATED]));
        let expected =
            [expected, last].map(|file| read((Format::Arrow, Compression::Snappy), &file));
        assert!(found == expected.concat());

        let result = directory.path().join("result");
        let ended = run(command.arg("-o").arg(&result));
        assert_eq!(ended.status, 2);
        assert!(ended.err.contains("is not written"), "{}", ended.err);
        assert!(!result.exists());
    }
}

#[test]
fn options_that_do_not_fit_are_refused() {
    for command in ["export", "by STATE"] {
        let arguments = format!("{command} -f csv --compression zstd {GENERATED}");
        assert_usage_error(&arguments, "--compression is for Parquet");
        let arguments = format!("{command} -f arrow --compression zstd {GENERATED}");
        assert_usage_error(&arguments, "--compression is for Parquet");
    }
}

#[test]
fn a_missing_input_is_named_and_others_are_written() {
    let (whole, _) = output(&mut fecscan(["export", "-f", "parquet", GENERATED]));
    for inputs in [
        [GENERATED, "fixtures/absent.txt"],
        ["fixtures/absent.txt", GENERATED],
    ] {
        let ended = fecscan(["export", "-f", "parquet"])
            .args(inputs)
            .output()
            .unwrap();
        assert_eq!(ended.status.code(), Some(2));
        let message = String::from_utf8(ended.stderr).unwrap();
        assert!(
            message.contains("absent.txt") && message.lines().count() == 1,
            "{message}"
        );
        assert!(read(formats()[0].1, &ended.stdout) == read(formats()[0].1, &whole));
    }
}

#[test]
fn a_failed_output_is_told_once_and_a_closed_pipe_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    fs::write(&path, fs::read(GENERATED).unwrap().repeat(1_000)).unwrap();
    let path = path.display();
    for options in [
        "-f parquet",
        "-f arrow",
        "-f arrow -j 1",
        "-f parquet --head 90000",
    ] {
        let ended = shell(&format!(
            "\"$F\" export -q {options} {path} {path} {path} > /dev/full"
        ));
        assert_eq!(ended.status, 2, "{options}");
        assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
        assert!(
            ended.err.contains("standard output: can't be written"),
            "{}",
            ended.err
        );
        let script = format!("\"$F\" export -q {options} {path} {path} | head -c 1 > {path}.1");
        let ended = shell(&script);
        assert_eq!((ended.status, &ended.err[..]), (0, ""), "{options}");
    }
    let ended = shell(&format!("\"$F\" by name -f parquet {path} > /dev/full"));
    assert_eq!(
        (ended.status, ended.err.lines().count()),
        (2, 1),
        "{}",
        ended.err
    );
}

#[test]
fn long_values_of_partners_are_handed_over_before_the_chunk_ends() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let committee = [b"C00000001|", &[b'x'; 100_000][..], b"|\n"].concat();
    fs::write(at("cm.txt"), committee).unwrap();
    fs::write(at("itcont.txt"), b"C00000001\n".repeat(3_000)).unwrap();
    for options in ["", "--head 2000"] {
        let script = format!(
            // 300 MB of values, in less memory.
            "ulimit -v 400000; cd {}; \"$F\" export -q -j 1 --schema indiv --with cm.txt {options} \
             --columns SUB_ID,cm.CMTE_NM -f parquet -o rows.parquet itcont.txt",
            directory.path().display()
        );
        let ended = shell(&script);
        assert_eq!((ended.status, &ended.err[..]), (0, ""), "{options}");
        let rows = read(formats()[0].1, &fs::read(at("rows.parquet")).unwrap());
        assert_eq!(rows.len(), if options.is_empty() { 3_000 } else { 2_000 });
        let long = Value::Text("x".repeat(100_000));
        assert!(rows.iter().all(|row| row[1] == long));
    }
}
