//! Lists of jobs: JSON lines, or a template filled in from a table or for each file of a pattern.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use sinew_io::Error;

use super::pattern::{self, Found};
use super::table::Table;
use super::template::Template;
use crate::any::AnyJob;
use crate::error::Outcome;
use crate::refusals::BatchRefusal;
use crate::streams::is_input;

/// Lists of jobs are no larger, in bytes.
const MOST: u64 = 1 << 30;
/// A name that is longer is cut.
const MOST_LABEL: usize = 120;

/// Where a list comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file of JSON lines, `-` for standard input; or with a template, a table (`*.csv`, `*.tsv`).
    File {
        /// The file.
        list: PathBuf,
        /// The job with gaps, for a table.
        template: Option<PathBuf>,
    },
    /// One job for each file that fits one of these patterns.
    Each {
        /// The patterns.
        patterns: Vec<String>,
        /// The job with gaps.
        template: PathBuf,
    },
}

/// One job of a list, or what is wrong with it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its line, or its place among the files, from 1.
    pub line: usize,
    /// What to call it: the first file that it writes, else the first that it reads.
    pub label: String,
    /// The job.
    pub job: Result<AnyJob, BatchRefusal>,
}

/// Jobs that do not depend on each other.
#[derive(Clone, Debug)]
pub struct List {
    /// All of them, in their order.
    pub entries: Vec<Entry>,
}

impl Origin {
    /// Reads the list.
    ///
    /// # Errors
    /// A file that cannot be read; a table or template that is none; a list without any job.
    pub fn read(&self) -> Outcome<List> {
        let entries = match self {
            Self::File { list, template: None } if is_table(list) => {
                return Err(BatchRefusal::TableAlone(list.clone()).into());
            }
            Self::File { list, template: None } => lines(list)?,
            Self::File { list, template: Some(_) } if !is_table(list) => {
                return Err(BatchRefusal::ListWithTemplate(list.clone()).into());
            }
            Self::File { list, template: Some(template) } => of_table(list, template)?,
            Self::Each { patterns, template } => of_files(patterns, template)?,
        };
        let first = entries.first().and_then(|entry| entry.job.as_ref().err().map(ToString::to_string));
        if entries.iter().all(|entry| entry.job.is_err()) {
            let first = first.unwrap_or_else(|| "it is empty".into());
            return Err(BatchRefusal::NoJobs { list: self.name().into(), first }.into());
        }
        let mut list = List { entries };
        list.check();
        Ok(list)
    }

    /// The file that says what to do.
    fn name(&self) -> &Path {
        match self {
            Self::File { list, .. } => list,
            Self::Each { template, .. } => template,
        }
    }

    /// Where what is done is kept unless said otherwise: beside the list, `shots.jsonl` in `shots.batch`.
    ///
    /// # Errors
    /// [`BatchRefusal::NoFolder`] for a list that is no file.
    pub fn folder(&self) -> Result<PathBuf, BatchRefusal> {
        match self.name() {
            name if is_input(name) => Err(BatchRefusal::NoFolder),
            name => Ok(name.with_extension("batch")),
        }
    }
}

fn is_table(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("csv") || ending.eq_ignore_ascii_case("tsv"))
}

/// The text of a list.
fn read(path: &Path) -> Outcome<String> {
    let mut bytes = Vec::new();
    let read = match is_input(path) {
        true => std::io::stdin().lock().take(MOST + 1).read_to_end(&mut bytes),
        false => std::fs::File::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes)),
    };
    read.map_err(Error::io(path))?;
    let length = bytes.len() as u64;
    if length > MOST {
        return Err(BatchRefusal::TooLong { list: path.into(), bytes: length, most: MOST }.into());
    }
    String::from_utf8(bytes).map_err(|e| {
        let before = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        BatchRefusal::ListNoText { list: path.into(), line }.into()
    })
}

