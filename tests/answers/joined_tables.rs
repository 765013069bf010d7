//! Tables joined under names, and rows with several partners, against a slow twin. Without a partner, a key is NULL, which CSV leaves empty.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fecscan::scan::simd::Simd;

use crate::common::archives::gzip;
use crate::common::program::{Ended, fecscan, run};

/// Groups by one key: rows, and the sum of amounts.
type Sums = BTreeMap<String, (u64, i64)>;

fn answer(folder: &Path, arguments: &str) -> Ended {
    let words = arguments.split_whitespace();
    run(fecscan(words.map(|word| word.replace('~', " "))).current_dir(folder))
}

fn generate(folder: &Path, schema: &str, rows: u32) -> Vec<Vec<String>> {
    let file = format!("{schema}.txt");
    let made = format!("generate --schema {schema} --rows {rows} -o {file}");
    assert_eq!(answer(folder, &made).status, 0);
    let text = fs::read_to_string(folder.join(&file)).unwrap();
    fs::write(folder.join(file + ".gz"), gzip(text.as_bytes())).unwrap();
    let row = |line: &str| line.split('|').map(str::to_owned).collect();
    text.lines().map(row).collect()
}

/// Adds the amounts of rows to the groups that `keys` returns for each.
fn sums(rows: &[Vec<String>], keys: impl Fn(&[String]) -> Vec<String>) -> Sums {
    let mut sums = Sums::new();
    for row in rows {
        for key in keys(row) {
            let (count, sum) = sums.entry(key).or_default();
            *count += 1;
            *sum += row[14].parse::<i64>().unwrap();
        }
    }
    sums
}

fn read(csv: &str) -> Sums {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows = reader.records().map(|row| {
        let row = row.unwrap();
        let sum = row[2].strip_suffix(".00").unwrap().parse().unwrap();
        (row[0].to_owned(), (row[1].parse().unwrap(), sum))
    });
    rows.collect()
}

/// Compares over levels, threads, task sizes, ways to read and an archive, and by partials.
fn assert_groups(folder: &Path, question: &str, expected: &Sums) {
    let levels = Simd::available().map(|level| format!("--simd {} indiv.txt", level.name()));
    let ways = [
        "-j 1 indiv.txt",
        "-j 3 --task-size 1 indiv.txt",
        "-j 4 --task-size 777 indiv.txt",
        "--io read --task-size 5000 indiv.txt",
        "-j 2 --task-size 900 indiv.txt.gz",
    ];
    for how in ways.map(str::to_owned).into_iter().chain(levels) {
        let ended = answer(folder, &format!("by {question} --sum amount -f csv {how}"));
        assert_eq!(ended.status, 0, "{question}: {ended:?}");
        assert_eq!(read(&ended.out), *expected, "{question} {how}");
    }
    for (part, range) in [("a", ":30000"), ("b", "30000:")] {
        let partial =
            format!("by {question} --sum amount --range {range} --partial {part} indiv.txt");
        assert_eq!(answer(folder, &partial).status, 0);
    }
    let merged = answer(folder, "merge a b -f csv");
    let whole = answer(
        folder,
        &format!("by {question} --sum amount -f csv indiv.txt"),
    );
    assert_eq!(merged.out, whole.out, "{question}");
}

