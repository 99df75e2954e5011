//! How a motion is taken over: which way the rig faces, left and right, feet, the way over the ground.

use std::sync::Arc;

use sinew::motion::{Motion, Plan, PlanOptions};
use sinew::progress::Progress;
use sinew::rig::Rig;

use super::planned::{Manner, Planned};
use crate::session::action::AdjustOrder;
use crate::session::history::Change;
use crate::session::work::finish;
use crate::session::{Answer, Done, Outcome, Refusal, Session};

impl Manner {
    /// The motion in this manner.
    pub fn of(&self, motion: &Arc<Motion>) -> Arc<Motion> {
        if self.mirror { Arc::new(motion.mirrored()) } else { motion.clone() }
    }

    /// Plans how a motion goes onto a rig. What was mapped by hand before stays.
    pub fn plan(
        self,
        rig: &Rig,
        motion: Arc<Motion>,
        before: Option<&Planned>,
        progress: &dyn Progress,
    ) -> Result<Planned, Refusal> {
        let kept = before.filter(|before| before.by_hand.contains(&true));
        let mapping = kept.map(|before| before.plan.mapping.clone());
        let options = PlanOptions { source: self.source, rig: self.rig, mapping, facing: self.facing };
        let plan = Plan::new(rig, &motion, &options, progress)?;
        let by_hand = vec![false; rig.bones.len()];
        let mut planned = Planned { motion, plan, by_hand, manner: self };
        if let Some(before) = kept {
            planned.by_hand.clone_from(&before.by_hand);
            planned.plan.reasons.clone_from(&before.plan.reasons);
        }
        Ok(planned)
    }
}

impl Session {
    /// Takes the motion over in another manner. Where only its end is another, nothing is planned anew.
    pub(in crate::session) fn adjust(&mut self, order: &AdjustOrder) -> Result<Outcome<Done>, Refusal> {
        let before = &self.transplanting()?.planned;
        let AdjustOrder { facing, mirror, plant, in_place } = *order;
        let manner = Manner { facing, mirror, plant, in_place, ..before.manner.clone() };
        if (facing, mirror) != (before.manner.facing, before.manner.mirror) {
            return self.plan_anew("adjust", manner);
        }
        let planned = Planned { manner, ..before.clone() };
        self.perform("adjust".into(), Change::Plan(Box::new(planned)));
        Ok(Outcome::done())
    }

    /// Plans anew in the background.
    pub(super) fn plan_anew(&self, what: &'static str, manner: Manner) -> Result<Outcome<Done>, Refusal> {
        let transplant = self.transplanting()?;
        let (rig, source) = (transplant.rig.clone(), transplant.source.clone());
        let before = transplant.planned.clone();
        Ok(Outcome::wait("align", move |progress| {
            let planned = manner.clone().plan(&rig, manner.of(&source), Some(&before), progress)?;
            finish(move |session| {
                if !Arc::ptr_eq(&session.transplanting()?.source, &source) {
                    return Refusal::say("another motion was opened meanwhile");
                }
                session.perform(what.into(), Change::Plan(Box::new(planned)));
                Ok(Answer::of(Done {}))
            })
        }))
    }
}