fn lines(path: &Path) -> Outcome<Vec<Entry>> {
    let text = read(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    Ok(lines.map(|(i, line)| Entry::new(i + 1, AnyJob::from_json(line), line)).collect())
}

fn of_table(list: &Path, template: &Path) -> Outcome<Vec<Entry>> {
    let Table { names, rows } = Table::parse(&read(list)?)?;
    let gaps: Vec<&str> = names.iter().map(String::as_str).collect();
    let template = Template::new(&read(template)?, &gaps)?;
    let entry = |(line, cells): (usize, Vec<String>)| {
        let values: Vec<(String, String)> = names.iter().cloned().zip(cells).collect();
        Entry::of_template(line, &template, &values)
    };
    Ok(rows.into_iter().map(entry).collect())
}

fn of_files(patterns: &[String], template: &Path) -> Outcome<Vec<Entry>> {
    let template = Template::new(&read(template)?, &Found::NAMES)?;
    let mut files = Vec::new();
    for pattern in patterns {
        files.extend(pattern::find(pattern)?);
    }
    let entry = |(i, found): (usize, Found)| match found.values() {
        Ok(values) => Entry::of_template(i + 1, &template, &values),
        Err(refusal) => Entry { line: i + 1, label: found.path.display().to_string(), job: Err(refusal) },
    };
    Ok(files.into_iter().enumerate().map(entry).collect())
}

impl Entry {
    fn new(line: usize, job: serde_json::Result<AnyJob>, text: &str) -> Self {
        match job {
            Ok(mut job) => {
                let label = label(&mut job);
                let files = job.files();
                let streams = files.go_to_output() || files.that_are_read().any(is_input);
                Self { line, label, job: if streams { Err(BatchRefusal::Streams) } else { Ok(job) } }
            }
            Err(e) => Self { line, label: short(text), job: Err(BatchRefusal::NoJob { why: plain(&e) }) },
        }
    }

    fn of_template(line: usize, template: &Template, values: &[(String, String)]) -> Self {
        match template.fill(values) {
            Ok(value) => {
                let text = value.to_string();
                let mut entry = Self::new(line, serde_json::from_value(value), &text);
                if let Err(BatchRefusal::NoJob { why }) = &mut entry.job
                    && why.starts_with("invalid type: string")
                {
                    why.push_str("; a gap that is to be a number is written {name:number}");
                }
                entry
            }
            Err(refusal) => {
                let label = values.first().map(|(_, value)| short(value)).unwrap_or_default();
                Self { line, label, job: Err(refusal) }
            }
        }
    }
}

/// What the reader says, without the place in a list that has one job a line.
fn plain(error: &serde_json::Error) -> String {
    let said = error.to_string();
    match said.rsplit_once(" at line ") {
        Some((said, _)) => said.to_owned(),
        None => said,
    }
}

/// What a job is called.
fn label(job: &mut AnyJob) -> String {
    let files = job.files();
    let path = files.that_are_written().next().or(files.report_path()).or(files.that_are_read().next());
    let label = path.map(|path| path.display().to_string());
    label.unwrap_or_else(|| job.name().into())
}

fn short(text: &str) -> String {
    text.trim().chars().take(MOST_LABEL).collect()
}

impl List {
    /// Refuses jobs that write what others write or read what others write: nobody could say what comes of them.
    fn check(&mut self) {
        let mut jobs: HashMap<String, usize> = HashMap::new();
        let mut written: HashMap<PathBuf, usize> = HashMap::new();
        let mut places = Places::default();
        for entry in &mut self.entries {
            let Ok(job) = &mut entry.job else { continue };
            let text = super::work::canonical(job);
            let files = job.files();
            let mut targets: Vec<&Path> = files.that_are_written().chain(files.report_path()).collect();
            targets.dedup();
            let taken = targets.iter().find_map(|path| Some((*path, *written.get(&places.of(path))?)));
            let refusal = match (jobs.get(&text), taken) {
                (Some(&line), _) => Some(BatchRefusal::Same { line }),
                (None, Some((path, line))) => Some(BatchRefusal::WrittenTwice { path: path.into(), line }),
                (None, None) => None,
            };
            match refusal {
                Some(refusal) => entry.job = Err(refusal),
                None => {
                    written.extend(targets.iter().map(|path| (places.of(path), entry.line)));
                    jobs.insert(text, entry.line);
                }
            }
        }
        for entry in &mut self.entries {
            let Ok(job) = &mut entry.job else { continue };
            let files = job.files();
            let result = files.that_are_read().find_map(|path| {
                let line = *written.get(&places.of(path)).filter(|line| **line != entry.line)?;
                Some(BatchRefusal::ReadsResult { path: path.into(), line })
            });
            if let Some(refusal) = result {
                entry.job = Err(refusal);
            }
        }
    }
}

/// Names of files that all ways of writing their paths share. Folders are looked up once each: ten thousand jobs have few.
#[derive(Default)]
struct Places(HashMap<PathBuf, PathBuf>);

impl Places {
    fn of(&mut self, path: &Path) -> PathBuf {
        let path = unwound(path);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let looked_up = self.0.entry(folder.into()).or_insert_with(|| {
            // What is not there yet will be where its nearest folder is.
            let there = folder.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
            let here = || Some((Path::new(""), Path::new(".").canonicalize().ok()?));
            let beyond =
                |(above, found): (&Path, PathBuf)| Some(found.join(folder.strip_prefix(above).ok()?));
            there.or_else(here).and_then(beyond).unwrap_or_else(|| folder.into())
        });
        path.file_name().map_or_else(|| looked_up.clone(), |name| looked_up.join(name))
    }
}

/// A path without `.` and with `..` taken back, as it is written.
fn unwound(path: &Path) -> PathBuf {
    let mut place = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if place.file_name().is_some() => {
                place.pop();
            }
            part => place.push(part),
        }
    }
    place
}
