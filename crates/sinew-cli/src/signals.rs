//! How Ctrl-C, and what else asks a process to end, ends a run.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// The signal that is to end the run; 0 for none.
static SIGNAL: AtomicU8 = AtomicU8::new(0);

/// The number of the signal that Ctrl-C sends.
const INTERRUPT: u8 = 2;

/// Ctrl-C again within this time is impatience, not a wish to lose what is being written.
const PATIENCE: Duration = Duration::from_secs(3);

/// Lets signals cancel work in an orderly way. Another one, after a while, ends the process at once.
///
/// # Errors
/// Why they cannot be listened for.
pub fn listen() -> Result<(), String> {
    let first = Mutex::new(None::<Instant>);
    let come = move |signal: u8| {
        // What came first is what the process ends for.
        let _ = SIGNAL.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
        let mut first = first.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if first.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
            std::process::exit(exit_code().into());
        }
    };
    each(come).map_err(|e| format!("Ctrl-C cannot be listened for: {e}"))?;
    #[cfg(unix)]
    tell_lost_bytes().map_err(|e| format!("lost files cannot be told: {e}"))?;
    Ok(())
}

/// Says in a sentence what ends the process where somebody cuts a file short that is mapped.
#[cfg(unix)]
fn tell_lost_bytes() -> std::io::Result<()> {
    use std::fs::File;
    use std::io::Write;
    use std::mem::ManuallyDrop;
    use std::os::fd::FromRawFd;

    let end = || {
        let which =
            sinew_io::source::cut_short().map_or_else(|| "a file".into(), |path| path.display().to_string());
        let sentence = format!("error: {which}: the file became shorter while it was read\n");
        // SAFETY: it stays open. Standard error as Rust has it waits for a lock.
        let mut out = ManuallyDrop::new(unsafe { File::from_raw_fd(2) });
        let _ = out.write_all(sentence.as_bytes());
        signal_hook::low_level::exit(2);
    };
    // SAFETY: the signal comes of a load from memory that is mapped. The thread that it interrupts is not within an
    // allocation or holding a lock, so that this may allocate.
    unsafe { signal_hook::low_level::register(signal_hook::consts::SIGBUS, end) }.map(drop)
}

#[cfg(unix)]
fn each(come: impl Fn(u8) + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let wait = move || signals.forever().for_each(|signal| come(signal.try_into().unwrap_or(INTERRUPT)));
    std::thread::Builder::new().name("signals".into()).spawn(wait).map(|_| ())
}

#[cfg(not(unix))]
fn each(come: impl Fn(u8) + Send + 'static) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || come(INTERRUPT))
}

/// Whether one came.
pub fn have_come() -> bool {
    SIGNAL.load(Ordering::SeqCst) != 0
}

/// What a process ends with that was asked to end, as shells have it: 130 after Ctrl-C, 143 where it was to terminate.
pub fn exit_code() -> u8 {
    match SIGNAL.load(Ordering::SeqCst) {
        0 => 128 + INTERRUPT,
        signal => 128 + signal,
    }
}
