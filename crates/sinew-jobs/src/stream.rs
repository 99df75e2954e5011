//! Frames are fitted as they come.
//!
//! Cancelling ends the stream after the frame at hand. The file is then closed like any other and holds the frames up to there:
//! that is how one stops what has no end. An error before the first frame leaves nothing behind.

use std::collections::VecDeque;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::animation::{Frames, MeshAnimation, RunningMeasure};
use sinew::geometry::{Bounds, corner_normals};
use sinew::progress::Progress;
use sinew::skin::BoneKind;
use sinew::stream::{DEFAULT_LOOK_AHEAD, Encoder, StreamError, StreamOptions};
use sinew_io::formats::SINEW;
use sinew_io::formats::sinew_file::{Clip, HeadRef, Motion, Writer};
use sinew_io::open::{self, PoseStream};
use sinew_io::{Saving, check_target};

use crate::error::{FieldProblem, FileKind, JobError, Outcome};
use crate::job::Job;
use crate::refusals::StreamRefusal;
use crate::report::{ErrorReport, peak_memory};
use crate::source::Source;
use crate::streams::Files;
use crate::target;
use crate::units::Units;
use crate::warning::{Warning, told};

/// The most frames that are looked at ahead.
const MOST_AHEAD: u64 = 256;

sinew::choices! {
    /// The pose that the first frame is reached from.
    #[derive(Default)]
    pub enum StreamRest: "rest pose" {
        /// The first frame.
        #[default]
        First = "first", "the first frame itself",
        /// The mesh.
        File = "file", "the pose of the rest mesh",
    }
}

/// Fits each frame before the next is seen and writes it at once.
///
/// Bones carry the approximated pose of the frame before to the next, so that errors do not add up unseen; where the rest pose
/// leads closer, a frame starts from there. Frames that have gone by teach better weights for those to come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamJob {
    /// The animation; one clip of it.
    pub source: Source,
    /// The file to write, *.sinew; "-" is standard output.
    pub output: PathBuf,
    /// The pose that the first frame is reached from.
    #[serde(default)]
    pub rest_pose: StreamRest,
    /// Number of bones.
    #[serde(default = "usual_bones")]
    pub bones: usize,
    /// The most influences on a vertex.
    #[serde(default = "usual_influences")]
    pub influences: usize,
    /// What bones may do.
    #[serde(default)]
    pub kind: BoneKind,
    /// Whether frames may start from the rest pose where that is closer than from the pose before.
    #[serde(default = "yes")]
    pub keys: bool,
    /// Whether weights change to what the frames that have gone by teach; without, the file is smaller.
    #[serde(default = "yes")]
    pub learn: bool,
    /// Looks at so many frames before the first is fitted, to choose the bones to begin with; 1 spreads them evenly.
    #[serde(default = "usual_look_ahead")]
    pub look_ahead: usize,
    /// The report, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
}

fn usual_bones() -> usize {
    StreamOptions::default().bones
}

fn usual_influences() -> usize {
    StreamOptions::default().influences
}

fn usual_look_ahead() -> usize {
    DEFAULT_LOOK_AHEAD
}

fn yes() -> bool {
    true
}

impl Default for StreamJob {
    fn default() -> Self {
        Self {
            source: Source::default(),
            output: PathBuf::new(),
            rest_pose: StreamRest::default(),
            bones: usual_bones(),
            influences: usual_influences(),
            kind: BoneKind::default(),
            keys: yes(),
            learn: yes(),
            look_ahead: usual_look_ahead(),
            report: None,
        }
    }
}

/// A stream that was written.
#[derive(Debug, Serialize)]
pub struct StreamReport {
    /// What was read.
    pub source: String,
    /// How many frames.
    pub frames: usize,
    /// How many vertices.
    pub vertices: usize,
    /// How many bones.
    pub bones: usize,
    /// The most on any vertex.
    pub influences: usize,
    /// Frames that were looked at before the first was fitted.
    pub look_ahead: usize,
    /// Units of the source and of the file.
    #[serde(flatten)]
    pub units: Units,
    /// Frames that start from the rest pose.
    pub key_frames: usize,
    /// Frames from which other weights are used.
    pub weight_changes: Vec<usize>,
    /// Distance from the original.
    pub error: ErrorReport,
    /// Time spent.
    pub seconds: StreamSeconds,
    /// Without reading what was looked at ahead and choosing bones.
    pub frames_per_second: f64,
    /// Sizes of files.
    pub bytes: StreamBytes,
    /// The most bytes the process ever held; null where the system does not tell.
    pub peak_memory: Option<u64>,
    /// Whether the listener ended the stream.
    pub stopped: bool,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
    /// Why the frame after the last could not be used.
    #[serde(skip)]
    pub broken: Option<String>,
}

