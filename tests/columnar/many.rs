//! Many rows: pages, dictionaries that fill up, row groups.

use std::fs;
use std::path::Path;

use fecscan::export::{ExportQuestion, Types};
use fecscan::render::Format;
use fecscan::render::columnar::Compression;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::statistics::Statistics;

use super::reading::{Columnar, FORMATS, Value, expected, names, question, read, write};
use crate::common::run::{Setting, Way};

/// A sequence of numbers that looks random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % end
    }
}

fn setting(threads: usize, task_bytes: u64) -> Setting {
    Setting {
        way: Way::Mapped,
        simd: fecscan::scan::simd::Simd::best(),
        threads,
        task_bytes,
    }
}

fn assert_written(bytes: &[u8], question: &ExportQuestion, settings: &[Setting]) -> Vec<Vec<u8>> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    fs::write(&path, bytes).unwrap();
    let (rows, _) = expected(bytes, question);
    let format = |&format: &Columnar| {
        let (file, _) = write(&settings[0], question, format, &path);
        let found = read(format, &file);
        assert_eq!(found.len(), rows.len(), "{format:?}");
        let wrong = found
            .iter()
            .zip(&rows)
            .position(|(found, row)| found != row);
        if let Some(nth) = wrong {
            panic!("{format:?}, row {nth}: {:?} {:?}", found[nth], rows[nth]);
        }
        for setting in &settings[1..] {
            assert!(
                write(setting, question, format, &path).0 == file,
                "{format:?} {setting:?}"
            );
        }
        file
    };
    FORMATS.iter().map(format).collect()
}

/// Returns the encodings of a column in each row group.
fn encodings(file: &[u8], column: usize) -> Vec<String> {
    let reader = SerializedFileReader::new(bytes::Bytes::copy_from_slice(file)).unwrap();
    let groups = reader.metadata().row_groups().iter();
    groups
        .map(|group| format!("{:?}", group.column(column).encodings().collect::<Vec<_>>()))
        .collect()
}

#[test]
fn pages_follow_each_other_in_every_encoding() {
    let mut numbers = Numbers(1);
    let mut bytes = Vec::new();
    // Unique, few, counting up, growing out of the dictionary, empty, long.
    let names = [
        "CMTE_ID",
        "AMNDT_IND",
        "RPT_TP",
        "IMAGE_NUM",
        "STATE",
        "NAME",
        "MEMO_TEXT",
    ];
    for nth in 0..150_000_u64 {
        let unique = numbers.below(u64::MAX);
        let few = numbers.below(5);
        let growing = match nth {
            ..40_000 => numbers.below(100),
            _ => nth * 7_919 % 1_000_003,
        };
        // All of them have more bytes than a dictionary.
        let growing = format!("{growing:<330}");
        let long = match numbers.below(1_000) {
            0 => "x".repeat(3_000),
            1 => "PEÑA".repeat(200),
            _ => String::new(),
        };
        let mut row = vec![String::new(); 21];
        row[0] = format!("C{unique}");
        row[1] = format!("{few}");
        row[2] = format!("SA11AI.{nth:07}");
        row[4] = growing;
        row[7] = if nth < 70_000 {
            String::new()
        } else {
            format!("{}", nth % 3)
        };
        row[19] = long;
        bytes.extend_from_slice(row.join("|").as_bytes());
        bytes.push(b'\n');
    }
    let question = question(&names.join(","), Types::Typed);
    let settings = [setting(1, 2 << 20), setting(3, 10_000), setting(8, 1 << 20)];
    let files = assert_written(&bytes, &question, &settings);
    let of = |name: &str| {
        let nth = names.iter().position(|known| *known == name).unwrap();
        encodings(&files[0], nth).join("; ")
    };
    assert!(of("CMTE_ID").contains("DELTA_LENGTH_BYTE_ARRAY"));
    assert!(!of("CMTE_ID").contains("DICTIONARY"));
    assert!(of("AMNDT_IND").contains("RLE_DICTIONARY"));
    assert!(!of("AMNDT_IND").contains("DELTA"));
    assert!(of("RPT_TP").contains("DELTA_BYTE_ARRAY"));
    assert!(of("IMAGE_NUM").contains("RLE_DICTIONARY") && of("IMAGE_NUM").contains("DELTA"));
    assert!(of("STATE").contains("PLAIN"));
}

