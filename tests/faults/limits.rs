//! Limits, provoked: `docs/limits.md` has the table.

use std::fs;
use std::path::Path;

use fecscan::coding::varint;
use fecscan::sql::Filter;
use twox_hash::XxHash3_128;

use crate::common::program::{Ended, fecscan, run, shell};

/// Runs a script in a folder, with at most so many MB of addresses, for a minute at most.
fn run_in(folder: &Path, megabytes: u64, script: &str) -> Ended {
    let folder = folder.display();
    let kilobytes = megabytes * 1000;
    shell(&format!(
        "cd {folder} && ulimit -v {kilobytes} && F=\"timeout 60 $F\" && {script}"
    ))
}

#[track_caller]
fn assert_refused(ended: &Ended, message: &str) {
    assert_eq!((ended.status, &ended.out[..]), (2, ""), "{}", ended.err);
    assert!(ended.err.contains(message), "{}", ended.err);
}

fn nested(count: usize) -> String {
    "trim(".repeat(count) + "NAME" + &")".repeat(count)
}

/// Writes a partial of the fixture with one condition.
fn partial_with(condition: &str, path: &Path) -> Vec<u8> {
    let arguments = ["count", "fixtures/generated.txt", "--where", condition];
    let ended = run(fecscan(arguments).arg("--partial").arg(path));
    assert_eq!(ended.status, 0, "{}", ended.err);
    fs::read(path).unwrap()
}

/// Returns a partial in whose description `from` has become `to`, with lengths and a hash that fit.
fn forged(partial: &[u8], from: &str, to: &str) -> Vec<u8> {
    let (start, content) = partial[..partial.len() - 16].split_at(9);
    let (length, after) = varint::take(content).unwrap();
    let (description, state) = content[after..].split_at(length as usize);
    let description = str::from_utf8(description).unwrap();
    assert!(description.contains(from), "{description}");
    let description = description.replace(from, to);
    let mut made = start.to_vec();
    varint::put(description.len() as u64, &mut made);
    made.extend_from_slice(description.as_bytes());
    made.extend_from_slice(state);
    let hash = XxHash3_128::oneshot(&made);
    made.extend_from_slice(&hash.to_le_bytes());
    made
}

#[test]
fn functions_of_ways_to_tables_nest_as_deep_as_those_of_statements() {
    let count = |depth: usize| {
        let on = format!("{}=g.NAME", nested(depth));
        let arguments = [
            "count",
            "--where=g.NAME <> ''",
            "--with=g=fixtures/generated.txt",
        ];
        run(fecscan(arguments).args(["--on", &on, "fixtures/generated.txt"]))
    };
    assert_eq!(count(40), count(0));
    for depth in [100, 1000, 20_000] {
        assert_refused(&count(depth), "deep in each other");
    }
}

#[test]
fn functions_of_columns_nest_as_deep_as_those_of_statements() {
    let export = |column: &str| {
        run(
            fecscan(["export", "--head=3", "-f=csv", "--columns", column])
                .arg("fixtures/generated.txt"),
        )
    };
    let deep = export(&format!("{} AS name", nested(40)));
    assert_eq!(deep, export("NAME AS name"));
    for depth in [100, 1000, 5000] {
        assert_refused(&export(&nested(depth)), "deep in each other");
    }
}

#[test]
fn functions_of_keys_and_aggregates_nest_as_deep_as_those_of_statements() {
    let by = |arguments: &[&str]| {
        run(fecscan(["by", "-n=1", "-f=tsv"])
            .args(arguments)
            .arg("fixtures/generated.txt"))
    };
    let plain = by(&["NAME AS name"]);
    let deep = by(&[&format!("{} AS name", nested(40))]);
    assert_eq!(deep, plain);
    for depth in [100, 1000, 5000] {
        let key = nested(depth);
        let aggregate = format!("--agg=max({key})");
        for arguments in [&[&key[..]][..], &["STATE", &aggregate]] {
            assert_refused(&by(arguments), "deep in each other");
        }
    }
}

#[test]
fn functions_of_conditions_nest_as_deep_as_those_of_statements() {
    let count = |depth: usize| {
        let condition = nested(depth) + " <> 'X'";
        run(&mut fecscan([
            "count",
            "fixtures/generated.txt",
            "--where",
            &condition,
        ]))
    };
    assert_eq!(count(40).out, "100 fixtures/generated.txt\n");
    for depth in [100, 1000, 5000] {
        assert_refused(&count(depth), "deep in each other");
    }
}

