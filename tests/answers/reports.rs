//! Files that people could not read, by public reports: each with its right answer, found by hand or with Python.
//!
//! | report | input | right answer |
//! |---|---|---|
//! | fecgov/FEC#11011, `"NOT EMPLOYED` breaks pandas | a quote that never ends in a file of pipes | a byte like another: no row is lost |
//! | dwillis, remote_table#14, quotes in cm14 | a quoted word inside of a value | the same |
//! | fecgov/FEC#6154, pas2 has 22 columns, not 21 | `itpas2.txt` | CAND_ID is column 17 |
//! | fecgov/FEC#11052, oppexp has 26 columns, not 25 | `oppexp.txt` | no column moves |
//! | fecgov/fec-cms#1603, webl has no header file | `webl18.txt`, and `webl18.zip` | read by its own name, like weball |
//! | sunlightlabs/read_FEC#24, bogus rows of webk | a row of webk without amounts | a group, no sum, and a note |
//! | fecgov/FEC#3933 and washingtonpost/FastFEC#24, rows of other widths | a `.fec` file, whose first row has 4 columns | `#21`; rows without the column are empty |
//! | the same in CAL-ACCESS and EDGAR | the first row has fewer columns than later ones | `#12` |
//! | simonw/sqlite-utils#804, csvkit#927, csvfilter#8, NUL bytes | a value of NUL bytes | a byte like another |
//! | duckdb#13171, repeated headers | files put together with their headers | rows like others, and a note with the number and the line |
//! | duckdb#7196, header with a trailing comma | `a,b,c,` above `1,2,3` | the columns a, b and c |
//! | duckdb#8231, rows with a trailing comma | `id,name,lat` above `1,x,0,` | no value moves |
//! | duckdb#2908, a byte-order mark in the header | UTF-8 with a mark | the first column has its name |
//! | csvkit#927, UTF-16 | UTF-16 with a mark, and without | refused, with a command that converts |
//! | MarkPflug/Sylvan#198 and basex#164, lines that end with a carriage return | old Mac text with a header | refused, with a command that converts |
//! | evan/ccsv#11, CR LF | CR LF | values without CR |
//! | lavr/python-emails#24 and gem/oq-engine#9281, `__MACOSX/._job.ini` was read | archives of macOS | metadata is no member |
//! | an archive zipped again with its folder | `indiv18/itcont.txt` | refused, with the name of the member |
//! | zip by a stream: data descriptors; ZIP64 in small archives | both | read |
//! | two members of one name | two `itcont.txt` | refused: one may be meant to replace the other |
//! | empty monthly files among others | an empty CSV | no rows, and a note |
//! | columns in another order from one month to the next | `a;b;c` and `c;b;a` | by name, as DuckDB's `union_by_name` |
//! | files with a column more | `a;b;c;d` | refused, with the name of the column |
//! | an extract of a CSV named like the FEC's file | commas and a header in `itcont.txt` | refused, with the options that read it |
//! | frictionless and pandas: an open quote swallows the rest | a joined CSV | refused, with the line of the quote |
//! | the last row is cut off | a file that ends within a row | a row with the columns that it has, and a note |
//! | codes with blanks around them | `15 `, ` 15` | other codes than `15`, byte by byte |

use crate::common::program::{Ended, shell};

/// A command in the folder of the cases, its status, what it prints, and what its messages say.
type Case = (&'static str, i32, &'static str, &'static [&'static str]);

