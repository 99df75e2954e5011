//! Animation stacks: when they play, and which of their layers do.
//!
//! A layer can be muted, and one that plays solo mutes all others but those that do too. The lowest layer, the
//! animation that others are layers upon, always plays.

/// Keys that are this near to a whole frame are at it.
const AT_FRAME: f64 = 1e-3;

/// What of a stack is played.
pub(super) enum Playing<'a> {
    All(&'a ufbx::Anim),
    Some(ufbx::AnimRoot),
}

impl Playing<'_> {
    pub fn anim(&self) -> &ufbx::Anim {
        match self {
            Self::All(anim) => anim,
            Self::Some(anim) => anim,
        }
    }
}

/// Numbers of the layers that play.
pub(super) fn heard(anim: &ufbx::Anim) -> Vec<u32> {
    let layers = || anim.layers.as_ref().iter().enumerate();
    let solo = layers().skip(1).any(|(_, layer)| is_set(layer, "Solo"));
    let plays = |place: usize, layer: &ufbx::AnimLayer| {
        place == 0 || !is_set(layer, "Mute") && (!solo || is_set(layer, "Solo"))
    };
    layers().filter(|(place, layer)| plays(*place, layer)).map(|(_, layer)| layer.element.typed_id).collect()
}

fn is_set(layer: &ufbx::AnimLayer, property: &str) -> bool {
    ufbx::find_prop(&layer.element.props, property).is_some_and(|p| p.value_vec4.x != 0.0)
}

/// Seconds at the first and last frame of a stack: as it says or, where it does not, whole frames around its keys.
pub(super) fn range(stack: &ufbx::AnimStack, fps: f64) -> (f64, f64) {
    let stated = (stack.time_begin, stack.time_end);
    if stated != (0.0, 0.0) {
        return stated;
    }
    let values = stack.layers.as_ref().iter().flat_map(|layer| layer.anim_values.as_ref());
    let curves = values.flat_map(|value| value.curves.iter().flatten());
    let times = curves.filter_map(|c| Some([c.keyframes.first()?.time, c.keyframes.last()?.time]));
    let keys =
        times.filter(|t| t.iter().all(|t| t.is_finite())).reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]);
    keys.map_or(stated, |[first, last]| {
        ((first * fps + AT_FRAME).floor() / fps, (last * fps - AT_FRAME).ceil() / fps)
    })
}
