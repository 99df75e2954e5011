//! Things of which a warning says how many there are.

use std::fmt;

/// An enum of things, and what is said of some of each.
macro_rules! things {
    ($($(#[$meta:meta])* $Variant:ident = $text:literal),+ $(,)?) => {
        /// Things of a kind, and what became of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Counted {
            $($(#[$meta])* $Variant),+
        }

        impl fmt::Display for Counted {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$Variant => $text),+
                })
            }
        }
    };
}

things! {
    /// Vertices whose weights had another sum than one.
    NotNormalised = "vertices have weights that do not sum to one; they were normalised",
    /// Vertices with weights below zero.
    NegativeWeights = "vertices have negative weights, which were dropped",
    /// Vertices of a skin without weights.
    WithoutWeights = "vertices have no weight; each follows its first joint",
    /// Points and lines.
    NotTriangles = "primitives are points or lines and were ignored",
    /// Attributes of no kind that is kept.
    UnknownAttributes = "attributes of vertices are of no kind that Sinew keeps and were left out",
    /// Faces of one or two corners.
    FewCorners = "faces have fewer than three corners and were left out",
    /// Channels of a clip.
    UnknownChannels = "animation channels move something Sinew does not know",
    /// Bytes behind the last frame of a cache.
    BytesAfter = "bytes after the last frame are ignored",
    /// Nodes of too many frames, which stand still.
    NodesStill = "nodes that hold no vertices move in more frames than Sinew keeps of them; they stand still",
    /// Nodes of too many frames, which were left out.
    NodesLeftOut = "nodes that hold no vertices move in more frames than Sinew keeps of them; they were left out",
    /// Nodes that a USD stage plays in one clip.
    NodesInFirstClip =
        "nodes that hold no vertices move in the first clip only: a USD stage has one time line",
    /// Textures that glTF cannot show.
    TexturesUnplaced = "textures were left out: the mesh has no UVs or they no image",
    /// Textures that materials of FBX have no place for.
    TexturesOfFbx = "textures of metal, roughness or occlusion were left out: the materials of FBX have no place for \
                     them",
    /// NURBS surfaces with curves that cut them.
    TrimmedNurbs = "trimmed NURBS surfaces were left out",
    /// NURBS surfaces that cannot be made triangles.
    NurbsOfPoints = "NURBS surfaces have too few or too many points and were left out",
    /// NURBS surfaces of fewer triangles.
    NurbsCoarser = "NURBS surfaces are cut less finely than the file says",
    /// NURBS surfaces that should bend.
    NurbsDeformed = "NURBS surfaces have deformers, which were left out: they do not bend",
    /// Groups of levels of detail.
    LevelGroups = "groups of levels of detail: all their levels were read",
    /// Constraints.
    Constraints = "constraints were left out; their effect counts where it is baked",
}
