//! Random samples against a slow twin that sorts the hashes of all rows.

use std::fs;
use std::path::Path;

use fecscan::engine::Engine;
use fecscan::export::{ExportQuestion, RowFold, Writing};
use fecscan::fec::schema::Schema;
use fecscan::fold::{Sample, SampleFold};
use fecscan::generate::RowQuality;
use fecscan::render::Format;
use fecscan::sql::Filter;
use twox_hash::XxHash3_64;

use crate::common::joins::generated;
use crate::common::run::{Setting, settings};

/// The size of a sample.
#[derive(Clone, Copy, Debug)]
enum Size {
    Rows(u64),
    Share(f64),
}

/// The lines of the sample, in the order of the input. Each has its newline.
fn twin(files: &[Vec<u8>], seed: u64, size: Size) -> Vec<u8> {
    let mut rows = Vec::new();
    for (part, bytes) in (1_u64..).zip(files) {
        let mut start = 0;
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let place = [part.to_le_bytes(), (start as u64).to_le_bytes()].concat();
            let hash = XxHash3_64::oneshot_with_seed(seed, &place);
            rows.push((hash, part, start, line));
            start += line.len();
        }
    }
    rows.sort_unstable();
    let kept = match size {
        Size::Rows(count) => rows.len().min(count as usize),
        Size::Share(share) => rows.partition_point(|row| (row.0 as f64) < share * 2_f64.powi(64)),
    };
    rows.truncate(kept);
    rows.sort_unstable_by_key(|&(_, part, start, _)| (part, start));
    let mut text = Vec::new();
    for (.., line) in rows {
        text.extend(line);
        if !line.ends_with(b"\n") {
            text.push(b'\n');
        }
    }
    text
}

fn sample(setting: &Setting, engine: &Engine, seed: u64, size: Size, paths: &[&Path]) -> Sample {
    match size {
        Size::Share(share) => Sample::of_share(seed, (share * 2_f64.powi(64)) as u64),
        Size::Rows(rows) => {
            let fold = SampleFold::new(seed, rows);
            let folded = setting.fold(engine, &fold, &[], paths).unwrap();
            fold.finish(folded.partial)
        }
    }
}

fn export(
    setting: &Setting,
    sample: Option<Sample>,
    head: Option<u64>,
    paths: &[&Path],
) -> Vec<u8> {
    let mut question = ExportQuestion::default();
    question.add_columns("#1, #8, month(#14), #21").unwrap();
    question.head = head;
    let mut writing = Writing::from(Format::Csv);
    writing.piece_bytes = 500;
    let mut out = Vec::new();
    let fold = RowFold::new(question, writing, &mut out);
    let engine = sample.map_or(setting.engine(), |sample| {
        let filter = Filter::default().of_sample(sample);
        setting.engine().with_filter(filter)
    });
    let folded = setting.fold(&engine, &fold, &[], paths).unwrap();
    fold.finish(folded.partial, engine.workers()).unwrap();
    out
}

#[test]
fn samples_are_those_of_the_twin_in_every_way_of_working() {
    let names = ["crlf", "blank-lines", "generated-hostile"];
    let paths = names.map(|name| format!("fixtures/{name}.txt"));
    let files = paths.each_ref().map(|path| fs::read(path).unwrap());
    let paths = paths.each_ref().map(Path::new);
    let directory = tempfile::tempdir().unwrap();
    let chosen = directory.path().join("itcont.txt");
    let plain = &settings(&[1], &[2 << 20])[0];
    for (seed, size) in [
        (1, Size::Rows(0)),
        (1, Size::Rows(1)),
        (7, Size::Rows(40)),
        (u64::MAX, Size::Rows(u64::MAX)),
        (3, Size::Share(1e-9)),
        (2, Size::Share(0.25)),
        (2, Size::Share(1.0)),
    ] {
        fs::write(&chosen, twin(&files, seed, size)).unwrap();
        for head in [None, Some(5)] {
            let expected = export(plain, None, head, &[&chosen]);
            for setting in settings(&[1, 3], &[1, 64, 5000, 2 << 20]) {
                let engine = setting.engine();
                let sample = sample(&setting, &engine, seed, size, &paths);
                let found = export(&setting, Some(sample), head, &paths);
                assert!(
                    found == expected,
                    "{size:?} of seed {seed}, {head:?}: {setting:?}"
                );
            }
        }
    }
}

/// With 999 degrees of freedom, chi-squared has the mean 999 and the deviation 45. Its rows are drawn without repetition, which makes
/// it smaller by the share of a sample.
#[test]
fn every_row_is_as_likely_as_any_other() {
    const ROWS: usize = 1000;
    const SAMPLES: u64 = 500;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    let bytes = generated(Schema::Indiv, ROWS as u64, RowQuality::Clean);
    fs::write(&path, &bytes).unwrap();
    let lines: Vec<_> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let setting = &settings(&[1], &[2 << 20])[0];
    let engine = setting.engine();
    for size in [Size::Rows(50), Size::Share(0.05)] {
        let mut counts = [0_u32; ROWS];
        for seed in 0..SAMPLES {
            let sample = sample(setting, &engine, seed, size, &[&path]);
            let mut question = ExportQuestion::default();
            question.add_columns("#21").unwrap();
            let engine = setting.engine();
            let engine = engine.with_filter(Filter::default().of_sample(sample));
            let mut out = Vec::new();
            let fold = RowFold::new(question, Format::Tsv, &mut out);
            let folded = setting.fold(&engine, &fold, &[], &[&path]).unwrap();
            fold.finish(folded.partial, engine.workers()).unwrap();
            let mut next = 0;
            for id in out
                .split(|&byte| byte == b'\n')
                .skip(1)
                .filter(|id| !id.is_empty())
            {
                let end = [b"|", id, b"\n"].concat();
                next += lines[next..]
                    .iter()
                    .position(|line| line.ends_with(&end))
                    .unwrap();
                counts[next] += 1;
            }
        }
        let all: u32 = counts.iter().sum();
        let expected = 0.05 * SAMPLES as f64;
        let squares = counts
            .iter()
            .map(|&count| (f64::from(count) - expected).powi(2));
        let chi_squared = squares.sum::<f64>() / (expected * 0.95);
        assert!(
            (800.0..1200.0).contains(&chi_squared),
            "{size:?}: {chi_squared}"
        );
        let deviation = (f64::from(all) - expected * ROWS as f64).abs();
        assert!(deviation < 700.0, "{size:?}: {all} rows");
        // Rows at even and odd places, and neighbours in the middle, are as likely.
        let even: u32 = counts.iter().step_by(2).sum();
        assert!(
            f64::from(even.abs_diff(all - even)) < 800.0,
            "{size:?}: {even} of {all}"
        );
    }
}