/// Seconds per stage.
#[derive(Debug, Serialize)]
pub struct StreamSeconds {
    /// Reading what was looked at ahead, and choosing bones.
    pub look_ahead: f64,
    /// Fitting and writing.
    pub encode: f64,
    /// All of it.
    pub total: f64,
}

/// Sizes of files.
#[derive(Debug, Serialize)]
pub struct StreamBytes {
    /// What was read.
    pub input: u64,
    /// What was written.
    pub output: u64,
}

impl Job for StreamJob {
    const NAME: &'static str = "stream";
    type Report = StreamReport;

    fn validate(&self) -> Outcome<()> {
        if !self.to_standard_output() {
            FileKind::Stream.check(&self.output)?;
            check_target(&self.output)?;
        }
        self.source.validate()?;
        FieldProblem::check_range("look_ahead", self.look_ahead as u64, MOST_AHEAD)?;
        target::check(&[self.report.as_deref()])
    }

    fn report_to(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    fn files(&mut self) -> Files<'_> {
        let live = self.to_standard_output();
        let Source { inputs, rest, .. } = &mut self.source;
        // A stream goes to standard output as it comes.
        let output = Some(&mut self.output).filter(|_| !live);
        Files::default().read(inputs).read(rest).written(output).report(&mut self.report)
    }

    fn perform(&self, progress: &dyn Progress) -> Outcome<StreamReport> {
        let mut live = Live::begin(self, Instant::now(), progress)?;
        let (bytes, end) = if self.to_standard_output() {
            let mut out = Counting { out: std::io::stdout().lock(), bytes: 0 };
            let end = live.run(&mut out, Path::new("standard output"), progress)?;
            (out.bytes, end)
        } else {
            let mut out = Saving::new(&self.output)?;
            let end = live.run(&mut out, &self.output, progress)?;
            (out.commit()?, end)
        };
        Ok(live.report(self, bytes, end))
    }

    fn verdict(&self, report: &StreamReport) -> Outcome<()> {
        let (output, frames) = (self.output.clone(), report.frames);
        match &report.broken {
            Some(why) => Err(StreamRefusal::Broken { why: why.clone(), output, frames }.into()),
            None if report.stopped => Err(StreamRefusal::Stopped { output, frames }.into()),
            None => Ok(()),
        }
    }
}

impl StreamJob {
    /// Whether the stream goes to standard output.
    pub fn to_standard_output(&self) -> bool {
        self.output.as_os_str() == "-"
    }
}

/// How a stream ended.
enum End {
    /// There were no more frames.
    Whole,
    /// The listener ended it.
    Stopped,
    /// A frame could not be used; those before it are kept.
    Broken(JobError),
}

/// A stream under way.
struct Live {
    input: PoseStream,
    /// Frames that were looked at and are yet to be fitted.
    ahead: VecDeque<Vec<Vec3>>,
    looked_at: usize,
    rest: Vec<Vec3>,
    encoder: Encoder,
    measure: RunningMeasure,
    keys: usize,
    weight_changes: Vec<usize>,
    start: Instant,
    begun: f64,
}

impl Live {
    /// Looks ahead and chooses bones.
    fn begin(job: &StreamJob, start: Instant, progress: &dyn Progress) -> Outcome<Self> {
        progress.stage("looking ahead");
        job.source.check_clips()?;
        let mut input = open::stream(&job.source.inputs, &job.source.options())?;
        if input.clips.len() > 1 {
            let clips = input.clips.len();
            return Err(StreamRefusal::Clips { source_name: input.source, clips }.into());
        }
        let mut ahead = VecDeque::new();
        let mut pose = vec![Vec3::ZERO; input.vertex_count()];
        while ahead.len() < job.look_ahead && input.next_into(&mut pose)? {
            progress.check()?;
            ahead.push_back(pose.clone());
        }
        let Some(first) = ahead.front() else {
            return Err(StreamRefusal::NoFrames(input.source).into());
        };
        let rest = match (job.rest_pose, &input.rest) {
            (StreamRest::First, _) => first.clone(),
            (StreamRest::File, Some(rest)) => rest.clone(),
            (StreamRest::File, None) => return Err(StreamRefusal::NoRest.into()),
        };
        let bounds = Bounds::of(input.rest.as_deref().unwrap_or(first));
        check(&input, &rest, first)?;
        // Shading normals were modelled for the pose that came with the mesh and fit no other.
        if input.mesh.normals.is_some() && input.rest.as_ref().is_some_and(|given| *given != rest) {
            input.mesh.normals = Some(corner_normals(&input.mesh, &rest));
        }
        progress.stage("bones");
        let options = StreamOptions {
            bones: job.bones,
            influences: job.influences,
            kind: job.kind,
            keys: job.keys,
            learn: job.learn,
        };
        let poses: Vec<&[Vec3]> = ahead.iter().map(Vec::as_slice).collect();
        let encoder = Encoder::new(&input.mesh, &rest, &poses, &options).map_err(|e| unfit(&input, e))?;
        progress.check()?;
        let (looked_at, measure) = (ahead.len(), RunningMeasure::new(bounds));
        Ok(Self {
            input,
            ahead,
            looked_at,
            rest,
            encoder,
            measure,
            keys: 0,
            weight_changes: Vec::new(),
            start,
            begun: start.elapsed().as_secs_f64(),
        })
    }

