//! Things of which a warning says how many there are.

/// An enum of things, and what is said of one and of more of each.
macro_rules! things {
    ($($(#[$meta:meta])* $Variant:ident = $one:literal | $many:literal),+ $(,)?) => {
        /// Things of a kind, and what became of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Counted {
            $($(#[$meta])* $Variant),+
        }

        impl Counted {
            /// What is said of so many.
            pub(super) fn of(self, count: usize) -> &'static str {
                match self {
                    $(Self::$Variant => if count == 1 { $one } else { $many }),+
                }
            }
        }
    };
}

things! {
    /// Samples of a USD stage at other times than its frames.
    SamplesBetween =
        "sample lies between frames and is left out; another frame rate shows it"
        | "samples lie between frames and are left out; a higher frame rate shows them",
    /// Vertices whose weights had another sum than one.
    NotNormalised =
        "vertex has weights that do not sum to one; they were normalised"
        | "vertices have weights that do not sum to one; they were normalised",
    /// Vertices with weights below zero.
    NegativeWeights =
        "vertex has negative weights, which were dropped"
        | "vertices have negative weights, which were dropped",
    /// Vertices of a skin without weights.
    WithoutWeights =
        "vertex has no weight; it follows its first joint"
        | "vertices have no weight; each follows its first joint",
    /// Points and lines.
    NotTriangles =
        "primitive is of points or lines and was ignored"
        | "primitives are points or lines and were ignored",
    /// Attributes of no kind that is kept.
    UnknownAttributes =
        "attribute of vertices is of no kind that Sinew keeps and was left out"
        | "attributes of vertices are of no kind that Sinew keeps and were left out",
    /// Faces of one or two corners.
    FewCorners =
        "face has fewer than three corners and was left out"
        | "faces have fewer than three corners and were left out",
    /// Channels of a clip.
    UnknownChannels =
        "animation channel moves something Sinew does not know"
        | "animation channels move something Sinew does not know",
    /// Bytes behind the last frame of a cache.
    BytesAfter =
        "byte after the last frame is ignored"
        | "bytes after the last frame are ignored",
    /// Nodes of too many frames, which stand still.
    NodesStill =
        "node that holds no vertices moves in more frames than Sinew keeps of it; it stands still"
        | "nodes that hold no vertices move in more frames than Sinew keeps of them; they stand still",
    /// Nodes of too many frames, which were left out.
    NodesLeftOut =
        "node that holds no vertices moves in more frames than Sinew keeps of it; it was left out"
        | "nodes that hold no vertices move in more frames than Sinew keeps of them; they were left out",
    /// Nodes that a USD stage plays in one clip.
    NodesInFirstClip =
        "node that holds no vertices moves in the played clip only: a USD stage has one time line"
        | "nodes that hold no vertices move in the played clip only: a USD stage has one time line",
    /// Shapes with weights that sliders cannot show.
    ShapesBeyond =
        "shape is shown by weights beyond 0 and 1, where sliders end: it is stored as strong as it is shown, and \
         what takes it back as a shape of its own"
        | "shapes are shown by weights beyond 0 and 1, where sliders end: they are stored as strong as they are \
           shown, and what takes one back as a shape of its own",
    /// Textures that glTF cannot show.
    TexturesUnplaced =
        "texture was left out: the mesh has no UVs or it no image"
        | "textures were left out: the mesh has no UVs or they no image",
    /// Textures that materials of FBX have no place for.
    TexturesOfFbx =
        "texture of metal, roughness or occlusion was left out: the materials of FBX have no place for it"
        | "textures of metal, roughness or occlusion were left out: the materials of FBX have no place for them",
    /// NURBS surfaces with curves that cut them.
    TrimmedNurbs =
        "trimmed NURBS surface was left out"
        | "trimmed NURBS surfaces were left out",
    /// NURBS surfaces that cannot be made triangles.
    NurbsOfPoints =
        "NURBS surface has too few or too many points and was left out"
        | "NURBS surfaces have too few or too many points and were left out",
    /// NURBS surfaces of fewer triangles.
    NurbsCoarser =
        "NURBS surface is cut less finely than the file says"
        | "NURBS surfaces are cut less finely than the file says",
    /// NURBS surfaces that should bend.
    NurbsDeformed =
        "NURBS surface has deformers, which were left out: it does not bend"
        | "NURBS surfaces have deformers, which were left out: they do not bend",
    /// Groups of levels of detail.
    LevelGroups =
        "group of levels of detail: all its levels were read"
        | "groups of levels of detail: all their levels were read",
    /// Constraints.
    Constraints =
        "constraint was left out; its effect counts where it is baked"
        | "constraints were left out; their effect counts where it is baked",
}
