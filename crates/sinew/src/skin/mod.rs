//! Bones, weights and corrections.
