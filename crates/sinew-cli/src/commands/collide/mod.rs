//! `sinew collide`: where rigs touch, frame by frame.

mod args;
mod report;

use std::time::Instant;

use sinew::collide::{Body, CollideError, Contact, Place, Posed, RefitBvh, between, within};
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_io::glb::{SampleOptions, SampledRig};
use sinew_io::open;

use self::args::Against;
pub use self::args::CollideArgs;
use self::report::{CollideReport, Found, FrameReport, FrameTimes, PlainReport};
use crate::console::print;
use crate::error::{CliError, Outcome};
use crate::progress::Session;
use crate::report::write_json;
use crate::target;

/// Runs the command.
pub fn run(args: &CollideArgs, session: &Session) -> Outcome<()> {
    if args.other.is_none() && !args.within {
        return CliError::refused("give a second rig, or --self for one that touches itself");
    }
    target::check(&[args.output.as_deref()])?;
    target::check_apart(&[args.output.as_deref()], [&args.rig].into_iter().chain(&args.other))?;
    let place = args.place()?;
    session.stage("reading");
    let (mut rigs, mut warnings) = (Vec::new(), Vec::new());
    for path in [Some(&args.rig), args.other.as_ref()].into_iter().flatten() {
        let clips = args.clip.iter().cloned().collect();
        let SampledRig { rig, warnings: said, .. } =
            open::rig(path, &SampleOptions { clips, ..SampleOptions::default() })?;
        warnings.extend(said);
        rigs.push(rig);
    }
    session.check()?;
    session.stage("building");
    let mut bodies = Vec::new();
    for (rig, path) in rigs.iter().zip([Some(&args.rig), args.other.as_ref()].into_iter().flatten()) {
        bodies.push(Body::new(rig, session).map_err(|e| match e {
            CollideError::Cancelled => CliError::Cancelled,
            e => CliError::Refused(format!("{}: {e}", path.display())),
        })?);
    }
    let built = session.seconds();
    session.stage("colliding");
    let total = rigs.iter().map(frame_count).max().unwrap_or(1);
    let frames = args.frames.of(total, &args.rig.display().to_string())?;
    let scene = Scene { bodies: &bodies, place, within: args.within };
    let (found, seconds) = scene.by_spheres(&frames, session)?;
    let plain = match args.against {
        None => None,
        Some(Against::Refit) => Some(scene.compare(&frames, &found, session)?),
    };
    let report = CollideReport::new(args, &bodies, &found, [built, seconds], plain, warnings);
    if let Some(path) = &args.output {
        session.stage("writing");
        write_json(path, &report)?;
    }
    session.finish();
    if session.quiet { Ok(()) } else { print(&report.text(args)) }
}

/// At least one: a rig without frames shows its rest pose.
fn frame_count(rig: &Rig) -> usize {
    rig.frame_count().max(1)
}

/// How often each frame is timed, and for about how many seconds at most.
const MOST_ROUNDS: usize = 5;
const ENOUGH: f64 = 0.1;

/// Does something and says how many seconds that took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed().as_secs_f64())
}

/// One or two bodies and how they stand.
struct Scene<'a> {
    bodies: &'a [Body<'a>],
    /// Of the second.
    place: Place,
    /// Whether contacts within bodies count.
    within: bool,
}

impl<'a> Scene<'a> {
    /// A body's frame, of one counted over the longest motion, and its place.
    fn of(&self, body: usize, frame: usize) -> (usize, Place) {
        let own = frame % frame_count(self.bodies[body].rig());
        (own, if body == 0 { Place::IDENTITY } else { self.place })
    }

    /// What there is to ask: pairs of bodies.
    fn pairs(&self) -> Vec<[usize; 2]> {
        let both = (self.bodies.len() == 2).then_some([0, 1]);
        let own = (0..self.bodies.len()).filter(|_| self.within).map(|i| [i, i]);
        both.into_iter().chain(own).collect()
    }

    /// Contacts of all frames by trees of spheres, and the seconds that took.
    fn by_spheres(&self, frames: &[usize], session: &Session) -> Outcome<(Vec<FrameReport>, f64)> {
        let mut posed: Vec<Posed> = self.bodies.iter().map(Body::posed).collect();
        let mut reports = Vec::new();
        let mut seconds = 0.0;
        for (done, &frame) in frames.iter().enumerate() {
            session.check()?;
            session.advance(done as f64 / frames.len() as f64);
            let (found, took) = timed(|| self.ask_spheres(&mut posed, frame));
            seconds += took;
            let vertices = posed.iter().map(|p| p.work().vertices).sum();
            reports.push(FrameReport::new(frame, found, vertices));
        }
        Ok((reports, seconds))
    }

    fn ask_spheres(&self, posed: &mut [Posed<'a>], frame: usize) -> Vec<Found> {
        for (body, posed) in posed.iter_mut().enumerate() {
            let (own, place) = self.of(body, frame);
            posed.set(own, &place);
        }
        self.ask(|[i, j]| if i == j { within(&posed[i]) } else { between(&posed[i], &posed[j]) })
    }

    fn ask_boxes(&self, boxes: &mut [RefitBvh<'a>], frame: usize) -> Vec<Found> {
        for (body, boxes) in boxes.iter_mut().enumerate() {
            let (own, place) = self.of(body, frame);
            boxes.set(own, &place);
        }
        self.ask(|[i, j]| if i == j { boxes[i].within() } else { boxes[i].between(&boxes[j]) })
    }

    fn ask(&self, contacts: impl Fn([usize; 2]) -> Vec<Contact>) -> Vec<Found> {
        let named =
            |bodies: [usize; 2]| contacts(bodies).into_iter().map(move |contact| Found { bodies, contact });
        self.pairs().into_iter().flat_map(named).collect()
    }

    /// The same the plain way, and both ways some more times, in turns: each through all frames, as it would go
    /// without the other. Of each frame the shortest time counts: longer ones are those of other programs.
    fn compare(&self, frames: &[usize], known: &[FrameReport], session: &Session) -> Outcome<PlainReport> {
        session.stage("comparing");
        let mut posed: Vec<Posed> = self.bodies.iter().map(Body::posed).collect();
        let mut boxes: Vec<RefitBvh> = self.bodies.iter().map(RefitBvh::new).collect();
        let mut times = vec![FrameTimes::default(); frames.len()];
        let start = Instant::now();
        for round in 0..MOST_ROUNDS {
            for (&frame, times) in frames.iter().zip(&mut times) {
                session.check()?;
                times.ours.take(timed(|| self.ask_spheres(&mut posed, frame)).1);
            }
            for ((&frame, known), times) in frames.iter().zip(known).zip(&mut times) {
                session.check()?;
                let (plain, seconds) = timed(|| self.ask_boxes(&mut boxes, frame));
                times.plain.take(seconds);
                times.differs |= !known.has(&plain);
            }
            session.advance((round + 1) as f64 / MOST_ROUNDS as f64);
            if start.elapsed().as_secs_f64() > ENOUGH * frames.len() as f64 {
                break;
            }
        }
        Ok(PlainReport::new(&times))
    }
}