#[test]
fn a_partial_nests_functions_no_deeper() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p");
    let partial = partial_with("trim(NAME) <> 'X'", &path);
    for (depth, message) in [
        (1000, "deep in each other"),
        (100_000, "262144 are the most"),
    ] {
        fs::write(&path, forged(&partial, "trim(NAME)", &nested(depth))).unwrap();
        let ended = run_in(folder.path(), 2000, "$F merge p");
        assert_refused(&ended, message);
    }
}

#[test]
fn there_are_64_conditions_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p");
    let message =
        "there are more than 64 conditions; connect them by AND: STATE = 'CA' AND amount >= 1000";
    let any = |count| vec!["STATE = 'CA'"; count];
    assert!(Filter::new(any(64)).is_ok());
    let error = Filter::new(any(65)).unwrap_err().with_advice();
    assert_eq!(error, message);
    let partial = partial_with("NAME ~ 'A.B'", &path);
    let many = vec!["NAME ~ '([ab]{99}){99}'"; 20_000].join("\",\"");
    fs::write(&path, forged(&partial, "NAME ~ 'A.B'", &many)).unwrap();
    assert_refused(&run_in(folder.path(), 1000, "$F merge p"), message);
}

#[test]
fn conditions_have_the_size_of_statements_at_most() {
    let of = |bytes: usize| format!("NAME = '{}'", "x".repeat(bytes - 9));
    assert!(Filter::new([of(1 << 18)]).is_ok());
    let said = |condition: &str| Filter::new([condition]).unwrap_err().to_string();
    assert!(said(&of((1 << 18) + 1)).contains("262145 bytes, and 262144 are the most"));
    assert!(said(&vec!["STATE = 'CA'"; 300].join(" OR ")).contains("more than 500 operators"));
    let large = "NAME ~ '([ab]{99}){800}'";
    let counted = run(&mut fecscan([
        "count",
        "fixtures/generated.txt",
        "--where",
        large,
    ]));
    assert_refused(&counted, "exceeds size limit");
}

#[test]
fn a_list_of_names_has_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let script = "$F count --names-from /dev/zero /dev/null";
    let ended = run_in(folder.path(), 1000, script);
    let message = "fecscan: /dev/zero: has more than 16 MiB, and is not a list of names; write the names of the columns into a file";
    assert_refused(&ended, message);
}

/// A stream goes on for ever after a partial, within its description, and within its state.
#[test]
fn a_partial_has_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p");
    let partial = partial_with("STATE = 'CA'", &path);
    let endless = "(cat p; cat /dev/zero) | $F merge -";
    let ended = run_in(folder.path(), 1000, endless);
    assert_refused(&ended, "standard input: is damaged, or no partial");
    let mut description = partial[..9].to_vec();
    varint::put(1 << 40, &mut description);
    fs::write(&path, &description).unwrap();
    let ended = run_in(folder.path(), 1000, endless);
    assert_refused(&ended, "standard input: is damaged, or no partial");
    let (length, after) = varint::take(&partial[9..]).unwrap();
    let mut state = partial[..9 + after + length as usize].to_vec();
    varint::put(1 << 50, &mut state);
    fs::write(&path, &state).unwrap();
    let ended = run_in(folder.path(), 1000, endless);
    let message =
        "standard input: says that it has 1125899.91 GB of groups, more than the available memory";
    assert_refused(&ended, message);
}

/// Writes tables of so many rows with one key, and returns the options that join them.
fn tables(folder: &Path, rows: &[usize]) -> String {
    let options = rows.iter().enumerate().map(|(nth, rows)| {
        let rows = (0..*rows).map(|row| format!("CA,{row}\n"));
        let text = "key,v\n".to_owned() + &rows.collect::<String>();
        fs::write(folder.join(format!("t{nth}.csv")), text).unwrap();
        format!("--with t{nth}=t{nth}.csv --on STATE=t{nth}.key ")
    });
    options.collect()
}

