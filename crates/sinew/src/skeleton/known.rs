//! What the user knows of a skeleton counts: joints at places, the root, parts of the mesh that tell nothing.
//!
//! The skeleton is found as always; a joint that is known takes the place of the one that was found for it, or is added
//! ([`EditedSkeleton`]); joints beside it that are not missed then go. Parts that are set aside are not looked at while joints
//! are found (`aside`).

use glam::DVec3;

use super::aside::{Heeded, SetAside};
use super::{
    EditTuning, EditedSkeleton, JointEditError, KnownError, Sampled, Skeletal, SkeletonError,
    SkeletonOptions, SkeletonWarning, TUNING, find_skeleton,
};
use crate::animation::MeshAnimation;
use crate::progress::Progress;

const TUNED: EditTuning = TUNING.edits;

/// What is known of a skeleton before it is looked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// Joints that are to be there.
    pub joints: Vec<KnownJoint>,
    /// No other joints than these.
    pub no_others: bool,
    /// The root.
    pub root: Option<RootChoice>,
    /// Parts of the mesh that say nothing about joints.
    pub aside: Vec<SetAside>,
}

/// A joint that is to be there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownJoint {
    /// Where it is in the rest pose; without, where the joint `found` was found.
    pub place: Option<DVec3>,
    /// The joint that is meant, by the name or the number that it gets when nothing is known; without, the nearest.
    pub found: Option<String>,
    /// Its name; without, that of the joint that was found there.
    pub name: Option<String>,
    /// The name of the joint that it hangs on; without, what was found.
    pub parent: Option<String>,
}

/// Which joint is the root.
#[derive(Clone, Debug, PartialEq)]
pub enum RootChoice {
    /// The joint of this name, or of this number where none has the name.
    Joint(String),
    /// The one that moves the surface around a place of the rest pose, where the root then is.
    Around(DVec3),
}

/// The names of a list that are most like a name, best first.
pub fn names_like<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    const MOST: usize = 5;
    let key =
        |name: &str| -> Vec<char> { name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect() };
    let wanted = key(name);
    let mut near: Vec<(usize, &str)> = names.map(|other| (changes(&wanted, &key(other)), other)).collect();
    near.sort();
    near.into_iter().take(MOST).map(|(_, other)| other.to_owned()).collect()
}

