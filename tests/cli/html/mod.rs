//! Pages for browsers: their structure, their numbers beside those of JSON, hostile values, and the same bytes for all
//! ways to read. `tests/pages` opens them in a browser.

mod numbers;
mod page;

use std::fs::{self, File};
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use self::numbers::json;
use self::page::Page;
use crate::cli::PLAIN;
use crate::common::needs;
use crate::common::program::{assert_usage_error, fecscan, run, run_with, shell};

/// Returns the page that the program prints for these arguments, taken apart, and its bytes.
fn page(arguments: &str) -> (Page, String) {
    let ended = run_with(&format!("{arguments} -f html"));
    assert_eq!(ended.status, 0, "{arguments}: {}", ended.err);
    (Page::parse(&ended.out), ended.out)
}

#[test]
fn what_is_counted_stands_on_the_page() {
    let (report, _) = page("fixtures/indiv18.zip");
    let rules = report.texts("li").join("\n");
    assert!(
        rules.contains("Refunds and conduit copies are rows too; --contributions leaves them out."),
        "{rules}"
    );
    assert!(rules.contains("when the page was filed"), "{rules}");
    // Where the rows are from is not known: they may be generated.
    let made = format!(
        "Made by fecscan {}, with this command:",
        env!("CARGO_PKG_VERSION")
    );
    assert!(report.texts("p").join("\n").contains(&made));
    assert_eq!(
        report.texts("code").last().unwrap(),
        "fecscan fixtures/indiv18.zip -f html"
    );
    assert!(
        report
            .texts("p")
            .iter()
            .any(|p| p.contains("4 members in a folder are left out"))
    );
    let (groups, _) = page("by STATE --sum amount fixtures/plain.txt");
    let rules = groups.texts("li").join("\n");
    assert!(
        rules.contains(
            "Among them: refunds 1, conduit copies 0, memo rows 0. --contributions leaves them out."
        ),
        "{rules}"
    );
    let (old, html) = page("fixtures/old-image-numbers.txt");
    assert!(
        old.texts("p")
            .iter()
            .any(|p| p.starts_with("5 of 6 rows have no calendar month"))
    );
    let place = |text: &str| html.find(text).unwrap();
    assert!(
        place("rows have no calendar month") < place("<dl"),
        "the advice comes first"
    );
    assert!(
        !html.contains("--month-column</code> TRANSACTION_DT counts by the date of the gift.</li>")
    );
}

#[test]
fn charts_have_a_place_for_each_month_or_a_bar_for_each_group() {
    let titles = |arguments: &str| {
        let (page, _) = page(arguments);
        let titles = page.texts("title")[1..].to_vec();
        (titles, page.texts("desc").to_vec())
    };
    let (columns, text) = titles(PLAIN);
    let expected = [
        "2018-04: 2",
        "2018-05: 2",
        "2018-06: 3",
        "2018-07: 1",
        "Rows by month",
    ];
    let mut sorted = columns.clone();
    sorted.sort();
    assert_eq!(sorted, expected);
    assert_eq!(
        text,
        ["From 2018-04 to 2018-07. The highest: 3 in 2018-06. The table has all values."]
    );
    // In the order of time, whatever the order of groups.
    let (columns, _) = titles(&format!(
        "by date_trunc('month',date) --sum amount --sort sum(amount) {PLAIN}"
    ));
    assert_eq!(
        columns,
        [
            "Money by month",
            "2018-03: 300.00",
            "2018-04: 100.00",
            "2018-05: 50.00"
        ]
    );
    // Groups that were cut off would be missing months.
    let (bars, _) = titles(&format!(
        "by strftime(date,'%Y-%m')AS\"month\" --top 2 {PLAIN}"
    ));
    assert_eq!(bars, ["Rows by month", "2018-05: 3", "2018-03: 2"]);
    for (key, label) in [
        ("year(date)", ">2018</text>"),
        ("date_trunc('month',date)", "2018-04: 2"),
        ("strftime(date,'%Y-%m')", "2018-04: 2"),
    ] {
        let (_, html) = page(&format!("by {key} {PLAIN}"));
        assert!(
            html.contains("class=\"time\"") && html.contains(label),
            "{key}: {html}"
        );
    }
    // The months of all years together, and the quarters, are no times.
    for key in [
        "month(date)",
        "quarter(date)",
        "date",
        "year(date),month(date)",
    ] {
        let (_, html) = page(&format!("by {key} {PLAIN}"));
        assert!(!html.contains("class=\"time\""), "{key}: {html}");
    }
    let (_, none) = page("--where state='XX' --force fixtures/empty.txt");
    assert!(!none.contains("<svg"), "{none}");
}

