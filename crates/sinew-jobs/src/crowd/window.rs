//! Crowds in a window, in builds that have them.

use sinew::progress::Progress;
use sinew_gpu::{Renderer, Viewpoint};

use crate::error::Outcome;
use crate::refusals::CrowdRefusal;

/// A window to be.
#[cfg(feature = "window")]
pub struct Window(sinew_gpu::Window);

#[cfg(feature = "window")]
impl Window {
    /// Finds the screen, before long work is begun.
    pub fn open() -> Outcome<Self> {
        let found = sinew_gpu::Window::new();
        Ok(Self(found.map_err(|error| CrowdRefusal::NoScreen(error.to_string()))?))
    }

    /// Shows a crowd until the window is closed, or for so many frames.
    pub fn show(
        self,
        renderer: &mut Renderer,
        from: Viewpoint,
        frames: Option<u32>,
        progress: &dyn Progress,
    ) -> Outcome<()> {
        progress.stage("showing");
        self.0.show(renderer, from, frames.map(|f| f as usize), &|| progress.cancelled())?;
        Ok(progress.check()?)
    }
}

/// In this build there are none.
#[cfg(not(feature = "window"))]
pub enum Window {}

#[cfg(not(feature = "window"))]
impl Window {
    pub fn open() -> Outcome<Self> {
        Err(CrowdRefusal::NoWindows.into())
    }

    pub fn show(self, _: &mut Renderer, _: Viewpoint, _: Option<u32>, _: &dyn Progress) -> Outcome<()> {
        match self {}
    }
}