/// How many letters have to be changed, put in or taken out to make one word of another (Levenshtein).
fn changes(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let change = before + usize::from(a != b);
            before = row[j + 1];
            row[j + 1] = change.min(before + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

/// Finds a skeleton as [`find_skeleton`] does, with what is known of it.
///
/// # Errors
/// [`SkeletonError`], and [`SkeletonError::Known`] where what is known cannot be.
pub fn find_skeleton_knowing(
    animation: &MeshAnimation,
    options: &SkeletonOptions,
    known: &Known,
    progress: &dyn Progress,
) -> Result<Skeletal, SkeletonError> {
    if known.aside.iter().any(|aside| !aside.vertices.is_empty()) {
        animation.validate()?;
        let heeded =
            Heeded::new(animation, &known.aside).ok_or(SkeletonError::Known(KnownError::NothingLeft))?;
        let found = find_heeded(&heeded.animation, options, known, progress)?;
        return heeded.carried(animation, found, options, progress);
    }
    find_heeded(animation, options, known, progress)
}

/// The same where nothing is set aside.
fn find_heeded(
    animation: &MeshAnimation,
    options: &SkeletonOptions,
    known: &Known,
    progress: &dyn Progress,
) -> Result<Skeletal, SkeletonError> {
    let found = with_joints(animation, options, known, progress)?;
    match &known.root {
        None => Ok(found),
        Some(root) => with_root(animation, options, found, root, progress),
    }
}

fn with_joints(
    animation: &MeshAnimation,
    options: &SkeletonOptions,
    known: &Known,
    progress: &dyn Progress,
) -> Result<Skeletal, SkeletonError> {
    check_list(&known.joints)?;
    let found = find_skeleton(animation, options, progress)?;
    if known.joints.is_empty() && !known.no_others {
        return Ok(found);
    }
    let mut edited = EditedSkeleton::new(animation, &found.rig, options, progress)?;
    let meant = meant(&edited, &known.joints)?;
    let refuse = |at: usize| {
        move |error| {
            let (number, name) = (at + 1, known.joints[at].name.clone());
            SkeletonError::Known(KnownError::Joint { number, name, error })
        }
    };
    // Those that were found make way for names first, so that a name may go from one joint to another.
    let numbers = place_joints(&mut edited, &known.joints, &meant).map_err(|(at, e)| refuse(at)(e))?;
    for (at, joint) in known.joints.iter().enumerate() {
        let Some(parent) = &joint.parent else { continue };
        let parent = named(&edited, parent)?;
        if edited.joints()[numbers[at]].parent != Some(parent) {
            edited.reparent(numbers[at], parent).map_err(refuse(at))?;
        }
    }
    let kept: Vec<String> = numbers.iter().map(|&k| edited.joints()[k].name.clone()).collect();
    drop_others(&mut edited, options, known, &kept, progress)?;
    let mut made = edited.refit(progress)?;
    let said = found.warnings.into_iter().filter(|w| !matches!(w, SkeletonWarning::Animation(_)));
    made.warnings.extend(said);
    made.seconds.parts = found.seconds.parts;
    made.seconds.joints += found.seconds.joints;
    made.seconds.weights += found.seconds.weights;
    Ok(made)
}

/// Checks what can be checked of a list alone.
fn check_list(joints: &[KnownJoint]) -> Result<(), SkeletonError> {
    for (at, joint) in joints.iter().enumerate() {
        let refuse = |error| {
            let (number, name) = (at + 1, joint.name.clone());
            Err(SkeletonError::Known(KnownError::Joint { number, name, error }))
        };
        let Some(place) = joint.place else {
            match joint.found {
                Some(_) => continue,
                None => {
                    let (number, name) = (at + 1, joint.name.clone());
                    return Err(SkeletonError::Known(KnownError::Nowhere { number, name }));
                }
            }
        };
        if !place.is_finite() {
            return refuse(JointEditError::NotFinite { place });
        }
        if let Some(other) = joints[..at].iter().position(|other| other.place == Some(place)) {
            return Err(SkeletonError::Known(KnownError::SamePlace { joints: [other + 1, at + 1] }));
        }
        if let Some(name) =
            joint.name.as_ref().filter(|n| joints[..at].iter().any(|o| o.name.as_ref() == Some(n)))
        {
            return refuse(JointEditError::NameTaken { name: name.clone() });
        }
    }
    Ok(())
}

/// The joint that was found for each that is known, if one was.
fn meant(edited: &EditedSkeleton, known: &[KnownJoint]) -> Result<Vec<Option<usize>>, SkeletonError> {
    let mut meant = vec![None; known.len()];
    for (at, joint) in known.iter().enumerate() {
        if let Some(name) = &joint.found {
            meant[at] = Some(named(edited, name)?);
        }
    }
    // The nearest pairs first.
    let joints = edited.joints();
    let side = edited.length();
    let bone = |k: usize| {
        let beside = (0..joints.len()).filter(|&j| joints[j].parent == Some(k)).chain(joints[k].parent);
        beside.map(|j| joints[j].place.distance(joints[k].place)).fold(f64::INFINITY, f64::min)
    };
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (at, place) in known.iter().enumerate().filter_map(|(at, j)| Some((at, j.place?))) {
        for (k, joint) in joints.iter().enumerate().filter(|_| known[at].found.is_none()) {
            let far = joint.place.distance(place);
            if far < (TUNED.same * side).min(TUNED.same_bone * bone(k)) {
                pairs.push((far, at, k));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    for (_, at, k) in pairs {
        if meant[at].is_none() && !meant.contains(&Some(k)) {
            meant[at] = Some(k);
        }
    }
    Ok(meant)
}

/// Puts joints where they are known to be. Returns their numbers, or which could not be put there.
fn place_joints(
    edited: &mut EditedSkeleton,
    known: &[KnownJoint],
    meant: &[Option<usize>],
) -> Result<Vec<usize>, (usize, JointEditError)> {
    // Names that joints are to have are free for them.
    for k in 0..edited.joints().len() {
        let taken = known
            .iter()
            .zip(meant)
            .any(|(joint, meant)| joint.name.as_ref() == Some(&edited.joints[k].name) && *meant != Some(k));
        if taken {
            let free = (1..).map(|n| format!("joint{n}"));
            let unused = |name: &String| {
                edited.find(name).is_none() && known.iter().all(|joint| joint.name.as_ref() != Some(name))
            };
            edited.joints[k].name = free.into_iter().find(unused).unwrap_or_default();
        }
    }
    let mut numbers = Vec::with_capacity(known.len());
    for (at, (joint, meant)) in known.iter().zip(meant).enumerate() {
        let wrong = |error| (at, error);
        numbers.push(match (*meant, joint.place) {
            (Some(k), place) => {
                let place = place.unwrap_or(edited.joints()[k].place);
                edited.move_joint(k, place).map_err(wrong)?;
                if let Some(name) = &joint.name {
                    edited.rename(k, name).map_err(wrong)?;
                }
                k
            }
            (None, Some(place)) => {
                let parent = joint.parent.as_ref().and_then(|parent| edited.find(parent));
                edited.add_joint(place, parent, joint.name.as_deref()).map_err(wrong)?
            }
            (None, None) => return Err(wrong(JointEditError::NoName)),
        });
    }
    Ok(numbers)
}

/// A joint by its name or its number.
fn named(edited: &EditedSkeleton, name: &str) -> Result<usize, SkeletonError> {
    let number = || name.parse().ok().filter(|&k: &usize| k < edited.joints().len());
    edited.find(name).or_else(number).ok_or_else(|| {
        let near = names_like(name, edited.joints().iter().map(|joint| joint.name.as_str()));
        SkeletonError::Known(KnownError::NoSuchJoint { name: name.to_owned(), near })
    })
}

/// Takes out joints that nobody asked for: all of them, so many that the number is right, or those beside joints that are
/// known that are hardly missed.
fn drop_others(
    edited: &mut EditedSkeleton,
    options: &SkeletonOptions,
    known: &Known,
    kept: &[String],
    progress: &dyn Progress,
) -> Result<(), SkeletonError> {
    loop {
        progress.check()?;
        let joints = edited.joints();
        let is_known = |k: usize| kept.contains(&joints[k].name);
        let over = options.joints.map(|wanted| joints.len() > wanted);
        let beside = |k: usize| {
            joints[k].parent.is_some_and(is_known)
                || (0..joints.len()).any(|j| joints[j].parent == Some(k) && is_known(j))
        };
        let goes = |k: usize| known.no_others || over == Some(true) || over.is_none() && beside(k);
        let candidates: Vec<usize> = (0..joints.len()).filter(|&k| !is_known(k) && goes(k)).collect();
        let joint = match candidates.first() {
            Some(&first) if known.no_others => Some(first),
            Some(_) => least_missed(edited, &candidates, progress)?
                .filter(|(lost, _)| over.is_some() || *lost < TUNED.dispensable)
                .map(|(_, joint)| joint),
            None => None,
        };
        let Some(joint) = joint.filter(|_| edited.joints().len() > 1) else { return Ok(()) };
        edited.delete_joint(joint).map_err(|error| SkeletonError::Known(KnownError::Root(error)))?;
    }
}

/// Which of some joints is missed least, and what is lost without it, in percent of the body's length.
fn least_missed(
    edited: &mut EditedSkeleton,
    candidates: &[usize],
    progress: &dyn Progress,
) -> Result<Option<(f64, usize)>, SkeletonError> {
    let names: Vec<String> = candidates.iter().map(|&k| edited.joints()[k].name.clone()).collect();
    // Numbers change when joints are put in order, names do not.
    let mut fit = edited.fit(progress)?;
    let on = Sampled { samples: &edited.samples, progress };
    fit.settle(on, 1)?;
    let left = fit.residuals(&edited.samples);
    let mut best: Option<(f64, usize)> = None;
    for name in &names {
        let Some(k) = edited.find(name).filter(|&k| edited.joints[k].parent.is_some()) else { continue };
        let mut other = fit.without(on, k, &left)?;
        other.fit_turns(progress)?;
        let lost = edited.samples.percent((other.error - fit.error).max(0.0));
        if best.is_none_or(|best| lost < best.0) {
            best = Some((lost, k));
        }
    }
    Ok(best)
}

/// The same skeleton hung from another joint.
fn with_root(
    animation: &MeshAnimation,
    options: &SkeletonOptions,
    found: Skeletal,
    root: &RootChoice,
    progress: &dyn Progress,
) -> Result<Skeletal, SkeletonError> {
    let mut edited = EditedSkeleton::new(animation, &found.rig, options, progress)?;
    let (joint, place) = match root {
        RootChoice::Joint(name) => (named(&edited, name)?, None),
        RootChoice::Around(place) => (edited.around(*place), Some(*place)),
    };
    edited.make_root(joint, place).map_err(|error| SkeletonError::Known(KnownError::Root(error)))?;
    edited.rehung(found, progress)
}
