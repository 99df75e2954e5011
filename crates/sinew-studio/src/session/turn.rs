//! Turning a bone by hand.

use std::sync::Arc;

use glam::{DMat3, DQuat};
use sinew::motion::{BoneTurn, HandSpan, Reach, Undo, loops};
use sinew::progress::Silent;
use sinew::rig::Rig;
use sinew::solve::polar;

use super::action::{Phase, Reach as ReachOrder, TurnOrder};
use super::data::palette;
use super::editors::Editors;
use super::history::{Change, Edit};
use super::version::Known;
use super::{Edited, Kind, Outcome, Refusal, Session, Shape, Version};

impl Session {
    /// Shows what a turn does while the hand moves, and does it at the end.
    pub(super) fn turn(&mut self, order: &TurnOrder) -> Result<Outcome<Edited>, Refusal> {
        let version = self.version(order.version)?;
        let rig = version.rig()?;
        let turns = bone_turns(rig, order)?;
        if order.phase == Phase::Cancel {
            // Nothing but what the page shows was turned so far.
            return Ok(Outcome::told(Edited::default()));
        }
        if order.phase != Phase::End {
            let mut transforms = rig.frame_transforms(order.frame).to_vec();
            let here = BoneTurn { rotation: rotation_of(order), frame: order.frame, ..turns[0].clone() };
            version.editors.bones(rig, &Silent)?.rotate_frame(&mut transforms, &here)?;
            let frame = palette(version.id, order.frame, &transforms, rig.frame_coefficients(order.frame));
            return Ok(Outcome::shown(frame, Edited::default()));
        }
        let what = format!("turn {}", rig.bones[order.bone].name);
        let id = self.edit_rig(order.version, what, |editors, rig| {
            let editor = editors.bones(rig, &Silent)?;
            turns.iter().map(|turn| Ok(editor.rotate(rig, turn)?)).collect()
        })?;
        Ok(Outcome::told(Edited { version: Some(id) }))
    }

    /// Edits a version's rig: an edit as it is, of anything else a copy. Returns the number of what was
    /// edited.
    fn edit_rig(
        &mut self,
        id: u32,
        what: String,
        edit: impl FnOnce(&Editors, &mut Rig) -> Result<Vec<Undo>, Refusal>,
    ) -> Result<u32, Refusal> {
        let version = self.version_mut(id)?;
        let (known, editors) = (version.known(), version.editors.clone());
        match &mut version.shape {
            Shape::Rig(rig) if version.kind == Kind::Edit => {
                let rank = rig.rank();
                // Copied only if somebody draws or measures it at the moment.
                let undos = edit(&editors, Arc::make_mut(rig))?;
                let same_size = rig.rank() == rank;
                self.note_edit(id, what, Edit::Rig(undos), known, same_size)
            }
            _ => {
                let mut rig = (**version.rig()?).clone();
                let undos = edit(&editors, &mut rig)?;
                self.take_edit(id, what, Shape::Rig(Arc::new(rig)), Edit::Rig(undos))
            }
        }
    }

    /// Takes what became of a version: in place of an edit, beside anything else.
    pub(super) fn take_edit(
        &mut self,
        id: u32,
        what: String,
        shape: Shape,
        edit: Edit,
    ) -> Result<u32, Refusal> {
        let version = self.version_mut(id)?;
        let same_size = version.shape.rank() == shape.rank();
        if version.kind == Kind::Edit {
            let known = version.known();
            version.shape = shape;
            return self.note_edit(id, what, edit, known, same_size);
        }
        let edited = Version {
            name: format!("edit of {}", version.name),
            kind: Kind::Edit,
            parent: Some(id),
            bytes: version.bytes.filter(|_| same_size),
            shape,
            errors: None,
            ..version.clone()
        };
        let edited = Version { id: self.next_version(), content: self.next_content(), ..edited };
        Ok(self.add(what, edited))
    }

    /// Remembers an edit in place.
    fn note_edit(
        &mut self,
        id: u32,
        what: String,
        edit: Edit,
        known: Known,
        same_size: bool,
    ) -> Result<u32, Refusal> {
        let content = self.next_content();
        let version = self.version_mut(id)?;
        (version.content, version.errors) = (content, None);
        version.bytes = version.bytes.filter(|_| same_size);
        self.record(what, Change::Edit { version: id, edit, known });
        Ok(id)
    }
}

fn rotation_of(order: &TurnOrder) -> DQuat {
    DQuat::from_array(order.rotation)
}

/// The turn over its frames, and the same at the other end of a loop. All of it is in the frame of the hand: it grows before
/// and fades after.
fn bone_turns(rig: &Rig, order: &TurnOrder) -> Result<Vec<BoneTurn>, Refusal> {
    let TurnOrder { bone, frame, .. } = *order;
    let range = order.from.unwrap_or(frame)..=order.to.unwrap_or(frame);
    let span = HandSpan::new(&rig.clips(), |clip| loops(rig, clip), range, frame, order.ease)?;
    let bones = rig.bones.len();
    if bone >= bones {
        return Refusal::say(format!("there is no bone {bone}: the rig has {bones}, counted from 0"));
    }
    let reach = match order.reach {
        ReachOrder::Alone => Reach::Alone,
        ReachOrder::Hanging => Reach::Hanging,
    };
    let alone = |at: usize| BoneTurn {
        reach,
        hold: order.hold,
        ..BoneTurn::new(bone, seen_from(rig, order, at), at)
    };
    let HandSpan { from, through, ease_in, ease_out, twin, .. } = span;
    let all = BoneTurn { through, ease_in, ease_out, ..alone(from) };
    Ok([all].into_iter().chain(twin.map(alone)).collect())
}

/// The rotation in the axes of the world in the first frame that does to the bone there what the hand does to
/// it in its own.
fn seen_from(rig: &Rig, order: &TurnOrder, from: usize) -> DQuat {
    let turn = rotation_of(order);
    if from == order.frame {
        return turn;
    }
    let own = |frame: usize| {
        let matrix = rig.frame_transforms(frame)[order.bone].matrix3;
        DQuat::from_mat3(&polar(matrix).unwrap_or(DMat3::IDENTITY))
    };
    let between = own(from) * own(order.frame).inverse();
    between * turn * between.inverse()
}
