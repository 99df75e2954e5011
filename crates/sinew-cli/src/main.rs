//! The command `sinew`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(sinew_cli::main(std::env::args_os().collect()))
}
