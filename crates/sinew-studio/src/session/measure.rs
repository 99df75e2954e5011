//! Errors and sizes of versions, found out beside everything else.

use std::sync::Arc;

use sinew::animation::MeshAnimation;
use sinew::progress::Silent;

use super::editors::Editors;
use super::measured::{comparable, file_bytes};
use super::{Errors, Session, Shape};

/// A version of which error or size are not known.
pub struct Unmeasured {
    id: u32,
    content: u64,
    shape: Shape,
    original: Option<Arc<MeshAnimation>>,
    needs_bytes: bool,
    editors: Editors,
}

/// What was found out.
pub struct Found {
    id: u32,
    content: u64,
    errors: Option<Arc<Errors>>,
    bytes: Option<u64>,
}

impl Unmeasured {
    /// Finds out.
    pub fn measure(self) -> Found {
        let Self { id, content, shape, original, needs_bytes, editors } = self;
        let bytes = if needs_bytes { Some(file_bytes(&shape)) } else { None };
        let errors = original.map(|original| Arc::new(Errors::of(&original, &shape)));
        if let Shape::Rig(rig) = &shape {
            // The first turn of a bone need not wait for it then. Why it cannot be made is told there.
            _ = editors.bones(rig, &Silent);
        }
        Found { id, content, errors, bytes }
    }
}

impl Session {
    /// A version that should be measured.
    pub fn unmeasured(&self) -> Option<Unmeasured> {
        let subject = self.subject.as_ref()?;
        self.versions.iter().rev().find_map(|version| {
            let needs_errors = version.errors.is_none() && comparable(subject, &version.shape);
            let needs_bytes = version.bytes.is_none();
            (needs_errors || needs_bytes).then(|| Unmeasured {
                id: version.id,
                content: version.content,
                shape: version.shape.clone(),
                original: subject.original().filter(|_| needs_errors).cloned(),
                needs_bytes,
                editors: version.editors.clone(),
            })
        })
    }

    /// Takes what was found out, unless the version has changed meanwhile.
    pub fn set_measured(&mut self, found: Found) {
        let Ok(version) = self.version_mut(found.id) else { return };
        if version.content != found.content {
            return;
        }
        version.errors = found.errors.or(version.errors.take());
        version.bytes = found.bytes.or(version.bytes);
        self.touch();
    }
}