#[test]
fn matches_in_several_tables_multiply() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = fs::canonicalize("fixtures/generated.txt").unwrap();
    let fixture = fixture.display();
    // 16 of 100 rows are of CA. All others have no match.
    let tables = tables(folder.path(), &[30, 20]);
    let script =
        format!("$F by 't0.v, t1.v AS w' -f csv {tables} {fixture} | sort | uniq -c | wc -l");
    let ended = run_in(folder.path(), 2000, &script);
    assert_eq!(ended.out.trim(), "602", "{}", ended.err);
    let script = format!("$F by t0.v -f csv --sort 'count, t0.v' {tables} {fixture} | tail -1");
    assert_eq!(run_in(folder.path(), 2000, &script).out.trim(), "9,320");
}

#[test]
fn sixteen_files_are_joined_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = fs::canonicalize("fixtures/generated.txt").unwrap();
    let fixture = fixture.display();
    let ended = |count: usize| {
        let options = tables(folder.path(), &vec![1; count]);
        let script = format!("$F by t0.v -f csv {options} {fixture}");
        run_in(folder.path(), 2000, &script)
    };
    assert_eq!(ended(16).out, "v,count\n,84\n0,16\n");
    let message = "more than 16 files can't be joined; join those that are needed";
    assert_refused(&ended(17), message);
}

/// A table that leads to another: the rows of the second follow each match in the first.
#[test]
fn matches_in_chained_tables_are_rows() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = fs::canonicalize("fixtures/generated.txt").unwrap();
    let fixture = fixture.display();
    let first = (0..200).map(|row| format!("CA,k{row}\n"));
    let first = "key,to\n".to_owned() + &first.collect::<String>();
    fs::write(folder.path().join("one.csv"), first).unwrap();
    let second = (0..200).flat_map(|key| (0..3).map(move |row| format!("k{key},{row}\n")));
    let second = "key,v\n".to_owned() + &second.collect::<String>();
    fs::write(folder.path().join("two.csv"), second).unwrap();
    let script = format!(
        "$F by two.v -f csv --sort two.v --with one=one.csv --on STATE=one.key --with two=two.csv --on one.to=two.key {fixture}"
    );
    let ended = run_in(folder.path(), 2000, &script);
    // 84 rows have no match, and 16 have 200 with each value.
    assert_eq!(ended.out, "v,count\n0,3200\n1,3200\n2,3200\n,84\n");
}

#[test]
fn groups_after_a_join_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = fs::canonicalize("fixtures/generated.txt").unwrap();
    let options = tables(folder.path(), &[300, 300]);
    let script = format!(
        "$F by 't0.v, t1.v AS w' -f csv --max-groups 20000 {options} {}",
        fixture.display()
    );
    let message = "there are more than 20000 groups; group by less";
    assert_refused(&run_in(folder.path(), 2000, &script), message);
}

/// The rows of a block have 256 joined values of 4 MiB together.
#[test]
fn an_export_of_long_joined_values_is_kept_row_by_row() {
    let folder = tempfile::tempdir().unwrap();
    let row = fs::read_to_string("fixtures/plain.txt").unwrap();
    let row = row.lines().next().unwrap().to_owned() + "\n";
    fs::write(folder.path().join("itcont.txt"), row.repeat(100)).unwrap();
    let state = row.split('|').nth(9).unwrap();
    let value = "x".repeat(4 << 20);
    fs::write(
        folder.path().join("t.csv"),
        format!("key,v\n{state},{value}\n"),
    )
    .unwrap();
    let asked = "--columns STATE,t.v --with t=t.csv --on STATE=t.key itcont.txt";
    let bytes = 100 * (state.len() + 1 + value.len() + 1) + "STATE,v\n".len();
    for threads in [1, 2] {
        let script = format!("$F export -f csv --threads {threads} {asked} | (sleep 1; wc -c)");
        let ended = run_in(folder.path(), 600, &script);
        assert_eq!(ended.out.trim(), bytes.to_string(), "{}", ended.err);
    }
}

/// Each row of the table names a test, which stands somewhere.
#[test]
fn the_page_of_limits_names_tests() {
    let page = fs::read_to_string("docs/limits.md").unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let mut sources = String::new();
    for folder in ["src", "tests"] {
        read_all(Path::new(folder), &mut sources);
    }
    let mut count = 0;
    for row in rows.skip(1) {
        let name = row.trim_end_matches(" |").rsplit("| ").next().unwrap();
        let name = name.trim_matches('`');
        assert!(sources.contains(&format!("fn {name}(")), "no test {name}");
        count += 1;
    }
    assert!(count > 20, "{count} limits");
}

fn read_all(folder: &Path, sources: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_all(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}