#[test]
fn rows_lead_to_tables_by_expressions() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rows = generate(folder, "indiv", 900);
    let committees = generate(folder, "cm", 500);
    // Two rows of each third zip code, with quotes, a comma and a newline.
    let mut text = "\u{feff}zip ;\"the county\"\n".to_owned();
    let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (nth, row) in rows.iter().enumerate().filter(|(nth, _)| nth % 3 == 0) {
        let zip = row[10].chars().take(5).collect::<String>();
        if zip.len() < 5 {
            continue;
        }
        for county in [format!("C, {}", nth % 7), format!("D {}", nth % 5)] {
            text += &format!("{zip} ;\" {}\"\r\n", county.replace("D ", "D\n"));
            tables.entry(zip.clone()).or_default().push(county);
        }
    }
    fs::write(folder.join("zip.csv"), text).unwrap();
    let partners = |row: &[String]| {
        let zip: String = row[10].chars().take(5).collect();
        tables.get(&zip).cloned().unwrap_or(vec![String::new()])
    };
    let with = "geo.\"the~county\" --with geo=zip.csv --on zip5(zip)=GEO.zip";
    assert_groups(folder, with, &sums(&rows, partners));
    // Each partner that meets the condition is a row.
    let fourth: Vec<_> = rows
        .iter()
        .flat_map(|row| {
            let matching = partners(row).into_iter().filter(|county| county == "D 4");
            matching.map(|_| row.clone()).collect::<Vec<_>>()
        })
        .collect();
    let chosen = format!(
        "STATE --where geo.#2='D~4' {}",
        with.split_once(' ').unwrap().1
    );
    assert_groups(folder, &chosen, &sums(&fourth, |row| vec![row[9].clone()]));

    let names: BTreeMap<_, _> = committees.iter().map(|row| (&row[0], &row[1])).collect();
    let name = |row: &[String]| names.get(&row[0]).map_or("", |name| name).to_owned();
    let with = "c2.name --with c2=cm.txt --on CMTE_ID=c2.CMTE_ID --with geo=zip.csv --on zip5(zip)=geo.zip";
    let each = |row: &[String]| partners(row).iter().map(|_| name(row)).collect();
    assert_groups(folder, with, &sums(&rows, each));
    let exported = answer(
        folder,
        &format!(
            "export --columns c2.CMTE_NM,geo.#2,SUB_ID -f csv {} -j 3 --task-size 900 indiv.txt",
            with.split_once(' ').unwrap().1
        ),
    );
    let mut reader = csv::Reader::from_reader(exported.out.as_bytes());
    let records: Vec<Vec<String>> = reader
        .records()
        .map(|row| row.unwrap().iter().map(str::to_owned).collect())
        .collect();
    let expected = rows.iter().flat_map(|row| {
        let counties = partners(row).into_iter();
        counties.map(|county| vec![name(row), county, row[20].clone()])
    });
    assert_eq!(records, expected.collect::<Vec<_>>());
}

#[test]
fn every_link_of_a_committee_counts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rows = generate(folder, "indiv", 2000);
    let links = generate(folder, "ccl", 2000);
    let candidates = generate(folder, "cn", 2000);
    let names: BTreeMap<_, _> = candidates.iter().map(|row| (&row[0], &row[1])).collect();
    let linked = |row: &[String]| {
        let links = links.iter().filter(|link| link[3] == row[0]);
        let linked: Vec<_> = links
            .filter_map(|link| Some((*names.get(&link[0])?).clone()))
            .collect();
        if linked.is_empty() {
            vec![String::new()]
        } else {
            linked
        }
    };
    let expected = sums(&rows, linked);
    assert!(expected.values().map(|(count, _)| count).sum::<u64>() > 2000);
    assert_groups(folder, "CAND_NAME --with ccl.txt --with cn.txt", &expected);
}

#[test]
fn a_group_has_the_least_and_the_greatest_value_of_its_partners() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rows = generate(folder, "indiv", 900);
    let mut text = "state,votes,since\n".to_owned();
    let mut tables: BTreeMap<String, Vec<(i64, String)>> = BTreeMap::new();
    for (nth, row) in (0..).zip(rows.iter().filter(|row| row[9].as_str() < "P")) {
        let (votes, since) = (nth * 37 % 1000 - 300, format!("name {}", nth % 13));
        text += &format!("{},{votes},{since}\n", row[9]);
        let partners = tables.entry(row[9].clone()).or_default();
        partners.push((votes, since));
    }
    text += "ZZ,none,\n";
    fs::write(folder.join("t.csv"), text).unwrap();
    let mut groups: BTreeMap<String, (u64, Vec<i64>, Vec<usize>)> = BTreeMap::new();
    for row in &rows {
        let partners = tables.get(&row[9]).map_or(&[][..], |partners| partners);
        let (count, votes, lengths) = groups.entry(row[5].clone()).or_default();
        *count += partners.len().max(1) as u64;
        votes.extend(partners.iter().map(|(votes, _)| votes));
        lengths.extend(partners.iter().map(|(_, since)| since.len()));
    }
    let mut expected = String::new();
    for (key, (count, votes, lengths)) in &groups {
        let number = |value: Option<&i64>| value.map_or(String::new(), i64::to_string);
        let length = lengths.iter().max().map_or(String::new(), usize::to_string);
        let (least, greatest) = (number(votes.iter().min()), number(votes.iter().max()));
        let sum = if votes.is_empty() {
            String::new()
        } else {
            votes.iter().sum::<i64>().to_string()
        };
        expected += &format!("{key},{count},{greatest},{least},{length},{sum}\n");
    }
    let votes = "TRY_CAST(t.votes~AS~BIGINT)";
    let question = format!(
        "by transaction_tp --agg max({votes})~AS~most,min({votes})~AS~least,max(length(t.since))~AS~long,sum({votes})~AS~all_votes \
         --with t=t.csv --on STATE=t.state --sort 1"
    );
    for how in ["-j 1", "-j 3 --task-size 1", "-j 2 --task-size 700"] {
        let ended = answer(folder, &format!("{question} -f csv {how} indiv.txt"));
        let (names, groups) = ended.out.split_once('\n').unwrap();
        assert_eq!(names, "transaction_tp,count,most,least,long,all_votes");
        assert_eq!(groups, expected, "{how} {}", ended.err);
    }
    for (part, range) in [("a", ":30000"), ("b", "30000:")] {
        let partial = format!("{question} --range {range} --partial {part} indiv.txt");
        assert_eq!(answer(folder, &partial).status, 0);
    }
    let merged = answer(folder, "merge a b -f csv");
    assert_eq!(
        merged.out.split_once('\n').unwrap().1,
        expected,
        "{}",
        merged.err
    );
    let sum = answer(
        folder,
        "by STATE --sum t.votes --with t=t.csv --on STATE=t.state indiv.txt",
    );
    // A text is not a number.
    assert_eq!((sum.status, &*sum.out), (2, ""));
}

