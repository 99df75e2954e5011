//! Segments for bones (James and Twigg 2005, section 4): mean shift, then the number of bones asked for.

use crate::progress::{Cancelled, Progress};
use crate::segment::{
    NO_BONE, Segmentation, SurfaceMotion, TriangleRotations, mean_shift, split_and_merge, without_empty,
};
use crate::skin::{BoneKind, CoreSets, SkinOptions, SmaOptions};

/// Mean shift, brought to the number of bones asked for and refined.
pub fn segment(
    motion: SurfaceMotion,
    sma: &SmaOptions,
    options: &SkinOptions,
    progress: &dyn Progress,
) -> Result<Segmentation, Cancelled> {
    let mut epsilon = sma.epsilon;
    let mut segmentation = mean_shift(motion, epsilon, progress)?;
    let near_rigid_fraction = segmentation.near_rigid_fraction;
    if let Some(bones) = options.bones {
        // Far too many: a wider tolerance merges what belongs together better than merging pairs would.
        for _ in 0..3 {
            if segmentation.bone_count <= bones + bones / 2 {
                break;
            }
            epsilon *= 1.6;
            segmentation = mean_shift(motion, epsilon, progress)?;
        }
    }
    if segmentation.bone_count == 0 {
        segmentation.bone_count = 1;
        segmentation.bone_of_triangle.fill(0);
    }
    let bones = options.bones.unwrap_or(segmentation.bone_count);
    if sma.core == CoreSets::Refined || bones != segmentation.bone_count {
        let rigid = options.kind == BoneKind::Rigid;
        segmentation = split_and_merge(motion, &segmentation, bones, rigid, progress)?;
    }
    // Triangles without an area carry no weight in a fit; a bone must have one that does.
    drop_weightless_bones(&mut segmentation, motion);
    segmentation.near_rigid_fraction = near_rigid_fraction;
    Ok(segmentation)
}

fn drop_weightless_bones(segmentation: &mut Segmentation, motion: SurfaceMotion) {
    let rotations = TriangleRotations::new(motion.triangles, motion.rest);
    let bones = segmentation.bone_of_triangle.iter_mut().enumerate();
    bones.filter(|(triangle, _)| !rotations.is_sound(*triangle)).for_each(|(_, bone)| *bone = NO_BONE);
    let mut renumbered = segmentation.bone_of_triangle.clone();
    let count = without_empty(&mut renumbered, segmentation.bone_count);
    if count < segmentation.bone_count {
        *segmentation = Segmentation { bone_of_triangle: renumbered, bone_count: count, ..*segmentation };
    }
}
