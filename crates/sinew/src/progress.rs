//! How long work shows itself and how it is stopped.

/// Receives the course of a long call and may end it.
///
/// Calls come from one thread at a time. All methods have defaults, so that `impl Progress for X {}` is
/// a valid silent listener.
pub trait Progress: Sync {
    /// A new stage begins. `name` is one or two words for people, such as "weights".
    fn stage(&self, name: &'static str) {
        let _ = name;
    }

    /// `share` of the current stage, 0 to 1, is done.
    fn advance(&self, share: f64) {
        let _ = share;
    }

    /// Asked now and then; answering `true` makes the call return its `Cancelled` error.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Listens to nothing and never cancels.
pub struct Silent;

impl Progress for Silent {}
