//! The page of a batch: every job with its picture, error and size, the worst first.
//!
//! One file without anything from elsewhere; pictures lie beside it. Rows are data, and only those in sight are drawn, so that
//! ten thousand of them open at once.

use serde_json::{Value, json};

use super::summary::BatchReport;

const PAGE: &str = include_str!("page.html");
/// What stands in the page for its data.
const DATA: &str = "\"DATA\"";

/// The page.
pub(super) fn text(report: &BatchReport) -> String {
    let rows: Vec<Value> = report
        .rows
        .iter()
        .map(|row| {
            let facts = &row.facts;
            let said = facts.sentence.iter().chain(&facts.warnings).cloned().collect::<Vec<_>>().join(" · ");
            json!([
                row.line,
                row.name,
                row.job,
                row.state,
                facts.error,
                facts.bytes,
                facts.seconds,
                said,
                facts.picture
            ])
        })
        .collect();
    let data = json!({
        "version": report.version,
        "shard": report.shard,
        "tally": report.tally,
        "seconds": report.seconds,
        "interrupted": report.interrupted,
        "rows": rows,
    });
    // What would end the script is written in another way.
    PAGE.replacen(DATA, &data.to_string().replace('<', "\\u003c"), 1)
}
