//! ply