#[test]
fn a_page_and_a_chart_take_a_title() {
    for question in ["by STATE", "by date_trunc('month',date)", ""] {
        let title = "--title Gifts~<Ohio>";
        let made = |format| {
            let words = format!("{question} -q -f {format} {title} {PLAIN}");
            let words = words.split_whitespace().map(|word| word.replace('~', " "));
            let ended = run(&mut fecscan(words));
            assert_eq!((ended.status, ended.err.as_str()), (0, ""));
            ended.out
        };
        assert!(
            made("html").contains("<h1>Gifts &lt;Ohio&gt;</h1>"),
            "{question}"
        );
        assert!(
            made("svg").contains(">Gifts &lt;Ohio&gt;</text>"),
            "{question}"
        );
    }
    let message = "--title is for html and svg, and the format is csv; leave it out, or add -f svg, or -o chart.svg";
    assert_usage_error(&format!("by STATE --title X -f csv {PLAIN}"), message);
}

/// A label to the left of its tick, or of its column, reads as that of an earlier time. The peak is in the last month but one.
#[test]
fn labels_of_the_time_stand_at_their_ticks() {
    let row = "C|N|M4|P|%s01289112345678|15|IND|A, N|CITY|CA|9|||%s|10||T|1|||2\\n";
    let months = "201610 201611 201612 201701 201702 201703 201704 201705 201706 201707 201708 201709 201710 201711 201711 201801";
    let ended = shell(&format!(
        "for month in {months}; do printf '{row}' $month 01012018; done | $F -f html"
    ));
    let (_, chart) = ended.out.split_once("<svg class=\"time\"").unwrap();
    let (chart, _) = chart.split_once("</svg>").unwrap();
    for (place, year) in [("18.75", "2017"), ("93.75", "2018")] {
        assert!(chart.contains(&format!("<line class=\"zero\" x1=\"{place}%\"")));
        let label = format!("<text x=\"{place}%\" y=\"239\">{year}</text>");
        assert!(chart.contains(&label), "{label}: {chart}");
    }
    let peak = "<text x=\"84.38%\" y=\"20\" text-anchor=\"middle\" class=\"peak\">2</text>";
    assert!(chart.contains(peak), "{chart}");
    assert!(chart.contains("style=\"padding:0 30px 0 46px"), "{chart}");
}

#[test]
fn long_lists_are_cut_with_a_line_that_says_so() {
    let row = "sed 's/.*/C|N|M4|P|201804129112345678|15|IND|A, N&|CITY|&||||04012018|10||T|1|||2/'";
    let ended = shell(&format!("seq 1000 1399 | {row} | $F by STATE -f html"));
    let page = Page::parse(&ended.out);
    assert_eq!(page.table("STATE").len(), 250);
    let lines = page.texts("p").join("\n");
    for line in [
        "… and 150 more groups; -f csv lists all.",
        "The chart has the first 30 of 400 groups.",
    ] {
        assert!(lines.contains(line), "{lines}");
    }
    assert_eq!(
        page.texts("rect").len(),
        0,
        "rectangles have titles or no content"
    );
    let ended = shell(&format!("seq 1000 1399 | {row} | $F --top 400 -f html"));
    let page = Page::parse(&ended.out);
    assert_eq!(page.table("first name").len(), 251);
    assert!(
        page.texts("p")
            .join("\n")
            .contains("… and 150 more first names; -f csv lists all.")
    );
    let ended = shell(&format!(
        "seq 1000 1399 | {row} | $F by STATE --top 3 -f html"
    ));
    let last = Page::parse(&ended.out).table("STATE")[3].clone();
    assert_eq!(last[..2], ["(rest)", "397"]);
    let long = shell(&format!("printf '%0999d' 7 | {row} | $F by STATE -f html"));
    assert!(long.out.len() < 12_000, "{}", long.out.len());
}

/// Hostile bytes in every place that a user or the data can fill: names of files, conditions, keys, names.
#[test]
fn hostile_values_stay_values() {
    let hostile = "</title><script>alert(1)</script>\"'&\u{1b}[2J\u{202e}\u{9b}";
    let visible = r#"</title><script>alert(1)</script>"'&\x1b[2J\u{202e}\u{9b}"#;
    let directory = tempfile::tempdir().unwrap();
    let name = hostile.replace('/', "\\");
    let path = directory.path().join(format!("{name}.txt"));
    let row = format!(
        "C|N|M4|P|201804129112345678|15|IND|X, {hostile}|CITY|{hostile}||||04012018|10||T|1|||2\n"
    );
    let cut = row.replace("15|IND", "15|IND\0\x01\x08").repeat(2);
    fs::write(&path, row + &cut).unwrap();
    let condition = format!("STATE = '{}'", hostile.replace('\'', "''"));
    let command = |arguments: &[&str]| {
        let mut command = fecscan(arguments);
        command
            .arg(&path)
            .args(["-f", "html", "--where", &condition]);
        let ended = run(&mut command);
        assert_eq!((ended.status, &*ended.err), (0, ""), "{arguments:?}");
        let tricky = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(
            !ended.out.contains(tricky) && !ended.out.contains("<script"),
            "{arguments:?}"
        );
        (Page::parse(&ended.out), ended.out)
    };
    let (report, _) = command(&["--name", "0", "--top", "2"]);
    let file = visible.replace('/', "\\");
    assert!(
        report.texts("title")[0].contains(&file),
        "{:?}",
        report.texts("title")
    );
    assert!(report.table("file")[0][0].contains(&file));
    assert_eq!(report.table("line")[0][1], format!("X, {visible}"));
    assert_eq!(report.table("first name")[0][0], visible);
    let shown = report.texts("code").last().unwrap();
    assert!(shown.contains("STATE = "), "{shown}");
    assert!(shown.contains("</title><script>"), "{shown}");
    for keys in ["STATE", "NAME,STATE", "first_name(NAME)"] {
        let (groups, html) = command(&["by", keys]);
        assert!(groups.tables[0][1].join(" ").contains(visible), "{keys}");
        assert!(groups.texts("h1")[0].starts_with("Rows by "), "{keys}");
        assert!(html.contains("Content-Security-Policy"));
    }
}

