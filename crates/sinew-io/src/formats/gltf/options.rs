//! How a rig is written.

use sinew::light::Light;

/// How a rig is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteOptions {
    /// Name of the scene and the skin, and of a mesh without parts. The file's name when empty.
    pub name: String,
    /// Name of the clip, by which engines look it up, of a rig that states no clips. The same as `name`
    /// when `None`.
    pub clip: Option<String>,
    /// Store the mesh's shading normals as they are, instead of those of the rig's rest pose. Right when
    /// the rest pose is the one the mesh was read with.
    pub keep_normals: bool,
    /// Store less, with no vertex of any frame off by more than this fraction of the rest pose's diagonal;
    /// [`crate::scene::DEFAULT_COMPACT_ERROR`] is a good value. Exact to single precision when `None`.
    pub compact: Option<f64>,
    /// Store numbers of few bits, packed: for readers that know `EXT_meshopt_compression`, and as exact as
    /// `compact` says, or [`crate::scene::DEFAULT_COMPACT_ERROR`] without. Vertices are stored in another order.
    pub pack: bool,
    /// Light over the vertices in all frames, for readers that know `SINEW_light`; others show none.
    pub light: Option<Light>,
    /// How many metres a unit of the rig is, where that is known. Those of files are metres, and what is written is
    /// brought to them; without, numbers stay as they are.
    pub metres_per_unit: Option<f64>,
}
