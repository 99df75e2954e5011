//! glb
