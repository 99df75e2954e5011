//! Warnings that hold nothing but what they are.

use std::fmt;

/// An enum of remarks with their sentences.
macro_rules! remarks {
    ($($(#[$meta:meta])* $Variant:ident = $text:literal),+ $(,)?) => {
        /// Something that needs no more to be said.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Remark {
            $($(#[$meta])* $Variant),+
        }

        impl fmt::Display for Remark {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$Variant => $text),+
                })
            }
        }
    };
}

remarks! {
    /// A reference pose before a recording.
    ReferencePose = "the first frame is a reference pose that the motion jumps away from; it is left out, and frames \
                     are counted from the next",
    /// A skeleton without its motion.
    SkeletonAtRest = "an ASF file is a skeleton at rest; its motion is in AMC files",
    /// Clips after the first are not read.
    OnlyFirstClip = "the file holds several clips, and only the first is read",
    /// A mesh whose bones carry the scale of a scene.
    RestOfOtherSize = "the mesh as stored has another size than in its animation and is no rest pose",
    /// Frames of uneven times, and no rate.
    RateUnknown = "the times of the frames are not evenly spaced; the frame rate is taken as unknown",
    /// Frames of uneven times, and the rate of the first two.
    RateOfFirstTwo = "the times of the frames are not evenly spaced; the first two tell the frame rate",
    /// A texture of a kind that is not carried.
    TextureKind = "the texture is neither PNG nor JPEG and is left out",
    /// A texture on UVs that are not there.
    NoSuchUvSet = "a texture lies on a UV set that no mesh has; it is shown with the first",
    /// A subdivision surface.
    CageTaken = "of the subdivision surface, the cage is taken as it is",
    /// Faces of several materials.
    SeveralFaceSets = "some faces are in several face sets; the first is taken for their material",
    /// Joints that are blended by dual quaternions.
    PlaysDual = "the file blends joints by dual quaternions; play it with them to see it as meant",
    /// Normals of morph targets at hard edges.
    MorphNormals = "normals of morph targets differ along hard edges and were left out",
    /// Levels of detail that are no subset of the first.
    LevelsOfOtherVertices = "levels of detail with vertices of their own were left out",
    /// Images beside USD text.
    ImagesOnlyInPackages = "images are only written into .usdz packages; the .usda file has colours alone",
    /// Images of two things at once.
    MetalImages = "images of metal and roughness were left out; their factors were written",
    /// Clips of a USD cache.
    OneTimeLine = "a USD cache has one time line: the clips follow each other without their names",
    /// Materials of FBX.
    MaterialsOfFbx = "materials do not say that they are cut out or have two sides: FBX cannot",
    /// Materials of Alembic.
    MaterialsOfAlembic = "of materials, Alembic holds names and the faces they are on; colours are kept for Sinew, \
                          other properties and textures are left out",
    /// Parts of one object.
    PartsJoined = "parts that share vertices were written as one object",
    /// A file that is not packed.
    NotPacked = "numbers of few bits are not exact enough for this rig; the file is not packed",
}
