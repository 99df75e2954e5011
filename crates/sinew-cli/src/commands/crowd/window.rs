//! Crowds in a window, in builds that have them.

use sinew_gpu::{Renderer, Viewpoint};

use super::CrowdArgs;
use crate::error::{CliError, Outcome};
use crate::progress::Session;

/// What else there is than a window.
const ELSE: &str = "name a file (*.png, *.gif, *.mp4) or a folder, or ./window";

/// Whether a window is asked for.
pub fn asked(args: &CrowdArgs) -> bool {
    args.output.as_deref().is_some_and(|path| path.as_os_str() == "window")
}

/// A window to be.
#[cfg(feature = "window")]
pub struct Window(sinew_gpu::Window);

#[cfg(feature = "window")]
impl Window {
    /// Finds the screen, before long work is begun.
    pub fn open() -> Outcome<Self> {
        let found = sinew_gpu::Window::new();
        found.map(Self).map_err(|error| CliError::Refused(format!("{error}; else {ELSE}")))
    }

    /// Shows a crowd until the window is closed, or for so many frames.
    pub fn show(
        self,
        renderer: &mut Renderer,
        from: Viewpoint,
        frames: Option<u32>,
        session: &Session,
    ) -> Outcome<()> {
        use sinew::progress::Progress;
        session.stage("showing");
        self.0.show(renderer, from, frames.map(|f| f as usize), &|| session.cancelled())?;
        session.check()
    }
}

/// In this build there are none.
#[cfg(not(feature = "window"))]
pub enum Window {}

#[cfg(not(feature = "window"))]
impl Window {
    pub fn open() -> Outcome<Self> {
        CliError::refused(format!(
            "this build shows no windows; one that does is made by \
             cargo build --release --features window, else {ELSE}"
        ))
    }

    pub fn show(self, _: &mut Renderer, _: Viewpoint, _: Option<u32>, _: &Session) -> Outcome<()> {
        match self {}
    }
}
