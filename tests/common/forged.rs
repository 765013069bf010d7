//! Partials with forged headers: valid JSON that says something else, and a hash that fits.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use fecscan::engine::{Engine, Options};
use fecscan::error::Error;
use fecscan::fec::layout::{FirstLine, Layout};
use fecscan::fec::schema::Schema;
use fecscan::fold::report::{OddRowPolicy, OtherKinds, ReportFold, ReportQuestion};
use fecscan::fold::{Folded, LineCount, StoredFold};
use fecscan::input::{CoveragePolicy, OpenOptions};
use fecscan::partial::{Command, GapPolicy, Joined, Merged, Partial, Question};
use fecscan::render::{Format, json, to_vec};
use fecscan::sql::{Filter, GivenTables, Join};
use serde_json::{Map, Value, json};
use twox_hash::XxHash3_128;

use super::by::{By, FoldGroups as FoldBy};
use super::forged_sql::{FoldGroups, Made, SQL, SQL_JOINED, run_sql, sql};

/// The bytes before the header: a mark, and the version.
const BEFORE_HEADER: usize = 9;
const HASH_BYTES: usize = 16;

/// A question, and its partials: of a whole file, and of both halves.
pub struct Asked {
    pub name: &'static str,
    pub partials: [Vec<u8>; 3],
}

/// What chooses: returns a number below a bound.
type Choose<'a> = dyn FnMut(usize) -> usize + 'a;

/// Writes partials of every command.
pub fn every_question(folder: &Path) -> Vec<Asked> {
    let [rows, cm, other] = files(folder);
    let count = Question {
        conditions: vec!["STATE <> 'CA'".to_owned(), "amount > 5".to_owned()],
        ..Question::new(Command::Count {})
    };
    let mut report = ReportQuestion::default();
    report.names = vec![0, 2, 70, 1000];
    report.top = 3;
    report.odd_rows = OddRowPolicy::List;
    report.other_kinds = OtherKinds::Report;
    let report = Command::report(&report);
    let join = Join::new(&cm);
    let with = Joined::of(&join, None, &OpenOptions::default()).unwrap();
    let joined = Question {
        conditions: vec!["cm.CMTE_NM = 'PAC'".to_owned()],
        with: vec![with],
        ..Question::new(by("cm.CMTE_PTY_AFFILIATION, STATE", "TRANSACTION_AMT"))
    };
    let mut with_cm = Question::new(sql(SQL_JOINED));
    with_cm.with = joined.with.clone();
    let mut layout = Layout::new(b';').unwrap();
    layout.first_line = FirstLine::Names;
    layout.names = ["k", "v", "d"].map(str::to_owned).to_vec();
    let others = Question {
        schema: Some(layout.schema()),
        ..Question::new(by("k", "TRY_CAST(v AS DECIMAL(18, 2))"))
    };
    let keys = "amount > 50, date_trunc('month', date) AS month, left(ZIP_CODE, 3)";
    let groups = Question::new(by(keys, "TRANSACTION_AMT"));
    [
        ("count", &rows, count),
        ("report", &rows, Question::new(report)),
        ("by", &rows, groups),
        ("joined", &rows, joined),
        ("sql", &rows, Question::new(sql(SQL))),
        ("sql joined", &rows, with_cm),
        ("other", &other, others),
    ]
    .map(|(name, path, question)| {
        let half = fs::metadata(path).unwrap().len() / 2;
        let ranges = [0..u64::MAX, 0..half, half..u64::MAX];
        let partials = ranges.map(|range| written(&question, path, range));
        Asked { name, partials }
    })
    .into()
}

/// Writes the partial of a range.
struct WriteRange<'a>(&'a Question, &'a Path, Range<u64>);

impl FoldGroups for WriteRange<'_> {
    fn fold<F: StoredFold>(&self, filter: Filter, fold: &F) -> Result<Made<F::Partial>, Error> {
        let WriteRange(question, path, range) = self;
        Ok((
            write_filtered(question, fold, path, range.clone(), filter),
            None,
        ))
    }
}

/// Merges partials.
struct MergeThem(RefCell<Option<Merged>>);

impl FoldGroups for MergeThem {
    fn fold<F: StoredFold>(&self, _: Filter, fold: &F) -> Result<Made<F::Partial>, Error> {
        let merged = self.0.borrow_mut().take().unwrap();
        Ok((Vec::new(), Some(merged.folded(fold)?)))
    }
}

