//! The command reference as pages of Markdown: what `--help` says, in tables.

use clap::{Arg, Command};

use super::page::{Page, shown};

/// One page for each command, and `README.md`, which lists them.
pub fn pages(sinew: &Command) -> Vec<Page> {
    let mut list = String::from("# Commands\n\n");
    list +=
        "Made by `sinew manual markdown` from the program's own options.\n\n| command | |\n| --- | --- |\n";
    let mut pages = Vec::new();
    for command in shown(sinew) {
        let name = command.get_name();
        list += &format!("| [`sinew {name}`]({name}.md) | {} |\n", cell(&about(command)));
        let mut page = String::new();
        describe(command, 1, &mut page);
        pages.push((format!("{name}.md"), page.into_bytes()));
    }
    list += "\n## Of every command\n\n";
    list += &table(sinew.get_arguments().filter(|arg| arg.is_global_set() && !arg.is_hide_set()));
    pages.push(("README.md".into(), list.into_bytes()));
    pages
}

/// A command under a heading of so many signs, and those below it under headings of one more.
fn describe(command: &Command, depth: usize, out: &mut String) {
    let heading = "#".repeat(depth);
    let name = command.get_bin_name().unwrap_or(command.get_name());
    *out += &format!("{heading} {name}\n\n");
    let told = command.get_long_about().or(command.get_about());
    *out += &format!("{}\n\n", told.map(paragraphs).unwrap_or_default());
    let usage = command.clone().render_usage().to_string();
    *out += &format!("```text\n{}\n```\n", usage.trim_start_matches("Usage:").trim());
    let everywhere = |arg: &Arg| arg.is_global_set() || ["help", "version"].contains(&arg.get_id().as_str());
    let own = |arg: &&Arg| !arg.is_hide_set() && !everywhere(arg);
    let arguments: Vec<&Arg> = command.get_arguments().filter(own).collect();
    if !arguments.is_empty() {
        *out += &format!("\n{}", table(arguments.into_iter()));
    }
    if let Some(after) = command.get_after_help() {
        *out += &format!("\n{}", below_options(&after.to_string()));
    }
    for below in shown(command) {
        out.push('\n');
        describe(below, depth + 1, out);
    }
}

/// Arguments as rows.
fn table<'a>(arguments: impl Iterator<Item = &'a Arg>) -> String {
    let mut table = String::from("| option | meaning |\n| --- | --- |\n");
    for arg in arguments {
        table += &format!("| {} | {} |\n", spelled(arg), cell(&meaning(arg)));
    }
    table
}

/// How an argument is written.
fn spelled(arg: &Arg) -> String {
    let takes = arg.get_action().takes_values();
    let names =
        arg.get_value_names().map(|names| names.iter().map(|name| name.to_string()).collect::<Vec<_>>());
    let names = names.unwrap_or_else(|| vec![arg.get_id().to_string().to_uppercase()]);
    let optional = arg.get_num_args().is_some_and(|count| count.min_values() == 0);
    let many = arg.get_num_args().is_some_and(|count| count.max_values() > names.len());
    let mut values = names.join(" ");
    if many {
        values += "...";
    }
    if arg.is_positional() {
        return code(&if arg.is_required_set() { values } else { format!("[{values}]") });
    }
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    let value = match (takes, optional, arg.is_require_equals_set()) {
        (false, ..) => String::new(),
        (true, true, true) => format!("[={values}]"),
        (true, true, false) => format!(" [{values}]"),
        (true, false, true) => format!("={values}"),
        (true, false, false) => format!(" {values}"),
    };
    code(&format!("{}{value}", names.join(", ")))
}

/// What an argument does, what it may be and what it is when nobody says.
fn meaning(arg: &Arg) -> String {
    let told = arg.get_long_help().or(arg.get_help());
    let mut told = told.map(ToString::to_string).unwrap_or_default();
    let known = arg.get_possible_values();
    if arg.get_action().takes_values() && !known.is_empty() && !arg.is_hide_possible_values_set() {
        let words = known.iter().filter(|value| !value.is_hide_set()).map(|value| match value.get_help() {
            Some(help) => format!("`{}` ({help})", value.get_name()),
            None => format!("`{}`", value.get_name()),
        });
        told += &format!("; one of {}", words.collect::<Vec<_>>().join(", "));
    }
    let default: Vec<String> =
        arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
    if arg.get_action().takes_values() && !default.is_empty() && !arg.is_hide_default_value_set() {
        told += &format!(" [default: {}]", default.join(" "));
    }
    told
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// Text whose paragraphs may go over several lines.
fn paragraphs(text: &clap::builder::StyledStr) -> String {
    plain(text.to_string().trim())
}

/// What stands below the options: lines that are set in are code, others are words.
fn below_options(text: &str) -> String {
    let mut blocks = String::new();
    let mut lines = text.lines().peekable();
    while let Some(&first) = lines.peek() {
        let mut block = Vec::new();
        while let Some(line) = lines.next_if(|line| line.starts_with("  ") == first.starts_with("  ")) {
            block.push(line.strip_prefix("  ").unwrap_or(line));
        }
        let text = block.join("\n");
        blocks += &match first.starts_with("  ") {
            false => format!("{}\n\n", plain(text.trim())),
            true if block.iter().all(|line| line.starts_with("sinew ")) => format!("```sh\n{text}\n```\n\n"),
            true => format!("```text\n{text}\n```\n\n"),
        };
    }
    format!("{}\n", blocks.trim_end())
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    plain(text).replace('|', "\\|").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

/// Text without what Markdown would take for tags and stress.
fn plain(text: &str) -> String {
    text.replace('<', "&lt;").replace('*', "\\*")
}
