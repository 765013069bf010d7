//! The report on compressed files, against decompressing alone with the same library and buffers of
//! the same sizes.
//!
//! One thread decompresses a file, so that time is the limit of the report.
//! `FECSCAN_BENCH_ARCHIVE=indiv18.zip cargo bench -p fecscan-benches archives` works on an existing zip
//! archive. Without it, the three files are made from a million generated rows.

use std::env;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use fecscan::engine::Engine;
use fecscan::engine::Options;
use fecscan::fold::report::{ReportFold, ReportQuestion};
use flate2::Compression;
use flate2::bufread::{DeflateDecoder, GzDecoder};
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveWriter};

use crate::common::rounds::{Amount, Arm, compare, full_or_small};
use crate::common::rows::write_rows;

const ROUNDS: usize = 11;
const COMPRESSED_BUFFER_BYTES: usize = 128 << 10;
/// The size of the tasks of compressed files.
const TASK_BYTES: usize = 1 << 20;

fn rows() -> u64 {
    full_or_small(1_000_000, 20_000)
}

/// Returns the path of a file in the folder for temporary files. `make` writes it if it is missing.
fn made(extension: &str, make: impl FnOnce(&Path)) -> PathBuf {
    let path = env::temp_dir().join(format!("fecscan-bench-{}.{extension}", rows()));
    if !path.exists() {
        let unfinished = path.with_extension("unfinished");
        make(&unfinished);
        fs::rename(&unfinished, &path).expect("there is room for the file");
    }
    path
}

fn made_zip() -> PathBuf {
    made("zip", |path| {
        let file = BufWriter::new(File::create(path).expect("the file can be made"));
        let mut archive = ZipArchiveWriter::new(file);
        let member = archive.new_file("itcont.txt");
        let member = member.compression_method(CompressionMethod::DEFLATE);
        let (mut member, config) = member.start().expect("the member begins");
        let encoder = flate2::write::DeflateEncoder::new(&mut member, Compression::default());
        let mut writer = config.wrap(encoder);
        write_rows(rows(), &mut writer);
        let (encoder, descriptor) = writer.finish().expect("the member ends");
        encoder.finish().expect("the member ends");
        member.finish(descriptor).expect("the member ends");
        archive.finish().expect("the archive ends");
    })
}

fn made_gzip() -> PathBuf {
    made("txt.gz", |path| {
        let file = BufWriter::new(File::create(path).expect("the file can be made"));
        let mut encoder = flate2::write::GzEncoder::new(file, Compression::default());
        write_rows(rows(), &mut encoder);
        encoder.finish().expect("the file ends");
    })
}

fn made_zstd() -> PathBuf {
    made("txt.zst", |path| {
        let file = BufWriter::new(File::create(path).expect("the file can be made"));
        let mut encoder = zstd::stream::write::Encoder::new(file, 3).expect("there is memory");
        write_rows(rows(), &mut encoder);
        encoder.finish().expect("the file ends");
    })
}

/// Reads all of `decoder`, and returns the number of bytes.
fn drained(mut decoder: impl Read, space: &mut [u8]) -> u64 {
    let mut bytes = 0;
    loop {
        match decoder.read(space).expect("the file is whole") {
            0 => return bytes,
            more => bytes += more as u64,
        }
    }
}

fn opened(path: &Path) -> BufReader<File> {
    let file = File::open(path).expect("the file is there");
    BufReader::with_capacity(COMPRESSED_BUFFER_BYTES, file)
}

/// Inflates the first member of an archive, and returns the number of bytes.
fn inflated(path: &Path, space: &mut [u8]) -> u64 {
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let file = File::open(path).expect("the file is there");
    let archive = ZipArchive::from_file(file, &mut buffer).expect("the file is an archive");
    let mut entries = archive.entries(&mut buffer);
    let entry = entries.next_entry().expect("the directory is whole");
    let wayfinder = entry.expect("the archive has a member").wayfinder();
    let entry = archive.get_entry(wayfinder).expect("the member is there");
    let compressed = BufReader::with_capacity(COMPRESSED_BUFFER_BYTES, entry.reader());
    let bytes = drained(DeflateDecoder::new(compressed), space);
    assert_eq!(bytes, wayfinder.uncompressed_size_hint());
    bytes
}

/// Makes the report, and returns the number of bytes that it has seen.
fn reported(path: &Path, threads: Option<usize>) -> u64 {
    let mut options = Options::default();
    if let Some(threads) = threads.and_then(NonZeroUsize::new) {
        options.threads = threads;
    }
    let fold = ReportFold::new(ReportQuestion::default());
    let folded = Engine::new(options)
        .scan(&fold, [path])
        .expect("the file is whole");
    let report = fold.report(folded);
    assert!(report.lines > 0 && report.first_names[0].1 > 0);
    report.files[0].bytes
}

pub fn run() {
    type Decompress = fn(&Path, &mut [u8]) -> u64;
    let named = env::var_os("FECSCAN_BENCH_ARCHIVE").map(PathBuf::from);
    let zip = (
        "zip",
        named.clone().unwrap_or_else(made_zip),
        inflated as Decompress,
    );
    let mut files = vec![zip];
    if named.is_none() {
        files.push(("gzip", made_gzip(), |path, space| {
            drained(GzDecoder::new(opened(path)), space)
        }));
        files.push(("zstd", made_zstd(), |path, space| {
            let decoder = zstd::stream::read::Decoder::with_buffer(opened(path));
            drained(decoder.expect("there is memory"), space)
        }));
    }
    for (kind, path, decompress) in files {
        let mut space = vec![0; TASK_BYTES];
        let bytes = decompress(&path, &mut space);
        let path = &path;
        let arms = vec![
            Arm::new("decompressing alone", || {
                assert_eq!(decompress(path, &mut space), bytes);
            }),
            Arm::new("report", || assert_eq!(reported(path, None), bytes)),
            Arm::new("report, 1 thread", || {
                assert_eq!(reported(path, Some(1)), bytes);
            }),
        ];
        compare(kind, Amount::Bytes(bytes), ROUNDS, arms, &[0]);
    }
}
