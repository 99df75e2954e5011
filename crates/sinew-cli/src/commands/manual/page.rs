//! What pages are made of, whatever they are written in.

use clap::Command;

/// A file of a folder: its name and what is in it.
pub type Page = (String, Vec<u8>);

/// The commands below one that people are told of.
pub fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help")
}
