//! A report of a session: one HTML file with tables, plots and pictures in it, and no script.

mod html;

use std::path::PathBuf;
use std::sync::Arc;

use glam::Vec3;
use sinew::animation::MeshAnimation;
use sinew::progress::Progress;
use sinew_picture::{
    Camera, Coloring, PictureOptions, PlotOptions, PosedSkeleton, Series, Shot, bone_palette, plot, render,
    weight_colors,
};

use super::sent::picture as sent;
use super::{CurvePoint, Errors, Refusal, Seen, Session, Shape, Version};

/// Poses in the report.
const SHOTS: usize = 4;

/// What a report is made from.
pub(crate) struct Report {
    name: String,
    facts: String,
    versions: Vec<Listed>,
    curve: Vec<CurvePoint>,
    shown: Option<(Version, Option<Arc<MeshAnimation>>)>,
    /// Where its pictures are taken from.
    camera: Camera,
    /// What the page drew, and of which frame.
    drawn: Option<(PathBuf, usize)>,
}

struct Listed {
    name: String,
    bones: usize,
    influences: usize,
    rank: usize,
    bytes: Option<u64>,
    errors: Option<Arc<Errors>>,
}

impl Report {
    /// Of a session as it is now, and as a page shows it.
    pub fn of(session: &Session, seen: Option<Seen>) -> Result<Self, Refusal> {
        let subject = session.subject()?;
        let facts = format!(
            "{} frames at {} a second, {} vertices, {} triangles",
            subject.frame_count(),
            subject.frame_rate(),
            subject.mesh().vertex_count,
            subject.triangles.len()
        );
        let camera = seen.as_ref().map_or(Ok(Camera::default()), camera_of)?;
        let drawn = match seen {
            Some(Seen { drawn: Some(drawn), frame, .. }) => Some((session.folders.to_read(&drawn)?, frame)),
            _ => None,
        };
        let shown = session.shown().map(|version| (version.clone(), subject.original().cloned()));
        Ok(Self {
            name: subject.name.clone(),
            facts,
            versions: session.versions().iter().map(listed).collect(),
            curve: session.curve(),
            shown,
            camera,
            drawn,
        })
    }

    /// The file.
    ///
    /// # Errors
    /// When a picture cannot be drawn, or the listener cancels.
    pub fn html(&self, progress: &dyn Progress) -> Result<String, Refusal> {
        let mut page = html::Page::new(&self.name, &self.facts);
        page.table(
            &["version", "bones", "influences", "corrections", "size", "error", "largest distance"],
            self.versions.iter().map(Listed::row),
        );
        if let Some((drawn, frame)) = &self.drawn {
            page.picture(&format!("as it was seen, frame {frame}"), &sent(drawn)?);
        }
        if let Some((version, original)) = &self.shown {
            let frames = spread(version.shape.frame_count(), SHOTS);
            page.picture(
                &format!("{}: which bones move what", version.name),
                &picture_of(&version.shape, &frames, self.camera)?,
            );
            progress.advance(0.25);
            progress.check()?;
            let worst = version.errors.as_ref().map(|errors| errors.worst_frame);
            if let (Some(original), Some(frame)) = (original, worst) {
                let title =
                    format!("{}: distance from the original, frame {frame} is the worst", version.name);
                page.picture(&title, &distance_picture(&version.shape, original, frame, self.camera)?);
            }
        }
        progress.advance(0.5);
        progress.check()?;
        if let Some(png) = self.errors_plot()? {
            page.picture("error of every frame", &png);
        }
        progress.advance(0.75);
        progress.check()?;
        if self.curve.len() > 1 {
            page.picture("error against size", &self.curve_plot()?);
        }
        Ok(page.finish())
    }

    fn errors_plot(&self) -> Result<Option<Vec<u8>>, Refusal> {
        let series = |listed: &Listed| {
            let errors = listed.errors.as_ref()?;
            let points = errors.per_frame.iter().enumerate().map(|(frame, e)| (frame as f64, *e)).collect();
            Some(Series { name: listed.name.clone(), points })
        };
        let all: Vec<Series> = self.versions.iter().filter_map(series).collect();
        if all.is_empty() {
            return Ok(None);
        }
        let options = PlotOptions {
            x_label: "frame".into(),
            y_label: "mean distance, % of the diagonal".into(),
            ..PlotOptions::default()
        };
        Ok(Some(plot(&all, &options)?.encode_png()))
    }

    fn curve_plot(&self) -> Result<Vec<u8>, Refusal> {
        let place = |point: &CurvePoint| (point.bytes as f64 / 1e3, point.percent);
        // From the smallest to the largest, without those that a smaller one beats.
        let mut points: Vec<(f64, f64)> = Vec::new();
        for (size, percent) in self.curve.iter().map(place) {
            if points.last().is_none_or(|last| percent < last.1) {
                points.push((size, percent));
            }
        }
        let options = PlotOptions {
            x_label: "size, kB".into(),
            y_label: "error, % of the motion".into(),
            log_y: true,
            ..PlotOptions::default()
        };
        Ok(plot(&[Series { name: String::new(), points }], &options)?.encode_png())
    }
}

