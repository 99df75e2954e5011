//! A process that does jobs, from the side of the one that keeps the list.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::memory;
use super::worker::{Answer, Task};
use crate::refusals::Gone;

/// The last of what a process says on standard error, in bytes.
const LAST_WORDS: usize = 4096;

/// A process that does jobs, where there is one.
#[derive(Default)]
pub(super) struct Worker {
    /// What others may end.
    running: Arc<Mutex<Running>>,
    answers: Option<BufReader<ChildStdout>>,
    last_words: Option<JoinHandle<String>>,
}

/// The process, for those who watch over it.
#[derive(Default)]
pub(super) struct Running {
    child: Option<Child>,
    tasks: Option<ChildStdin>,
    /// What it took when it was ended for that.
    too_much: Option<u64>,
}

/// Why there is no answer.
pub(super) enum NoAnswer {
    /// It was ended from outside; the job may be tried again.
    Killed,
    /// Another way.
    Gone(Gone),
}

impl Worker {
    /// For those who watch over it.
    pub fn running(&self) -> Arc<Mutex<Running>> {
        Arc::clone(&self.running)
    }

    /// Has a job done, by a new process where there is none.
    pub fn ask(&mut self, command: &[OsString], task: &Task) -> Result<Answer, NoAnswer> {
        if self.answers.is_none() {
            self.start(command).map_err(|e| NoAnswer::Gone(Gone::NotStarted(e.to_string())))?;
        }
        let line = serde_json::to_string(task).unwrap_or_default() + "\n";
        let told = match &mut lock(&self.running).tasks {
            Some(tasks) => tasks.write_all(line.as_bytes()).and_then(|()| tasks.flush()),
            None => return Ok(Answer::Cancelled),
        };
        let mut answer = String::new();
        if let (Ok(()), Some(answers)) = (told, &mut self.answers) {
            // What cannot be read is no answer, as what is cut off.
            let _ = answers.read_line(&mut answer);
        }
        serde_json::from_str(&answer).or_else(|_| self.has_gone(task.memory))
    }

    fn start(&mut self, command: &[OsString]) -> std::io::Result<()> {
        let Some((program, arguments)) = command.split_first() else {
            return Err(std::io::ErrorKind::NotFound.into());
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        self.answers = child.stdout.take().map(BufReader::new);
        let tasks = child.stdin.take();
        self.last_words = child.stderr.take().map(|said| std::thread::spawn(move || last_of(said)));
        *lock(&self.running) = Running { child: Some(child), tasks, too_much: None };
        Ok(())
    }

    /// What became of a process that does not answer.
    fn has_gone(&mut self, memory: u64) -> Result<Answer, NoAnswer> {
        let given_up = lock(&self.running).tasks.is_none();
        let (status, too_much) = self.end();
        let said = self.last_words.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        Err(match (status, too_much) {
            _ if given_up => return Ok(Answer::Cancelled),
            (_, Some(bytes)) => NoAnswer::Gone(Gone::Memory { bytes, memory }),
            (Some(status), None) if was_killed(status) => NoAnswer::Killed,
            (status, None) => {
                let how = status.map_or("unknown".into(), |status| status.to_string());
                NoAnswer::Gone(Gone::Ended { how, said: in_one_line(&said) })
            }
        })
    }

    /// Bytes that the process holds.
    pub fn holds(&self) -> u64 {
        lock(&self.running).child.as_ref().and_then(|child| memory::held(child.id())).unwrap_or(0)
    }

    /// Ends the process.
    pub fn end(&mut self) -> (Option<ExitStatus>, Option<u64>) {
        self.answers = None;
        let mut running = std::mem::take(&mut *lock(&self.running));
        running.tasks = None;
        let status = running.child.as_mut().and_then(|child| child.wait().ok());
        (status, running.too_much)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}

impl Running {
    /// Has the process give up.
    pub fn give_up(&mut self) {
        self.tasks = None;
    }

    /// Ends the process if it holds more than `memory`.
    pub fn watch(&mut self, memory: u64) {
        let Some(child) = &mut self.child else { return };
        let held = memory::held(child.id()).unwrap_or(0);
        if held > memory && child.kill().is_ok() {
            self.too_much = Some(held);
        }
    }
}

pub(super) fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The end of what somebody says.
fn last_of(mut said: impl Read) -> String {
    let (mut last, mut buffer) = (Vec::new(), [0; LAST_WORDS]);
    while let Ok(count @ 1..) = said.read(&mut buffer) {
        last.extend_from_slice(&buffer[..count]);
        last.drain(..last.len().saturating_sub(LAST_WORDS));
    }
    String::from_utf8_lossy(&last).into_owned()
}

fn in_one_line(said: &str) -> String {
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}

#[cfg(unix)]
fn was_killed(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    /// SIGKILL: by the system for want of memory, or by somebody.
    const KILL: i32 = 9;
    status.signal() == Some(KILL)
}

#[cfg(not(unix))]
fn was_killed(_: ExitStatus) -> bool {
    false
}
