//! One or two bodies, asked for contacts frame by frame.

use std::time::Instant;

use sinew::collide::{Body, Contact, Place, Posed, RefitBvh, between, within};
use sinew::progress::Progress;
use sinew::rig::Rig;

use super::report::{Found, FrameReport, FrameTimes, RefitReport};
use crate::error::Outcome;

/// At least one: a rig without frames shows its rest pose.
pub fn frame_count(rig: &Rig) -> usize {
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
pub struct Scene<'a> {
    /// They.
    pub bodies: &'a [Body<'a>],
    /// Of the second.
    pub place: Place,
    /// Whether contacts within bodies count.
    pub within: bool,
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
    pub fn by_spheres(&self, frames: &[usize], progress: &dyn Progress) -> Outcome<(Vec<FrameReport>, f64)> {
        let mut posed: Vec<Posed> = self.bodies.iter().map(Body::posed).collect();
        let mut reports = Vec::new();
        let mut seconds = 0.0;
        for (done, &frame) in frames.iter().enumerate() {
            progress.check()?;
            progress.advance(done as f64 / frames.len() as f64);
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
    pub fn compare(
        &self,
        frames: &[usize],
        known: &[FrameReport],
        progress: &dyn Progress,
    ) -> Outcome<RefitReport> {
        progress.stage("comparing");
        let mut posed: Vec<Posed> = self.bodies.iter().map(Body::posed).collect();
        let mut boxes: Vec<RefitBvh> = self.bodies.iter().map(RefitBvh::new).collect();
        let mut times = vec![FrameTimes::default(); frames.len()];
        let start = Instant::now();
        for round in 0..MOST_ROUNDS {
            for (&frame, times) in frames.iter().zip(&mut times) {
                progress.check()?;
                times.ours.take(timed(|| self.ask_spheres(&mut posed, frame)).1);
            }
            for ((&frame, known), times) in frames.iter().zip(known).zip(&mut times) {
                progress.check()?;
                let (plain, seconds) = timed(|| self.ask_boxes(&mut boxes, frame));
                times.plain.take(seconds);
                times.differs |= !known.has(&plain);
            }
            progress.advance((round + 1) as f64 / MOST_ROUNDS as f64);
            if start.elapsed().as_secs_f64() > ENOUGH * frames.len() as f64 {
                break;
            }
        }
        Ok(RefitReport::new(&times))
    }
}
