//! Contacts.

/// Why contacts are not looked for so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CollideRefusal {
    /// One rig that is not to touch itself.
    #[error("give a second rig in other, or within for one that touches itself")]
    Alone,
}
