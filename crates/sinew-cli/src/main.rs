//! The command `sinew`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = std::env::args_os().collect();
    // Where the system does not tell, it is as it was started.
    let code = std::env::current_exe().unwrap_or_else(|_| "sinew".into());
    ExitCode::from(sinew_cli::main(arguments, code))
}