/// Makes the files that are no fixtures in a new folder, which has the fixtures too.
const FILES: &str = r#"
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT; cp -r fixtures/cases/* "$d"; cd "$d"
r() { printf 'C00990001|A|Q1|P2018|201804159100000001|15|IND|EVER, GIGI|SPRINGFIELD|%s|90001|ACME|%b|03152018|100||SA11.1|1200001|||1\n' "$1" "$2"; }
zips() { python3 -c "import sys, zipfile, warnings; warnings.simplefilter('ignore')
$1"; }
"#;

fn check(cases: &[Case]) {
    for (script, status, out, messages) in cases {
        let Ended {
            status: found,
            out: printed,
            err,
        } = shell(&format!("{FILES}{script}"));
        assert_eq!((found, &*printed), (*status, *out), "{script}\n{err}");
        for message in *messages {
            assert!(
                err.contains(message),
                "{script}: '{message}' is not in {err}"
            );
        }
        let is_silent = messages.is_empty();
        assert!(!is_silent || err.is_empty(), "{script}: {err}");
    }
}

#[test]
fn files_of_the_fec() {
    check(&[
        (
            r#"(r CA CLERK; r NY '"NOT EMPLOYED'; r NY 'A "B" C') > itcont.txt; $F by STATE -f csv itcont.txt"#,
            0,
            "STATE,count\nNY,2\nCA,1\n",
            &[],
        ),
        (
            r#"(r CA CLERK; r NY '\0000\0000') > itcont.txt; $F by STATE -f csv itcont.txt"#,
            0,
            "STATE,count\nCA,1\nNY,1\n",
            &[],
        ),
        (
            "(r CA CLERK; r NY CLERK | head -c 60) > itcont.txt; $F by STATE -f csv itcont.txt",
            0,
            "STATE,count\n,1\nCA,1\n",
            &["1 row has more or fewer columns than the schema"],
        ),
        (
            "echo 'C1|A|Q|P|2018|24K|CCM|EVER|X|CA|9|||03152018|100|C2|H8CA00001|T|1|||1' > itpas2.txt; $F by CAND_ID -f csv --where \"#17 = 'H8CA00001'\" itpas2.txt",
            0,
            "CAND_ID,count\nH8CA00001,1\n",
            &[],
        ),
        (
            "echo 'C1|N|2018|Q1|I|17|F3|SB|SHOP|X|OR|9|03/31/2018|12.50|P||||||ORG|1|2|T||' > oppexp.txt; $F by STATE --sum amount -f csv oppexp.txt",
            0,
            "STATE,count,sum(amount)\nOR,1,12.50\n",
            &[],
        ),
        (
            "$F by CAND_OFFICE_ST --sum receipts -f csv 76/webl18.zip 76/webl18.txt 76/weball18.txt",
            0,
            "CAND_OFFICE_ST,count,sum(receipts)\nCA,3,4.50\n",
            &[],
        ),
        (
            "(printf 'C00990001|PIE|Q|U|M'; printf '%0.s|' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22; echo 08/31/2018) > webk18.txt; $F by CMTE_TP --sum receipts -f csv webk18.txt",
            0,
            "CMTE_TP,count,sum(receipts)\nQ,1,\n",
            &[],
        ),
        (
            "$F by type -f csv 07/itcont.txt | sort | head -3",
            0,
            " 15,1\n15 ,1\n15,6\n",
            &[],
        ),
    ]);
}

#[test]
fn archives() {
    check(&[
        ("$F by STATE -f csv --member '*itcont.txt' 15/indiv18.zip", 0, "STATE,count\nCA,1\n", &[]),
        ("$F by STATE -f csv 15/top.zip", 0, "STATE,count\nCA,1\n", &[]),
        ("$F count 15/top.zip", 0, "1 15/top.zip\n", &[]),
        ("$F count --member '._*' 15/top.zip", 2, "", &["has no member that matches a pattern; its one member is itcont.txt"]),
        ("$F by STATE --member ._itcont.txt 15/top.zip", 2, "", &["holds metadata of macOS"]),
        ("$F by STATE -f csv 15/upper.zip", 0, "STATE,count\nCA,1\n", &[]),
        ("$F by STATE 15/csv.zip", 2, "", &["its one member is itcont.csv", "--member PATTERN"]),
        ("$F by STATE 15/several.zip", 2, "", &["their columns differ", "--member PATTERN"]),
        ("$F by STATE 15/indiv18.zip", 2, "", &["its one member is indiv18/itcont.txt; choose with --member"]),
        ("$F by STATE 15/._itcont.txt", 2, "", &["is metadata of macOS", "without ._"]),
        (
            "r CA X > itcont.txt; zips \"z = zipfile.ZipFile('a.zip', 'w')
for nth in range(2): z.write('itcont.txt')
z.close()\"; $F by STATE a.zip",
            2,
            "",
            &["there are several members of this name"],
        ),
        (
            "r CA X > itcont.txt; zips \"z = zipfile.ZipFile('a.zip', 'w', 8); f = z.open('itcont.txt', 'w', force_zip64=True)
f.write(open('itcont.txt', 'rb').read()); f.close(); z.close()\"; $F by STATE -f csv a.zip",
            0,
            "STATE,count\nCA,1\n",
            &[],
        ),
        (
            "r CA X > itcont.txt; zips \"z = zipfile.ZipFile(sys.stdout.buffer, 'w', 8); z.write('itcont.txt'); z.close()\" | cat > a.zip; $F by STATE -f csv a.zip",
            0,
            "STATE,count\nCA,1\n",
            &[],
        ),
    ]);
}

#[test]
fn columns_of_other_files() {
    check(&[
        (
            "$F by '#21' --names $(seq -s , 100 130) --delimiter \"$(printf '\\034')\" -f csv 64/1.fec | sort",
            0,
            "#21,count\n,3\n15.50,1\n25.50,1\n35.50,1\n",
            &["more or fewer columns"],
        ),
        (
            "$F by '#12' --names $(seq -s , 100 112) --delimiter ';' -f csv 33/acts.txt",
            0,
            "#12,count\n,2\nQA5,1\n",
            &["more or fewer columns"],
        ),
        (
            "$F by '#15' --delimiter ';' 33/acts.txt",
            2,
            "",
            &["no column #15"],
        ),
        (
            "$F by a --sum c --types c=number --header --delimiter ';' -f csv 34/a1.csv 34/a2.csv",
            0,
            "a,count,sum(c)\n4,1,6.00\n6,1,4.00\n",
            &[],
        ),
        (
            "$F by '#1' --sum '#3' --types c=number --header --delimiter ';' -f csv 34/a1.csv 34/a2.csv",
            0,
            "#1,count,sum(#3)\n4,1,6.00\n6,1,4.00\n",
            &[],
        ),
        (
            "$F export --header --delimiter ';' -f csv 34/a1.csv 34/a2.csv; $F count --header --delimiter ';' --types c=number --where c=4 34/a1.csv 34/a2.csv",
            0,
            "a,b,c\n4,5,6\n6,5,4\n 0 34/a1.csv\n 1 34/a2.csv\n 1 total\n",
            &[],
        ),
        (
            "$F by a --header --delimiter ';' 34/a1.csv 34/a3.csv",
            2,
            "",
            &["34/a3.csv: has the column d, and 34/a1.csv has not"],
        ),
        (
            "$F diff --key a --header --delimiter ';' 34/a1.csv 34/a2.csv",
            2,
            "",
            &["has the columns of 34/a1.csv in another order"],
        ),
        (
            "$F by drug_name 13/itcont.txt",
            2,
            "",
            &[
                "they have commas, and no |",
                "--delimiter comma, and --header",
            ],
        ),
        (
            "$F by drug_name --header -f csv 13/itcont.txt",
            0,
            "drug_name,count\nALPHAN,2\nBETOL,2\nGAMMIDE SALT,1\n",
            &[],
        ),
        (
            "$F by kind --header -f csv 46/cat.csv",
            0,
            "kind,count\nA,1\nB,1\nkind,1\n",
            &["line 3 repeats the first line, which names the columns, and is read as a row"],
        ),
        (
            "printf 'a,b,c,\\n1,2,3\\n' > t.csv; $F by c --header -f csv t.csv",
            0,
            "c,count\n3,1\n",
            &["more or fewer columns"],
        ),
        (
            "printf 'id,name,lat\\n1,x,0,\\n2,y,0,\\n' > t.csv; $F by lat --header -f csv t.csv",
            0,
            "lat,count\n0,2\n",
            &["2 of 2 rows have more or fewer columns"],
        ),
        (
            "printf '\\357\\273\\277id,name\\n1,A\\n' > t.csv; $F by id --header -f csv t.csv",
            0,
            "id,count\n1,1\n",
            &[],
        ),
        (
            "printf 'id,name\\r\\n1,A\\r\\n' > t.csv; $F by name --header -f csv t.csv",
            0,
            "name,count\nA,1\n",
            &[],
        ),
        (
            "printf 'id,name\\r1,A\\r' > t.csv; $F by name --header t.csv",
            2,
            "",
            &["carriage returns and no newline", "tr '\\r' '\\n'"],
        ),
        (
            "printf 'id,name\\n1,A\\n' | iconv -t UTF-16LE > t.csv; $F by id --header t.csv",
            2,
            "",
            &["is UTF-16 text", "iconv -f UTF-16LE"],
        ),
        (
            "printf 'id,name\\n1,A\\n' | iconv -t UTF-16BE > t.csv; $F count t.csv",
            2,
            "",
            &["is UTF-16 text", "iconv -f UTF-16BE"],
        ),
        (
            "printf 'id,name\\n1,A\\n' | iconv -t UTF-16 > t.csv; $F by id --header t.csv",
            2,
            "",
            &["is UTF-16 text", "iconv -f UTF-16 "],
        ),
    ]);
}

#[test]
fn empty_files() {
    const NOTE: &[&str] = &["58/empty.csv: note: is empty, and names no columns"];
    check(&[
        (
            "$F by a --header -f csv 58/empty.csv 46/one.csv",
            0,
            "a,count\n1,1\n",
            NOTE,
        ),
        (
            "$F by a --header -f csv 46/one.csv 58/empty.csv 46/two.csv",
            0,
            "a,count\n1,1\n3,1\n",
            NOTE,
        ),
        (
            "$F by '#2' --sum b --types b=number --header -f csv 58/empty.csv 46/one.csv",
            0,
            "#2,count,sum(b)\n2.00,1,2.00\n",
            NOTE,
        ),
        (
            "$F export --header -f csv 58/empty.csv 46/one.csv",
            0,
            "a,b\n1,2\n",
            NOTE,
        ),
        ("$F export --header -f csv 58/empty.csv", 0, "", NOTE),
        ("$F export --header -f tsv 58/empty.csv", 0, "", NOTE),
        (
            "$F by a --header 58/empty.csv",
            2,
            "",
            &["the file is empty, and has no column 'a'"],
        ),
        (
            "$F count --header 58/empty.csv 46/one.csv",
            0,
            "0 58/empty.csv\n1 46/one.csv\n1 total\n",
            NOTE,
        ),
        (
            "$F count --where \"a='1'\" --header 58/empty.csv 46/one.csv",
            0,
            "0 58/empty.csv\n1 46/one.csv\n1 total\n",
            NOTE,
        ),
        (
            "$F by a --header -f csv 58/header.csv 58/headernolf.csv",
            0,
            "a,count\n",
            &[],
        ),
    ]);
}

#[test]
fn joined_tables() {
    let with = "--delimiter pipe --names key,v --with t=t.csv --on key=t.key -f csv";
    let row = "printf 'x|1\\n' > r.txt;";
    let case = |table: &str, columns: &str| {
        let script = format!("{FILES}{row} printf '{table}' > t.csv; $F by {columns} {with} r.txt");
        shell(&script)
    };
    for (table, line, what) in [
        ("key,a\\nx,\"1\\ny,2\\nz,3\\n", 2, "that never ends"),
        (
            "key,a\\nw,1\\n\"x,2\\ny,\"3\\n",
            3,
            "that ends before its field does",
        ),
        ("key,a\\nx,\"A\" B\\n", 2, "that ends before its field does"),
        ("\"key,a\\nx,1\\n", 1, "that never ends"),
    ] {
        let ended = case(table, "t.a");
        assert_eq!((ended.status, &*ended.out), (2, ""), "{table}: {ended:?}");
        let message = format!("t.csv: line {line} has a quote {what}");
        assert!(ended.err.contains(&message), "{table}: {}", ended.err);
    }
    for (table, out) in [
        ("key,a\\nx,\"1\"\\ny,2\\n", "1,1\n"),
        ("key,a\\nx,\"1\" \\ny,2\\n", "1,1\n"),
        ("key,a\\nx,\"a\"\"\"\\ny,2\\n", "\"a\"\"\",1\n"),
        ("key,a\\r\\nx,\"1\\n2\"\\r\\n", "1 2,1\n"),
        ("key,a\\nx,5\"\\n", "\"5\"\"\",1\n"),
        ("key,a\\nx,\"1\"", "1,1\n"),
    ] {
        let ended = case(table, "t.a");
        let expected = format!("a,count\n{out}");
        assert_eq!(
            (ended.status, &*ended.out),
            (0, &*expected),
            "{table}: {ended:?}"
        );
    }
    check(&[
        (
            "$F by ccl.CAND_ID --sum amount -f csv --with 09/ccl.txt 09/itcont.txt",
            0,
            "CAND_ID,count,sum(amount)\nH8CA00001,2,200.00\nH8CA00003,1,100.00\n",
            &[
                "09/ccl.txt: note: 1 row repeats the CAND_ID and CMTE_ID of another, so a row that matches them is counted once for each",
            ],
        ),
        (
            "$F by CMTE_NM --sum amount -f csv --with 77/cm.txt 77/itcont.txt",
            0,
            "CMTE_NM,count,sum(amount)\nA PAC,2,200.00\n",
            &["77/cm.txt: note: 1 row is the same as another"],
        ),
        (
            "$F by ccl.CAND_ID -f csv --with 09/ccl16.txt --with 09/ccl18.txt 09/itcont.txt",
            0,
            "CAND_ID,count\nH8CA00001,2\n",
            &["09/ccl18.txt: note: 1 row repeats the CAND_ID and CMTE_ID of another"],
        ),
    ]);
}