    /// Fits and writes frame after frame.
    fn run(&mut self, out: &mut dyn Write, path: &Path, progress: &dyn Progress) -> Outcome<End> {
        progress.stage("encoding");
        let clip = Clip {
            name: self.input.clip.clone().unwrap_or_default(),
            fps: self.input.fps,
            motion: Motion::FromLast,
            frames: self.input.frame_count.map(|n| n as u64),
        };
        let head = HeadRef {
            mesh: &self.input.mesh,
            rest: &self.rest,
            weights: self.encoder.weights(),
            bones: self.encoder.bones(),
            skeleton: None,
            corrections: None,
            nodes: &[],
            armature: "",
            clip: &clip,
            metres_per_unit: self.input.facts.metres_per_unit,
        };
        let failed = |e: std::io::Error| match e.kind() {
            std::io::ErrorKind::BrokenPipe => JobError::OutputClosed,
            _ => sinew_io::Error::io(path)(e).into(),
        };
        let mut writer = Writer::new(out, &head).map_err(failed)?;
        let mut pose = vec![Vec3::ZERO; self.input.vertex_count()];
        let mut shown = pose.clone();
        let mut end = End::Whole;
        while !matches!(end, End::Stopped) {
            match self.ahead.pop_front() {
                Some(next) => pose = next,
                None => match self.input.next_into(&mut pose) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) if self.measure.frames() == 0 => return Err(error.into()),
                    Err(error) => {
                        end = End::Broken(error.into());
                        break;
                    }
                },
            }
            let step = match self.encoder.encode(&pose) {
                Ok(step) => step,
                Err(error) if self.measure.frames() == 0 => return Err(unfit(&self.input, error)),
                Err(error) => {
                    end = End::Broken(unfit(&self.input, error));
                    break;
                }
            };
            if let Some(weights) = step.new_weights {
                writer.new_weights(weights).map_err(failed)?;
                self.weight_changes.push(self.measure.frames());
            }
            if step.key {
                writer.key_frame(step.transforms).map_err(failed)?;
                self.keys += 1;
            } else {
                writer.frame(step.transforms, &[]).map_err(failed)?;
            }
            shown.iter_mut().zip(self.encoder.pose()).for_each(|(out, p)| *out = p.as_vec3());
            self.measure.add(&pose, &shown);
            if let Some(total) = self.input.frame_count {
                progress.advance(self.measure.frames() as f64 / total as f64);
            }
            if progress.cancelled() {
                end = End::Stopped;
            }
        }
        writer.finish().map_err(failed)?;
        Ok(end)
    }

    fn report(&self, job: &StreamJob, output: u64, end: End) -> StreamReport {
        let total = self.start.elapsed().as_secs_f64();
        let (frames, encode) = (self.measure.frames(), total - self.begun);
        StreamReport {
            source: self.input.source.clone(),
            frames,
            vertices: self.rest.len(),
            bones: self.encoder.bones().len(),
            influences: self.encoder.weights().most_influences().min(job.influences),
            look_ahead: self.looked_at,
            units: Units::new(&self.input.facts, &SINEW),
            key_frames: self.keys,
            weight_changes: self.weight_changes.clone(),
            error: self.measure.error().into(),
            seconds: StreamSeconds { look_ahead: self.begun, encode, total },
            frames_per_second: frames as f64 / encode.max(1e-9),
            bytes: StreamBytes { input: self.input.input_bytes, output },
            peak_memory: peak_memory(),
            stopped: matches!(end, End::Stopped),
            warnings: told(self.input.warnings()),
            broken: match end {
                End::Broken(error) => Some(error.to_string()),
                End::Whole | End::Stopped => None,
            },
        }
    }
}

/// Counts what goes to standard output.
struct Counting<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// Checks what every fit relies on, on the first frame.
fn check(input: &PoseStream, rest: &[Vec3], first: &Vec<Vec3>) -> Outcome<()> {
    let animation = MeshAnimation {
        mesh: input.mesh.clone(),
        rest: Some(rest.to_vec()),
        frames: Frames::from_poses(std::slice::from_ref(first)),
        fps: input.fps,
        clips: Vec::new(),
        nodes: Vec::new(),
    };
    animation
        .validate()
        .map_err(|error| StreamRefusal::Animation { source_name: input.source.clone(), error }.into())
}

fn unfit(input: &PoseStream, error: StreamError) -> JobError {
    StreamRefusal::Fit { source_name: input.source.clone(), error }.into()
}