#[test]
fn other_bytes_than_utf_8_are_windows_1252() {
    let (page, _) = page("by NAME fixtures/windows-1252.txt");
    let json = json("by NAME fixtures/windows-1252.txt");
    let names = |name: &str| page.table("NAME").iter().any(|row| row[0] == name);
    let high = json
        .as_array()
        .unwrap()
        .iter()
        .map(|group| group["NAME"].as_str().unwrap());
    let high: Vec<_> = high.filter(|name| !name.is_ascii()).collect();
    assert!(high.len() > 1 && high.into_iter().all(names));
}

#[test]
fn bytes_are_the_same_for_all_ways_to_read() {
    for arguments in [
        "--top 5 fixtures/generated.txt",
        "by NAME,date_trunc('month',date) --sum amount fixtures/generated-hostile.txt",
    ] {
        let (_, expected) = page(arguments);
        for options in [
            "-j 1",
            "-j 3 --task-size 64",
            "--io read --stats --no-progress",
            "--simd portable --color always",
        ] {
            let ended = run_with(&format!("{arguments} {options} -f html"));
            assert_eq!(ended.out, expected, "{options}");
        }
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("page.HTML");
        let ended = run_with(&format!("{arguments} -o {}", path.display()));
        assert_eq!(ended.status, 0, "{}", ended.err);
        assert_eq!(fs::read_to_string(path).unwrap(), expected);
    }
}

#[test]
fn the_date_is_that_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    fs::copy(PLAIN, &path).unwrap();
    let day = UNIX_EPOCH + Duration::from_secs(20_000 * 86_400 - 1);
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(day)
        .unwrap();
    let (page, _) = page(path.to_str().unwrap());
    assert_eq!(page.table("file")[0][1], "2024-10-03");
    let piped = shell(&format!("cat {PLAIN} | $F -f html"));
    let page = Page::parse(&piped.out);
    let source = &page.table("file")[0];
    assert_eq!(source[..2], ["standard input", "-"]);
}

/// What no XML may have: in data, in names of columns and in a title.
#[test]
fn a_chart_is_xml_whatever_is_in_it() {
    if !needs::has("python3") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let hostile = "\u{ffff}\u{fffe}\u{1}\u{b}\u{1b}\u{7f}\u{9b}&<>\"']]>";
    fs::write(at("rows.txt"), format!("k{hostile}|n\nx{hostile}|1\ny|2\n")).unwrap();
    let title = format!("Title {hostile}");
    let mut command = fecscan([
        "by",
        "#1",
        "--header",
        "--delimiter",
        "pipe",
        "--title",
        &title,
        "-o",
    ]);
    let ended = run(command.arg(at("k.svg")).arg(at("rows.txt")));
    assert_eq!(ended.status, 0, "{}", ended.err);
    let mut python = Command::new("python3");
    let read = "import sys, xml.etree.ElementTree as e; print(len(e.parse(sys.argv[1]).getroot()))";
    let ended = run(python.args(["-c", read]).arg(at("k.svg")));
    assert_eq!(ended.status, 0, "{}", ended.err);
}

#[test]
fn a_page_shows_its_command_whole() {
    let committees: Vec<_> = (1..=60).map(|nth| format!("C{nth:08}")).collect();
    let condition = format!("CMTE_ID IN ('{}')", committees.join("', '"));
    let page = run(&mut fecscan([
        "by", "STATE", "-f", "html", "--where", &condition, PLAIN,
    ]))
    .out;
    let typed = condition.replace('\'', r"'\''");
    let typed = format!("'{typed}'").replace('\'', "&#39;");
    assert!(
        page.contains(&format!("--where {typed} {PLAIN} -f html</code>")),
        "{page}"
    );
}