#[test]
fn a_table_leads_to_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rows = generate(folder, "indiv", 900);
    let committees = generate(folder, "cm", 500);
    let links = generate(folder, "ccl", 2000);
    let letter = |name: &str| {
        name.chars()
            .next()
            .map(|letter| letter.to_ascii_lowercase())
    };
    let text: Vec<_> = ('a'..='m')
        .map(|letter| format!("{letter},{}\n", letter as u32 % 3))
        .collect();
    fs::write(
        folder.join("t.csv"),
        "letter,group\n".to_owned() + &text.concat(),
    )
    .unwrap();
    let names: BTreeMap<_, _> = committees.iter().map(|row| (&row[0], &row[1])).collect();
    let group = |row: &[String]| {
        let letter = names.get(&row[0]).and_then(|name| letter(name));
        let letter = letter.filter(|letter| ('a'..='m').contains(letter));
        letter.map_or(String::new(), |letter| (letter as u32 % 3).to_string())
    };
    let with = "--with cm.txt --with t=t.csv --on lower(left(cm.name,1))=t.letter";
    assert_groups(
        folder,
        &format!("t.\"group\" {with}"),
        &sums(&rows, |row| vec![group(row)]),
    );
    let chosen: Vec<_> = rows
        .iter()
        .filter(|row| group(row) == "1")
        .cloned()
        .collect();
    let states = sums(&chosen, |row| vec![row[9].clone()]);
    assert_groups(
        folder,
        &format!("STATE --where t.\"group\"='1' {with}"),
        &states,
    );
    let exported = answer(
        folder,
        &format!("export --columns t.\"group\" -f tsv {with} indiv.txt"),
    );
    let expected: Vec<_> = rows.iter().map(|row| group(row)).collect();
    assert_eq!(exported.out.lines().skip(1).collect::<Vec<_>>(), expected);

    // Every link of a committee, and a table of its candidates.
    let parties: BTreeMap<_, _> = (0..)
        .zip(&links)
        .map(|(nth, link)| (link[0].clone(), nth % 4))
        .collect();
    let text: Vec<_> = parties
        .iter()
        .map(|(id, party)| format!("{id};P{party}\n"))
        .collect();
    fs::write(
        folder.join("p.csv"),
        "id;party\n".to_owned() + &text.concat(),
    )
    .unwrap();
    let linked = |row: &[String]| {
        let links = links.iter().filter(|link| link[3] == row[0]);
        let linked: Vec<_> = links
            .map(|link| format!("P{}", parties[&link[0]]))
            .collect();
        if linked.is_empty() {
            vec![String::new()]
        } else {
            linked
        }
    };
    let with = "--with ccl.txt --with p=p.csv --on ccl.CAND_ID=p.id";
    assert_groups(folder, &format!("p.party {with}"), &sums(&rows, linked));

    let turned = answer(
        folder,
        "by p.party --with p=p.csv --on ccl.CAND_ID=p.id --with ccl.txt indiv.txt",
    );
    let message = "no table ccl in FROM";
    assert!(
        turned.status == 2 && turned.err.contains(message),
        "{}",
        turned.err
    );
}