/// Writes contributions, their committees, and a file of another kind.
fn files(folder: &Path) -> [PathBuf; 3] {
    let [rows, cm, other] = ["itcont.txt", "cm.txt", "other.csv"].map(|name| folder.join(name));
    let text = fs::read("fixtures/generated.txt")
        .or_else(|_| fs::read("../fixtures/generated.txt"))
        .unwrap();
    fs::write(&rows, &text).unwrap();
    let committees: Vec<u8> = text
        .split_inclusive(|&byte| byte == b'\n')
        .flat_map(|line| [&line[..9], b"|PAC|||||||||DEM||||\n"].concat())
        .collect();
    fs::write(&cm, committees).unwrap();
    fs::write(
        &other,
        b"k;v;d\na;1;2018-01-02\nb;2;2018-01-03\na;3.5;x\n".repeat(20),
    )
    .unwrap();
    [rows, cm, other]
}

/// Returns the command for groups with states of every kind, of an expression of numbers, ordered by one of them.
fn by(keys: &str, numbers: &str) -> Command {
    let aggregates =
        ["sum", "count", "min", "max", "avg", "median"].map(|name| format!("{name}({numbers})"));
    let aggregates = format!(
        "{}, count(DISTINCT {numbers}), sum({numbers}) FILTER (WHERE {numbers} > 5) AS some, quantile_disc({numbers}, 0.9), \
         arg_max({numbers}, {numbers})",
        aggregates.join(", ")
    );
    let by = By::new(keys, &aggregates).sorted(&format!("max({numbers}) DESC"), Some(3));
    Command::by(&by.question, Some(1000))
}

fn engine() -> Engine {
    let mut options = Options::default();
    options.threads = 1.try_into().unwrap();
    options.task_bytes = 4096.try_into().unwrap();
    Engine::new(options)
}

fn given(joins: &[Join]) -> GivenTables {
    let opening = OpenOptions::default();
    GivenTables::open(joins, &opening, engine().options()).unwrap()
}

/// Returns the partial of a range.
fn written(question: &Question, path: &Path, range: Range<u64>) -> Vec<u8> {
    match &question.command {
        Command::Count {} => write(question, &LineCount, path, range),
        Command::Report { .. } => {
            let asked = question.command.to_report().unwrap();
            write(question, &ReportFold::new(asked), path, range)
        }
        Command::By { .. } => {
            let joins: Vec<_> = question
                .with
                .iter()
                .map(|joined| Join::new(&joined.path))
                .collect();
            let schema = question.schema.unwrap_or(Schema::Indiv);
            let by = asked_by(question, schema, given(&joins)).unwrap();
            let written = RefCell::default();
            by.run(&WriteGroups(question, path, range, &written))
                .unwrap();
            written.into_inner()
        }
        Command::Sql { .. } => {
            run_sql(&engine(), question, WriteRange(question, path, range)).unwrap()
        }
    }
}

/// Returns the groups that a question asks for, if this program may have written it.
fn asked_by(question: &Question, schema: Schema, given: GivenTables) -> Option<By> {
    let (groups, max_groups) = question.command.to_by()?;
    Some(By {
        question: groups,
        schema,
        conditions: question.conditions.clone(),
        given,
        max_groups,
    })
}

/// Writes the partial of a range.
struct WriteGroups<'a>(&'a Question, &'a Path, Range<u64>, &'a RefCell<Vec<u8>>);

impl FoldBy for WriteGroups<'_> {
    fn fold<F: StoredFold>(
        &self,
        filter: Filter,
        fold: &F,
    ) -> Result<Option<Folded<F::Partial>>, Error> {
        let WriteGroups(question, path, range, written) = self;
        *written.borrow_mut() = write_filtered(question, fold, path, range.clone(), filter);
        Ok(None)
    }
}

/// Merges partials.
struct MergeGroups(RefCell<Option<Merged>>);

impl FoldBy for MergeGroups {
    fn fold<F: StoredFold>(
        &self,
        _: Filter,
        fold: &F,
    ) -> Result<Option<Folded<F::Partial>>, Error> {
        let merged = self.0.borrow_mut().take().expect("there is one fold");
        merged.folded(fold).map(Some)
    }
}

fn write<F: StoredFold>(question: &Question, fold: &F, path: &Path, range: Range<u64>) -> Vec<u8> {
    let joins: Vec<_> = question
        .with
        .iter()
        .map(|joined| Join::new(&joined.path))
        .collect();
    let filter = Filter::new(&question.conditions)
        .unwrap()
        .with_tables(given(&joins));
    write_filtered(question, fold, path, range, filter)
}

