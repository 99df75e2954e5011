//! Examples in `.deform` files.

use glam::{DVec3, Vec3};
use sinew::deform::anchors::AnchoredField;
use sinew::deform::{Example, HeldOffsets, Pose, StoredExample, StoredExamples};

use super::setup::Examples;
use crate::containers::fields::{Cursor, Fixed, put_list, put_text};

const SHAPES: u8 = 0;
const KEPT: u8 = 1;

/// Appends examples.
pub(super) fn put(examples: &Examples, out: &mut Vec<u8>) {
    match examples {
        Examples::Shapes(shapes) => {
            SHAPES.put(out);
            (shapes.len() as u64).put(out);
            for (name, example) in shapes {
                put_text(name, out);
                put_list(&example.pose.turns, out);
                put_list(&example.pose.places, out);
                put_list(&example.positions, out);
            }
        }
        Examples::Kept(names, kept) => {
            KEPT.put(out);
            (names.len() as u64).put(out);
            names.iter().for_each(|name| put_text(name, out));
            put_kept(kept, out);
        }
    }
}

fn put_kept(kept: &StoredExamples, out: &mut Vec<u8>) {
    put_list(&kept.anchors, out);
    (kept.per_triangle as u32).put(out);
    put_list(&kept.torn, out);
    (kept.examples.len() as u64).put(out);
    for example in &kept.examples {
        put_list(&example.turns, out);
        example.field.steps.put(out);
        put_list(&example.field.values, out);
        example.held.step.put(out);
        put_list(&example.held.values, out);
        put_list(&example.links, out);
        put_list(&example.handles, out);
    }
}

/// Takes examples. Whether they fit the character is seen when it is set up.
pub(super) fn take(cursor: &mut Cursor) -> Option<Examples> {
    match cursor.value::<u8>()? {
        SHAPES => cursor.each(shape).map(Examples::Shapes),
        KEPT => Some(Examples::Kept(cursor.each(Cursor::text)?, kept(cursor)?)),
        _ => None,
    }
}

fn shape(cursor: &mut Cursor) -> Option<(String, Example)> {
    let name = cursor.text()?;
    let (turns, places) = (cursor.list::<DVec3>()?, cursor.list::<DVec3>()?);
    let positions = cursor.list::<Vec3>()?;
    Some((name, Example { positions, pose: Pose { turns, places } }))
}

fn kept(cursor: &mut Cursor) -> Option<StoredExamples> {
    Some(StoredExamples {
        anchors: cursor.list()?,
        per_triangle: cursor.value::<u32>()? as usize,
        torn: cursor.list()?,
        examples: cursor.each(kept_example)?,
    })
}

fn kept_example(cursor: &mut Cursor) -> Option<StoredExample> {
    Some(StoredExample {
        turns: cursor.list()?,
        field: AnchoredField { steps: cursor.value()?, values: cursor.list()? },
        held: HeldOffsets { step: cursor.value()?, values: cursor.list()? },
        links: cursor.list()?,
        handles: cursor.list()?,
    })
}