#[test]
fn row_groups_end_after_the_same_rows() {
    let mut numbers = Numbers(2);
    let mut bytes = Vec::new();
    for nth in 0..600_000 {
        bytes.extend_from_slice(format!("{}|{}\n", numbers.below(100), nth / 1_000).as_bytes());
    }
    let question = question("CMTE_ID,AMNDT_IND,SUB_ID", Types::Typed);
    let settings = [setting(1, 2 << 20), setting(2, 3_000), setting(7, 100_000)];
    let files = assert_written(&bytes, &question, &settings);
    let reader = SerializedFileReader::new(bytes::Bytes::from(files[0].clone())).unwrap();
    let groups = reader.metadata().row_groups();
    let rows: Vec<i64> = groups.iter().map(|group| group.num_rows()).collect();
    assert_eq!(rows, [524_288, 600_000 - 524_288]);
}

#[test]
fn row_groups_of_long_rows_end_after_the_same_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    let mut bytes = Vec::new();
    for nth in 0..130 {
        bytes.extend_from_slice(format!("{nth}|").as_bytes());
        bytes.extend(std::iter::repeat_n(b'a' + nth % 20, 1_000_000));
        bytes.push(b'\n');
    }
    fs::write(&path, &bytes).unwrap();
    let question = question("CMTE_ID,AMNDT_IND", Types::Typed);
    let format = (Format::Parquet, Compression::Snappy);
    let (file, _) = write(&setting(1, 2 << 20), &question, format, &path);
    assert!(write(&setting(3, 100_000), &question, format, &path).0 == file);
    let reader = SerializedFileReader::new(bytes::Bytes::copy_from_slice(&file)).unwrap();
    let groups = reader.metadata().row_groups();
    assert_eq!(groups.len(), 2);
    assert_eq!(
        groups[0].num_rows(),
        101,
        "the last one has the last of 96 MiB"
    );
    let (rows, _) = expected(&bytes, &question);
    assert!(read(format, &file) == rows);
}

#[test]
fn statistics_and_metadata_are_those_of_the_rows() {
    let path = Path::new("fixtures/generated.txt");
    let question = question("", Types::Typed);
    let (file, _) = write(&setting(2, 1_000), &question, FORMATS[0], path);
    let reader = SerializedFileReader::new(bytes::Bytes::from(file.clone())).unwrap();
    let metadata = reader.metadata().file_metadata();
    assert!(
        metadata
            .created_by()
            .unwrap()
            .starts_with("fecscan version ")
    );
    let pairs = metadata.key_value_metadata().unwrap();
    assert_eq!(pairs[0].key, "fecscan.schema");
    assert_eq!(pairs[0].value.as_deref(), Some("indiv"));
    assert_eq!(pairs[1].key, "key");
    assert_eq!(pairs[1].value.as_deref(), Some("value"));
    let rows = read(FORMATS[0], &file);
    for (nth, name) in names(&question).iter().enumerate() {
        let chunk = reader.metadata().row_group(0).column(nth);
        assert_eq!(chunk.column_path().string(), *name);
        let statistics = chunk.statistics().unwrap();
        let values = || rows.iter().map(|row| &row[nth]);
        let nulls = values().filter(|value| **value == Value::Null).count();
        assert_eq!(statistics.null_count_opt(), Some(nulls as u64), "{name}");
        let number = |value: &Value| match value {
            Value::Amount(amount) => Some(*amount),
            Value::Day(day) => Some((*day).into()),
            Value::Integer(integer) => Some((*integer).into()),
            _ => None,
        };
        let numbers = || values().filter_map(number);
        let text = |value: &Value| match value {
            Value::Text(text) => Some(text.clone().into_bytes()),
            _ => None,
        };
        let texts = || values().filter_map(text);
        match statistics {
            Statistics::ByteArray(texts_of) => {
                let least = texts_of.min_opt().map(|least| least.data().to_vec());
                let greatest = texts_of.max_opt().map(|greatest| greatest.data().to_vec());
                assert_eq!((least, greatest), (texts().min(), texts().max()));
            }
            Statistics::Int64(of) => {
                let bounds = (of.min_opt().copied(), of.max_opt().copied());
                let bounds = (bounds.0.map(i128::from), bounds.1.map(i128::from));
                assert_eq!(bounds, (numbers().min(), numbers().max()));
            }
            Statistics::Int32(of) => {
                let bounds = (of.min_opt().copied(), of.max_opt().copied());
                let bounds = (bounds.0.map(i128::from), bounds.1.map(i128::from));
                assert_eq!(bounds, (numbers().min(), numbers().max()));
            }
            other => panic!("no column has {other}"),
        }
    }
}
