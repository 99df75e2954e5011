//! HTML, a little of it.

use std::fmt::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;color:#262c36;max-width:1000px;margin:2em auto;\
padding:0 1em}table{border-collapse:collapse;width:100%}th,td{text-align:right;padding:.3em .6em;\
border-bottom:1px solid #dee2e8}th:first-child,td:first-child{text-align:left}figure{margin:2em 0}\
img{max-width:100%}figcaption{color:#5a6472}";

/// A page that grows.
pub(super) struct Page(String);

impl Page {
    /// A page with a title and a line below it.
    pub fn new(title: &str, facts: &str) -> Self {
        let (title, facts) = (escaped(title), escaped(facts));
        Self(format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
             <style>{STYLE}</style>\n<h1>{title}</h1>\n<p>{facts}</p>\n"
        ))
    }

    /// A table.
    pub fn table(&mut self, head: &[&str], rows: impl Iterator<Item = Vec<String>>) {
        let row = |cells: &mut dyn Iterator<Item = &str>, tag: &str| {
            let cells: String = cells.map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
            format!("<tr>{cells}</tr>\n")
        };
        self.0 += "<table>\n";
        self.0 += &row(&mut head.iter().copied(), "th");
        rows.for_each(|cells| self.0 += &row(&mut cells.iter().map(String::as_str), "td"));
        self.0 += "</table>\n";
    }

    /// A picture with words below it.
    pub fn picture(&mut self, caption: &str, png: &[u8]) {
        let (caption, data) = (escaped(caption), STANDARD.encode(png));
        _ = writeln!(
            self.0,
            "<figure><img alt=\"{caption}\" src=\"data:image/png;base64,{data}\"><figcaption>{caption}\
             </figcaption></figure>"
        );
    }

    /// The whole page.
    pub fn finish(self) -> String {
        self.0 + "</html>\n"
    }
}

/// Words that are words and nothing else.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_no_markup() {
        let page = super::Page::new("<script>", "a & \"b\"").finish();
        assert!(page.contains("&lt;script&gt;") && !page.contains("<script>"));
        assert!(page.contains("a &amp; &quot;b&quot;"));
    }
}
