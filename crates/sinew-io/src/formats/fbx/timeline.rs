//! The frames of the clips that are asked for.

use sinew::animation::Clip;

use super::layers::{Playing, heard};
use super::memory::allocator;
use super::open::{Fbx, in_words};
use crate::Result;
use crate::scene::choice::choose;
use crate::scene::names::Names;

/// Memory that a list of layers may need.
const MOST_MEMORY: usize = 1 << 24;
/// Frames a clip may have.
const MOST_FRAMES: f64 = 1e6;

/// Frames of clips, one after another.
pub(super) struct Timeline {
    /// At least one; nameless where the file has no animation.
    pub clips: Vec<Clip>,
    /// Whether the file has any animation.
    pub animated: bool,
    /// Seconds of each frame.
    pub times: Vec<f64>,
    /// Animation stack of each clip.
    pub stacks: Vec<Option<usize>>,
}

impl Fbx {
    /// The frames of the clips that are asked for: the first when none is, one frame when the file has none.
    /// `cached` is the time range of point caches, for files without a clip.
    pub(super) fn timeline(
        &self,
        wanted: &[String],
        fps: Option<f64>,
        cached: Option<(f64, f64)>,
    ) -> Result<Timeline> {
        if let Some(fps) = fps.filter(|f| !(*f > 0.0 && f.is_finite())) {
            return Err(self.unsupported(format!("the frame rate must be a positive number, not {fps}")));
        }
        let stacks: Vec<_> = self.scene.anim_stacks.as_ref().iter().map(|s| self.clip_info(s)).collect();
        let names: Vec<&str> = stacks.iter().map(|s| s.name.as_str()).collect();
        let chosen = choose(&names, wanted).map_err(|sentence| self.unsupported(sentence))?;
        let mut out = Timeline { clips: Vec::new(), animated: true, times: Vec::new(), stacks: Vec::new() };
        if chosen.is_empty() {
            out.animated = cached.is_some();
            let (start, end) = cached.unwrap_or_default();
            self.add_clip(&mut out, None, String::new(), (start, end), fps.unwrap_or_else(|| self.fps()))?;
            return Ok(out);
        }
        let mut unique = Names::default();
        for stack in chosen {
            let info = &stacks[stack];
            let name = unique.unique(info.name.clone());
            let fps = fps.unwrap_or(info.fps);
            self.add_clip(&mut out, Some(stack), name, (info.start, info.end), fps)?;
        }
        Ok(out)
    }

    fn add_clip(
        &self,
        out: &mut Timeline,
        stack: Option<usize>,
        name: String,
        (start, end): (f64, f64),
        fps: f64,
    ) -> Result<()> {
        let length = (end - start).max(0.0);
        let last = (length * fps).round();
        if !start.is_finite() || out.times.len() as f64 + last >= MOST_FRAMES {
            return Err(self.unsupported(format!(
                "{length} seconds at {fps} frames a second are more than {MOST_FRAMES} frames"
            )));
        }
        let first = out.times.len();
        out.times.extend((0..=last as usize).map(|i| start + i as f64 / fps));
        out.clips.push(Clip { name, frames: first..out.times.len(), fps });
        out.stacks.push(stack);
        Ok(())
    }

    /// The layers of a stack that play, or those of the scene as it stands.
    pub(super) fn playing(&self, stack: Option<usize>) -> Result<Playing<'_>> {
        let Some(stack) = stack else { return Ok(Playing::All(&self.scene.anim)) };
        let anim = self.scene.anim_stacks[stack].anim.as_ref();
        let heard = heard(anim);
        if heard.len() == anim.layers.count {
            return Ok(Playing::All(anim));
        }
        let options = ufbx::AnimOpts {
            layer_ids: ufbx::ListOpt::Owned(heard),
            result_allocator: allocator(MOST_MEMORY),
            ..Default::default()
        };
        let some = ufbx::create_anim(&self.scene, options).map_err(|e| in_words(self.source.path(), &e))?;
        Ok(Playing::Some(some))
    }
}
