//! Columns of files of other kinds: names in quotes, numbers without a type, long values, and fields in quotes.

use std::fs;

use fecscan::{ColumnType, Layout};

use crate::common::program::shell;

/// Runs a command in a folder that has the results of `by`, as a file of other kind.
fn of_results(command: &str) -> String {
    let file = fs::canonicalize("fixtures/generated.txt").unwrap();
    let ended = shell(&format!(
        "cd \"$(mktemp -d)\" && ln -s {} itcont.txt \
         && $F by 'zip5(zip),STATE' --sum amount -f csv -o g.csv itcont.txt && {command}",
        file.display()
    ));
    assert_eq!((ended.status, &*ended.err), (0, ""), "{command}");
    ended.out
}

#[test]
fn names_with_parentheses_stand_in_quotes() {
    // Groups of groups have the keys and sums of the rows, and other counts and names.
    let values = "| tail -n +2 | cut -d , -f 1,3";
    for (key, same) in [
        ("zip5(zip)", r#""zip5(zip)""#),
        ("left(zip, 2)", r#"left("zip5(zip)", 2)"#),
        ("STATE", "STATE"),
    ] {
        let by = format!("$F by '{key}' --sum amount --sort 1 -f csv itcont.txt {values}");
        let sum = r#""sum(amount)"::DECIMAL(18, 2)"#;
        let asked = format!(
            "$F by '{same}' --header --sum '{sum}' --sort '{same}' --where '{sum} <> \"count\"::INTEGER'"
        );
        let found = of_results(&format!("{asked} -f csv g.csv {values}"));
        assert_eq!(found, of_results(&by), "{key}");
        let parts = [":200", "200:"].map(|range| format!("--range {range} --partial part{range}"));
        let [first, second] = parts.map(|part| format!("{asked} {part} g.csv"));
        let merged = of_results(&format!(
            "{first} && {second} && $F merge part:200 part200: -f csv {values}"
        ));
        assert_eq!(merged, found, "{key}");
    }
    let chosen = "| tail -n +2 | cut -d , -f 1,2 | sort";
    let rows = r#"$F export --header --where "\"zip5(zip)\" LIKE '9%'" -f csv g.csv"#;
    let groups = "$F by 'zip5(zip),STATE' --where \"zip5(zip) LIKE '9%'\" -f csv itcont.txt";
    assert_eq!(
        of_results(&format!("{rows} {chosen}")),
        of_results(&format!("{groups} {chosen}"))
    );
    let columns = r#"'g."zip5(zip)",STATE'"#;
    let joined = of_results(&format!(
        r#"$F export --with g=g.csv --on 'g."zip5(zip)"=zip5(zip)' --columns {columns} -q -f csv itcont.txt"#
    ));
    let itself = "$F export --columns 'zip5(zip),STATE' -f csv itcont.txt";
    assert_eq!(joined, of_results(itself));
}

/// A lacking or empty value has the bytes of others behind it.
#[test]
fn empty_values_are_no_numbers_whatever_is_behind_them() {
    for (rows, options, expected) in [
        (
            r"12345.67|a|\nx|b\n12345.67\n7|b|5\n",
            "n2 --delimiter '|' --names n1,n2,n3 --types n1=number,n3=number --sum n3 --sum n1",
            "n2,count,sum(n3),sum(n1)\nb,2,5.00,7.00\n,1,,12345.67\na,1,,12345.67\n",
        ),
        (
            r"12345.67,1\n\n\n2,5\n",
            "n1 --delimiter , --names n1,n2 --types n1=number,n2=number --sum n2 --sum n1",
            "n1,count,sum(n2),sum(n1)\n2.00,1,5.00,2.00\n12345.67,1,1.00,12345.67\n,2,,\n",
        ),
        (
            r"a--12345.5-1\n",
            "k --delimiter - --names k,v,z,w --types v=number --sum v",
            "k,count,sum(v)\na,1,\n",
        ),
        (
            r"a001234.50\n",
            "k --delimiter 0 --names k,v,z --types v=number --sum v",
            "k,count,sum(v)\na,1,\n",
        ),
    ] {
        let ended = shell(&format!("printf '{rows}' | $F by {options} -q -f csv"));
        assert_eq!((ended.status, &*ended.out), (0, expected), "{options}");
    }
}

#[test]
fn long_names_keep_their_rows_aligned() {
    let names = [1, 59, 61, 150, 200].map(|length| "é".repeat(length));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("names");
    fs::write(&path, names.join(",1\n") + ",1\n").unwrap();
    let by = format!(
        "$F by '#1' --delimiter comma --agg 'max(#2)' {}",
        path.display()
    );
    let text = shell(&by).out;
    let rows = text
        .lines()
        .filter(|line| line.ends_with('1') && line.contains('é'));
    let widths: Vec<_> = rows.map(|line| line.chars().count()).collect();
    assert_eq!(widths, [widths[0]; 5], "{text}");
}

/// A field that begins with a quote is refused wherever it is, and a quote within a field is a byte like another.
#[test]
fn quotes_are_refused_in_every_row() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rows.csv");
    let file = path.to_str().unwrap();
    for quoted in [0, 1, 1001, 5000] {
        let rows: Vec<String> = (0..6000).map(|row| format!("{row},5\" gun,x\n")).collect();
        for (field, value) in [(0, "\"7\""), (1, "\"a, b\""), (2, "\"\"")] {
            let before = rows[..quoted].concat();
            let mut fields = ["7", "b", "x"];
            fields[field] = value;
            let row = fields.join(",");
            let byte = before.len() + row.find('"').unwrap();
            fs::write(&path, format!("{before}{row}\n{}", rows[quoted..].concat())).unwrap();
            for question in ["count", "by '#2'", "count --where \"#1 = '8'\"", "export"] {
                for way in ["-j1", "-j2 --task-size 1", "--io read"] {
                    // Quotes among the first rows have a meaning, unless they are refused.
                    let quotes = if quoted > 1000 { "" } else { "--quotes refuse" };
                    let command = format!("$F {question} --delimiter comma {quotes} {way} {file}");
                    let ended = shell(&command);
                    let message = format!(
                        "rows.csv: a field begins with a quote, and quotes may hide delimiters and newlines (byte {byte});"
                    );
                    assert_eq!(ended.status, 2, "{command} {}", ended.out);
                    assert!(ended.err.contains(&message), "{command}: {}", ended.err);
                }
            }
        }
    }
    fs::write(&path, "1,5\" gun,x\n".repeat(3000)).unwrap();
    assert_eq!(
        shell(&format!("$F count --delimiter comma {file}")).status,
        0
    );
}

/// What stands behind the rows that are wanted is not looked at. Before it, a quote is an error.
#[test]
fn a_quote_behind_the_first_rows_hinders_no_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rows.csv");
    let file = path.to_str().unwrap();
    let rows: String = (0..60_000).map(|row| format!("{row},b\n")).collect();
    fs::write(&path, format!("{rows}\"7\",b\n{rows}")).unwrap();
    for way in [
        "",
        "-j1",
        "-j2 --task-size 1000",
        "--task-size 600000",
        "--io read",
    ] {
        let command = format!("$F export --delimiter comma --head 2 -f csv {way} {file}");
        let ended = shell(&command);
        let expected = "#1,#2\n0,b\n1,b\n";
        assert_eq!(
            (ended.status, &*ended.out, &*ended.err),
            (0, expected, ""),
            "{command}"
        );
        let ended = shell(&format!(
            "$F export --delimiter comma --head 60001 {way} {file}"
        ));
        assert_eq!(ended.status, 2);
        assert!(ended.err.contains("begins with a quote"), "{}", ended.err);
        assert!(!ended.err.contains("missing"), "{}", ended.err);
    }
    let head = shell(&format!(
        "$F export --delimiter comma --head 60000 {file} | tail -n 1"
    ));
    assert_eq!(head.out, "{\"#1\":\"59999\",\"#2\":\"b\"}\n");
    // A mark of the byte order is no part of the first field.
    fs::write(&path, "\u{feff}\"Name, first\",City\nAnn,Nome\n").unwrap();
    let ended = shell(&format!("$F by City --header -f csv {file}"));
    assert_eq!(ended.out, "City,count\nNome,1\n");
}