fn write_filtered<F: StoredFold>(
    question: &Question,
    fold: &F,
    path: &Path,
    range: Range<u64>,
    filter: Filter,
) -> Vec<u8> {
    let mut opening = OpenOptions::default();
    opening.schema = Some(question.schema.unwrap_or(Schema::Indiv));
    opening.range = Some(range);
    opening.coverage = CoveragePolicy::Note;
    let engine = engine().with_filter(filter);
    let mut run = engine.run(fold);
    run.input(opening.open(path.as_os_str()).unwrap()).unwrap();
    let partial = Partial::of(question.clone(), fold, run.finish()).unwrap();
    let mut out = Vec::new();
    partial.write(&mut out).unwrap();
    out
}

/// Merges partials as the program does. Returns the result in two formats.
pub fn answer(partials: &[Vec<u8>]) -> Result<Vec<u8>, Error> {
    let named = (0..).zip(partials).map(|(nth, bytes)| {
        let partial = Partial::read(bytes.clone())?;
        Ok((OsString::from(format!("partial {nth}")), partial))
    });
    let mut merged = Merged::new(named.collect::<Result<_, Error>>()?, GapPolicy::Allow)?;
    let opening = OpenOptions::default();
    let paths = merged.joined_paths();
    for (joined, paths) in merged.question.with.iter_mut().zip(paths) {
        joined.find_at(&paths, &opening)?;
    }
    if let Command::Sql { .. } = merged.question.command {
        let question = merged.question.clone();
        return run_sql(&engine(), &question, MergeThem(RefCell::new(Some(merged))));
    }
    let joins = merged.question.with.iter().map(Joined::to_join);
    let joins = joins.collect::<Result<Vec<_>, Error>>()?;
    let engine = engine();
    let given = GivenTables::open(&joins, &opening, engine.options())?;
    let filter = Filter::new(&merged.question.conditions)?.with_tables(given.clone());
    let command = merged.question.command.clone();
    let unknown = || Filter::new(["an unknown question"]).unwrap_err();
    match &command {
        Command::Count {} => {
            let folded = merged.folded(&LineCount)?;
            Ok(json::count(&folded.files, folded.lines_scanned))
        }
        Command::Report { .. } => {
            let fold = ReportFold::new(command.to_report().ok_or_else(unknown)?);
            let mut opening = OpenOptions::default();
            opening.schema = merged.question.schema;
            let engine = engine.with_filter(filter);
            let names = &fold_names(&command);
            let numbered = merged.lines_by_number(&engine, &opening, names)?;
            let mut folded = merged.folded(&fold)?;
            folded.numbered = numbered;
            let report = fold.report(folded);
            Ok([
                json::report(&report),
                to_vec(&report, Format::Text).unwrap(),
            ]
            .concat())
        }
        Command::By { .. } => {
            let covered = merged.files.iter().flat_map(|file| &file.coverage);
            let mut schemas = covered.flat_map(|coverage| coverage.schemas.iter().copied());
            let schema = schemas.next().unwrap_or(Schema::Indiv);
            let by = asked_by(&merged.question, schema, given).ok_or_else(unknown)?;
            by.bound()?.check_partial(0)?;
            let grouped = by.run(&MergeGroups(RefCell::new(Some(merged))))?;
            let grouped = grouped.expect("it has a result");
            let csv = to_vec(&grouped, Format::Csv).unwrap();
            Ok([csv, to_vec(&grouped, Format::Text).unwrap()].concat())
        }
        Command::Sql { .. } => Err(unknown()),
    }
}

fn fold_names(command: &Command) -> Vec<u64> {
    match command {
        Command::Report { names, .. } => names.clone(),
        _ => Vec::new(),
    }
}

/// Splits a partial into its header and its state.
fn split(partial: &[u8]) -> (Value, &[u8]) {
    let mut rest = &partial[BEFORE_HEADER..partial.len() - HASH_BYTES];
    let header = take(&mut rest);
    (serde_json::from_slice(header).unwrap(), take(&mut rest))
}

/// Returns the state of a partial.
pub fn state_of(partial: &[u8]) -> Vec<u8> {
    split(partial).1.to_vec()
}

/// Takes bytes after their number: seven bits a byte, the lowest first.
fn take<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let end = rest.iter().position(|byte| byte & 0x80 == 0).unwrap();
    let length = rest[..=end]
        .iter()
        .rev()
        .fold(0, |sum, byte| sum << 7 | usize::from(byte & 0x7f));
    let (bytes, after) = rest[end + 1..].split_at(length);
    *rest = after;
    bytes
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut length = bytes.len();
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend_from_slice(bytes);
}

