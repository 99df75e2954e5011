//! Other motion for a rig: moved over from elsewhere, or edited.