/// Conditions compare numbers exactly, for each type of the column. What has more digits than the type is NULL.
#[test]
fn conditions_compare_numbers_exactly() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rows.csv");
    let file = path.to_str().unwrap();
    // In their order.
    let numbers = [
        "-99999999999999.5",
        "-1234567.25",
        "-0.001",
        "0",
        "0.001",
        "2.25",
        "2.250000001",
        "2.255",
        "5.5",
        "6",
        "123456789012.34",
        "99999999999999",
    ];
    let others = ["", "x", "1e5", "1.2.3", "-", ".", "123456789012345678901"];
    let with_zeros = |number: &str| match number.strip_prefix('-') {
        Some(digits) => format!("-00{digits}"),
        None => format!("+00{number}"),
    };
    let rows = numbers.iter().map(|number| (*number).to_owned());
    let rows = rows.chain(numbers.iter().map(|number| with_zeros(number)));
    let rows: Vec<_> = rows.chain(others.map(str::to_owned)).collect();
    fs::write(&path, format!("v\n{}\n", rows.join("\n"))).unwrap();
    for (types, digits, decimals) in [
        ("number:0", 18, 0),
        ("number", 14, 2),
        ("number:3", 18, 3),
        ("number:9", 18, 9),
    ] {
        let fits = |number: &str| {
            let (whole, after) = number.split_once('.').unwrap_or((number, ""));
            let whole = whole.trim_start_matches('-').trim_start_matches('0').len();
            after.len() <= decimals && whole + decimals <= digits
        };
        let place = |row: usize| {
            let row = (row < 2 * numbers.len()).then_some(row % numbers.len());
            row.filter(|row| fits(numbers[*row]))
        };
        for (nth, number) in numbers.iter().enumerate() {
            for (operator, holds) in [
                ("<", [true, false, false]),
                ("<=", [true, true, false]),
                (">", [false, false, true]),
                (">=", [false, true, true]),
                ("=", [false, true, false]),
                ("<>", [true, false, true]),
            ] {
                let asked = shell(&format!(
                    "$F export -q --header --types v={types} --where 'v {operator} {number}' --columns v -f tsv {file} | tail -n +2 | wc -l"
                ));
                let kept = (0..rows.len()).filter(|row| {
                    place(*row).is_some_and(|row| holds[(row.cmp(&nth) as isize + 1) as usize])
                });
                let expected = kept.count().to_string();
                assert_eq!(asked.out.trim(), expected, "{types} v {operator} {number}");
            }
        }
    }
    let untyped = shell(&format!("$F count --header --where 'v > 1' {file}"));
    assert_eq!((untyped.status, &*untyped.out), (2, ""));
}

/// Of the library, where a type may ask for any number of decimals.
#[test]
fn numbers_have_nine_decimals_at_most() {
    for (decimals, sum) in [
        (3, "1.750"),
        (9, "1.750000000"),
        (10, "1.750000000"),
        (200, "1.750000000"),
    ] {
        let mut layout = Layout::new(b';').unwrap();
        layout.kinds = vec![("#2".to_owned(), ColumnType::Number(decimals))];
        let rows = fecscan::scan_bytes(b"a;1.5\na;0.25\nb;x\n").schema(layout.schema());
        let groups = rows
            .group_by("#1")
            .unwrap()
            .sum("#2")
            .unwrap()
            .run()
            .unwrap();
        assert_eq!(
            groups.group(0).to_string(),
            format!("a, count 2, sum(#2) {sum}")
        );
    }
}