/// Returns the partial with another header.
fn with_header(partial: &[u8], header: &Value) -> Vec<u8> {
    let (_, state) = split(partial);
    let mut out = partial[..BEFORE_HEADER].to_vec();
    put(&mut out, &serde_json::to_vec(header).unwrap());
    put(&mut out, state);
    let hash = XxHash3_128::oneshot(&out);
    out.extend_from_slice(&hash.to_le_bytes());
    out
}

/// Changes the header of a partial by `change`.
pub fn edited(partial: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let (mut header, _) = split(partial);
    change(&mut header);
    with_header(partial, &header)
}

/// Forges the header of one of the partials of `asked`, by `choices` and then by zeros. Returns what to merge: the partial of the whole
/// file, or those of both halves, of which the second agrees with the first perhaps.
pub fn forged(asked: &Asked, choices: &[u16]) -> Vec<Vec<u8>> {
    let mut choices = choices.iter();
    let choose: &mut Choose<'_> = &mut |below| {
        choices
            .next()
            .map_or(0, |&choice| usize::from(choice) % below)
    };
    let [whole, first, second] = &asked.partials;
    let alone = choose(2) == 0;
    let base = if alone { whole } else { first };
    let (mut header, _) = split(base);
    for _ in 0..1 + choose(3) {
        let mut places = Vec::new();
        places_in(&header, &mut String::new(), &mut places);
        let at = &places[choose(places.len())];
        let other = header.pointer(&places[choose(places.len())]).cloned();
        let node = header.pointer_mut(at).expect("a place in the header");
        forge(node, other.unwrap_or_default(), choose);
    }
    let forged = with_header(base, &header);
    if alone {
        return vec![forged];
    }
    let second = match choose(2) {
        0 => second.clone(),
        _ => edited(second, |theirs| {
            theirs["question"] = header["question"].clone();
            let schemas = "/files/0/coverage/schemas";
            if let (Some(mine), Some(theirs)) =
                (header.pointer(schemas), theirs.pointer_mut(schemas))
            {
                *theirs = mine.clone();
            }
        }),
    };
    vec![forged, second]
}

/// Lists the pointers to all values.
fn places_in(value: &Value, at: &mut String, places: &mut Vec<String>) {
    places.push(at.clone());
    let length = at.len();
    let mut inside = |key: &str, value: &Value| {
        at.push('/');
        at.push_str(&key.replace('~', "~0").replace('/', "~1"));
        places_in(value, at, places);
        at.truncate(length);
    };
    match value {
        Value::Array(items) => {
            let numbered = items.iter().enumerate();
            numbered.for_each(|(nth, item)| inside(&nth.to_string(), item));
        }
        Value::Object(map) => map.iter().for_each(|(key, value)| inside(key, value)),
        _ => {}
    }
}

/// Changes a value: to one of another type or length, or of a limit.
fn forge(node: &mut Value, other: Value, choose: &mut Choose<'_>) {
    const WORDS: [&str; 8] = [
        "",
        "indiv",
        "cm",
        "STATE",
        "count",
        "max(TRANSACTION_AMT) DESC",
        "1, sum(amount)",
        "\u{0}|\n",
    ];
    let limits = [0, 1, 2, 255, u64::from(u32::MAX), i64::MAX as u64, u64::MAX];
    let place = choose(64);
    *node = match (choose(9), node.take()) {
        (0, _) => [Value::Null, json!([]), json!({}), json!(-1), json!(1e300)][place % 5].take(),
        (1, _) => limits[place % limits.len()].into(),
        (2, _) => WORDS[place % WORDS.len()].into(),
        (3, _) => other,
        (4 | 5, Value::Array(mut items)) if !items.is_empty() => {
            let nth = place % items.len();
            match choose(3) {
                0 => drop(items.remove(nth)),
                1 => items.insert(nth, items[nth].clone()),
                _ => items.rotate_left(nth),
            }
            items.into()
        }
        (4, Value::Array(_)) => vec![other].into(),
        (4 | 5, Value::Object(map)) if !map.is_empty() => {
            let gone = place % map.len();
            let kept = map.into_iter().enumerate().filter(|(nth, _)| *nth != gone);
            kept.map(|(_, entry)| entry).collect::<Map<_, _>>().into()
        }
        (_, Value::Number(number)) => {
            let number = number.as_u64().unwrap_or_default();
            number
                .wrapping_add([1, 2, u64::MAX, 1 << 32][place % 4])
                .into()
        }
        (_, Value::Bool(is_so)) => (!is_so).into(),
        (_, same) => same,
    };
}
