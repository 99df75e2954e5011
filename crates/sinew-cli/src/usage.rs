//! What is said about a command line that is not understood.

use std::error::Error as _;
use std::ffi::OsString;
use std::num::{ParseFloatError, ParseIntError};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error, Parser};

/// Reads the command line. Help and version are printed and end the program; what is not understood comes
/// back as a sentence.
pub fn parse<T: Parser>(arguments: &[OsString]) -> Result<T, String> {
    let mut command = taken(T::command());
    let parsed = command.try_get_matches_from_mut(arguments);
    let parsed = parsed.and_then(|mut matches| T::from_arg_matches_mut(&mut matches));
    parsed.map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => error.exit(),
        _ => sentence(&error, &meant(&command, arguments)),
    })
}

/// What is wrong with a command line that nobody runs; none where it is understood.
pub fn wrong(command: &Command, arguments: &[OsString]) -> Option<String> {
    let error = command.clone().try_get_matches_from(arguments).err()?;
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => None,
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Some("a command is missing".into()),
        _ => Some(sentence(&error, &meant(command, arguments))),
    }
}

/// The command line as it is taken.
pub fn taken(command: Command) -> Command {
    negative_numbers(command)
}

/// Lets every option have a negative number as its value: whether it may is for its own check to say, which
/// knows what to give instead. Otherwise `--frame -1` is refused as an option called -1.
fn negative_numbers(command: Command) -> Command {
    command
        .mut_args(|arg| {
            let takes_value = arg.get_action().takes_values() && !arg.is_positional();
            if takes_value { arg.allow_negative_numbers(true) } else { arg }
        })
        .mut_subcommands(negative_numbers)
}

/// What is wrong, and how to get help, without a full stop.
fn sentence(error: &Error, command: &str) -> String {
    let told = told(error).unwrap_or_else(|| first_line(error));
    format!("{told}; {command} --help tells more")
}

/// The command that was meant, such as `sinew edit rotate`.
fn meant(command: &Command, arguments: &[OsString]) -> String {
    let (mut path, mut command) = (command.get_name().to_owned(), command);
    for argument in arguments.iter().skip(1) {
        if let Some(within) = command.find_subcommand(argument) {
            path = format!("{path} {}", within.get_name());
            command = within;
        }
    }
    path
}

/// What is wrong, in our words; none for what seldom happens.
fn told(error: &Error) -> Option<String> {
    let arg = || text(error, ContextKind::InvalidArg);
    let value = || text(error, ContextKind::InvalidValue);
    Some(match error.kind() {
        ErrorKind::InvalidValue => {
            let (arg, value, known) =
                (option(&arg()?).to_owned(), value()?, list(error, ContextKind::ValidValue));
            match (value.as_str(), known.as_str()) {
                ("", "") => format!("{arg} needs a value"),
                ("", known) => format!("{arg} needs a value, one of {known}"),
                (value, known) => format!("{arg} cannot be {value}; it is one of {known}"),
            }
        }
        ErrorKind::ValueValidation => {
            format!("{} cannot be {}: {}", option(&arg()?), value()?, why(error)?)
        }
        ErrorKind::UnknownArgument => {
            let like = text(error, ContextKind::SuggestedArg);
            let like = like.map(|like| format!("; {like} is spelled most like it")).unwrap_or_default();
            match arg()? {
                arg if arg.starts_with('-') => format!("there is no option {arg} here{like}"),
                arg => format!("{arg} is one argument too many{like}"),
            }
        }
        ErrorKind::InvalidSubcommand => {
            let like = list(error, ContextKind::SuggestedSubcommand);
            let like = if like.is_empty() { like } else { format!("; {like} is spelled most like it") };
            format!("there is no command {}{like}", text(error, ContextKind::InvalidSubcommand)?)
        }
        ErrorKind::MissingSubcommand => {
            format!("a command is missing, one of {}", list(error, ContextKind::ValidSubcommand))
        }
        ErrorKind::MissingRequiredArgument => match list(error, ContextKind::InvalidArg) {
            several if several.contains(", ") => format!("{several} are missing"),
            one => format!("{one} is missing"),
        },
        ErrorKind::ArgumentConflict => match list(error, ContextKind::PriorArg) {
            prior if prior == arg()? => format!("{} is given twice", option(&prior)),
            prior => format!("{} and {prior} do not go together", option(&arg()?)),
        },
        _ => return None,
    })
}

/// Why the check of an option refused its value.
fn why(error: &Error) -> Option<String> {
    let source = error.source()?;
    Some(if source.is::<ParseIntError>() {
        "it takes a whole number that is not negative".into()
    } else if source.is::<ParseFloatError>() {
        "it takes a number".into()
    } else {
        source.to_string()
    })
}

/// An option without what stands for its value: `--frame <F>` is `--frame`.
fn option(arg: &str) -> &str {
    if arg.starts_with('-') { arg.split([' ', '=']).next().unwrap_or(arg) } else { arg }
}

fn text(error: &Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.first().cloned(),
        _ => None,
    }
}

fn list(error: &Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    }
}

/// What the parser says of itself.
fn first_line(error: &Error) -> String {
    let said = error.render().to_string();
    let line = said.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).trim_end_matches([':', '.']).into()
}