fn listed(version: &Version) -> Listed {
    let (bones, rank) = match &version.shape {
        Shape::Rig(rig) | Shape::Poses(rig, _) => (rig.bones.len(), rig.rank()),
        Shape::Chain(chain, _) => (chain.bones.len(), 0),
    };
    Listed {
        name: version.name.clone(),
        bones,
        influences: version.shape.weights().per_vertex,
        rank,
        bytes: version.bytes,
        errors: version.errors.clone(),
    }
}

impl Listed {
    fn row(&self) -> Vec<String> {
        let unknown = || "–".to_owned();
        let percent = |of: fn(&Errors) -> f64, unit: &str| {
            self.errors.as_ref().map_or_else(unknown, |errors| format!("{:.3} {unit}", of(errors)))
        };
        vec![
            self.name.clone(),
            self.bones.to_string(),
            self.influences.to_string(),
            self.rank.to_string(),
            self.bytes.map_or_else(unknown, |bytes| format!("{:.1} kB", bytes as f64 / 1e3)),
            percent(|errors| errors.percent, "%"),
            percent(|errors| errors.largest, "% of the diagonal"),
        ]
    }
}

/// `count` frames spread evenly over `total`.
fn spread(total: usize, count: usize) -> Vec<usize> {
    let count = count.clamp(1, total.max(1));
    (0..count).map(|i| i * total / count).collect()
}

/// A camera on the side that the page shows; how near it is, the pictures find themselves.
fn camera_of(seen: &Seen) -> Result<Camera, Refusal> {
    let Seen { azimuth, elevation, .. } = *seen;
    if !(azimuth.is_finite() && elevation.is_finite() && elevation.abs() <= 90.0) {
        return Refusal::say("a camera is at most 90 degrees above or below what it sees");
    }
    let Camera::Orbit { field_of_view, .. } = Camera::default() else { return Ok(Camera::default()) };
    Ok(Camera::Orbit { azimuth, elevation, field_of_view })
}

fn pose(shape: &Shape, frame: usize) -> Vec<Vec3> {
    let mut pose = vec![Vec3::ZERO; shape.vertex_count()];
    shape.poses().pose_into(frame, &mut pose);
    pose
}

/// Frames in the colours of their bones, with the skeleton where there is one: the bytes of a PNG file.
pub(crate) fn picture_of(shape: &Shape, frames: &[usize], camera: Camera) -> Result<Vec<u8>, Refusal> {
    let bones = match shape {
        Shape::Rig(rig) | Shape::Poses(rig, _) => rig.bones.len(),
        Shape::Chain(chain, _) => chain.bones.len(),
    };
    let palette = bone_palette(bones);
    let colors = weight_colors(shape.weights(), &palette);
    let poses: Vec<Vec<Vec3>> = frames.iter().map(|&frame| pose(shape, frame)).collect();
    let skeleton = |frame: usize| match shape {
        Shape::Rig(rig) => PosedSkeleton::of_rig(rig, frame, &palette),
        _ => None,
    };
    let skeletons: Vec<Option<PosedSkeleton>> = frames.iter().map(|&frame| skeleton(frame)).collect();
    let shot = |i: usize| Shot {
        mesh: shape.mesh(),
        positions: &poses[i],
        triangles: None,
        coloring: Coloring::VertexColors(&colors),
        skeleton: skeletons[i].as_ref(),
        title: format!("frame {}", frames[i]),
    };
    let shots: Vec<Shot> = (0..frames.len()).map(shot).collect();
    let options = match frames.len() {
        1 => PictureOptions { camera, ..PictureOptions::default() },
        _ => PictureOptions { width: 480, height: 360, columns: 2, camera, ..PictureOptions::default() },
    };
    Ok(render(&shots, &options)?.encode_png())
}

fn distance_picture(
    shape: &Shape,
    original: &MeshAnimation,
    frame: usize,
    camera: Camera,
) -> Result<Vec<u8>, Refusal> {
    let pose = pose(shape, frame);
    let diagonal = original.rest_bounds().diagonal().max(f64::MIN_POSITIVE);
    let distance = |(p, q): (&Vec3, &Vec3)| (100.0 * f64::from(p.distance(*q)) / diagonal) as f32;
    let values: Vec<f32> = pose.iter().zip(original.frames.frame(frame)).map(distance).collect();
    let largest = values.iter().copied().filter(|x| x.is_finite()).fold(0.0, f32::max);
    let shot = Shot {
        mesh: shape.mesh(),
        positions: &pose,
        triangles: None,
        coloring: Coloring::Scalar {
            values: &values,
            range: (0.0, if largest > 0.0 { largest } else { 1.0 }),
            label: "distance, % of the diagonal",
        },
        skeleton: None,
        title: format!("frame {frame}"),
    };
    let options = PictureOptions { width: 960, height: 600, camera, ..PictureOptions::default() };
    Ok(render(&[shot], &options)?.encode_png())
}
