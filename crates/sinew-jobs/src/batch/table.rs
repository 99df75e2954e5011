//! Tables as text: commas or tabs between cells, quotes around those that hold such (RFC 4180).

use crate::refusals::BatchRefusal;

/// A table with a row of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Names of the columns.
    pub names: Vec<String>,
    /// Lines on which rows begin, from 1, and their cells, as many as there are names.
    pub rows: Vec<(usize, Vec<String>)>,
}

impl Table {
    /// Reads a table.
    ///
    /// # Errors
    /// No names, a row of another number of cells, a quote that does not end.
    pub fn parse(text: &str) -> Result<Self, BatchRefusal> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let first = text.lines().next().unwrap_or_default();
        let between = if first.contains('\t') && !first.contains(',') { '\t' } else { ',' };
        let mut rows = rows(text, between)?.into_iter();
        let (_, names) = rows.next().ok_or(BatchRefusal::NoNames)?;
        let names: Vec<String> = names.iter().map(|name| name.trim().to_owned()).collect();
        if names.iter().any(String::is_empty) {
            return Err(BatchRefusal::NoNames);
        }
        let rows: Vec<_> = rows.collect();
        match rows.iter().find(|(_, cells)| cells.len() != names.len()) {
            Some((line, cells)) => {
                Err(BatchRefusal::Cells { line: *line, found: cells.len(), expected: names.len() })
            }
            None => Ok(Self { names, rows }),
        }
    }
}

/// All rows that are not empty.
fn rows(text: &str, between: char) -> Result<Vec<(usize, Vec<String>)>, BatchRefusal> {
    let (mut rows, mut cells, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut begun) = (1, 1);
    let mut quoted = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, quoted) {
            ('"', Some(_)) if rest.next_if_eq(&'"').is_some() => cell.push('"'),
            ('"', Some(_)) => quoted = None,
            (c, Some(_)) => {
                line += usize::from(c == '\n');
                cell.push(c);
            }
            ('"', None) if cell.is_empty() => quoted = Some(line),
            ('\r', None) if rest.peek() == Some(&'\n') => {}
            ('\n', None) => {
                cells.push(std::mem::take(&mut cell));
                rows.push((begun, std::mem::take(&mut cells)));
                line += 1;
                begun = line;
            }
            (c, None) if c == between => cells.push(std::mem::take(&mut cell)),
            (c, None) => cell.push(c),
        }
    }
    if let Some(line) = quoted {
        return Err(BatchRefusal::Quote { line });
    }
    cells.push(cell);
    rows.push((begun, cells));
    rows.retain(|(_, cells)| cells.iter().any(|cell| !cell.trim().is_empty()));
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_taken_apart() {
        let table = Table::parse("a, b\r\n\"x, \"\"y\"\"\",2\n\n\"two\nlines\",\n").unwrap();
        assert_eq!(table.names, ["a", "b"]);
        assert_eq!(table.rows[0], (2, vec!["x, \"y\"".into(), "2".into()]));
        assert_eq!(table.rows[1], (4, vec!["two\nlines".into(), String::new()]));
        assert_eq!(Table::parse("a\tb\n1\t2,5").unwrap().rows[0].1, ["1", "2,5"]);
    }

    #[test]
    fn what_is_no_table_is_told() {
        assert_eq!(Table::parse(""), Err(BatchRefusal::NoNames));
        assert_eq!(Table::parse("a,,b\n1,2,3"), Err(BatchRefusal::NoNames));
        assert_eq!(Table::parse("a,b\n1\n"), Err(BatchRefusal::Cells { line: 2, found: 1, expected: 2 }));
        assert_eq!(Table::parse("a,b\n1,\"2\n3"), Err(BatchRefusal::Quote { line: 2 }));
    }
}
