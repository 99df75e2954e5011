//! The page of a batch: every job with its picture, error and size, the worst first.
//!
//! One file without anything from elsewhere; pictures lie beside it. Rows are data, and only those in sight are drawn, so that
//! ten thousand of them open at once.

use std::io::{Result, Write};

use serde_json::json;

use super::rows::Row;
use super::summary::BatchReport;

const PAGE: &str = include_str!("page.html");
/// What stands in the page for its data.
const DATA: &str = "\"DATA\"";

/// Writes the page, row after row: there may be a hundred thousand.
pub(super) fn write(report: &BatchReport, out: &mut dyn Write) -> Result<()> {
    let (before, after) = PAGE.split_once(DATA).unwrap_or((PAGE, ""));
    out.write_all(before.as_bytes())?;
    let data = json!({
        "version": report.version,
        "shard": report.shard,
        "tally": report.tally,
        "seconds": report.seconds,
        "interrupted": report.interrupted,
    });
    let head = data.to_string();
    write!(out, "{},\"rows\":[", head.strip_suffix('}').unwrap_or(&head))?;
    for (i, row) in report.rows.iter().enumerate() {
        if i > 0 {
            out.write_all(b",\n")?;
        }
        out.write_all(text_of(row)?.as_bytes())?;
    }
    write!(out, "]}}{after}")
}

fn text_of(Row { line, name, job, state, facts }: &Row) -> Result<String> {
    let said =
        facts.sentence.iter().chain(&facts.warnings).map(String::as_str).collect::<Vec<_>>().join(" · ");
    let row = (line, name, job, state, facts.error, facts.bytes, facts.seconds, said, &facts.picture);
    // What would end the script is written in another way.
    Ok(serde_json::to_string(&row)?.replace('<', "\\u003c"))
}
