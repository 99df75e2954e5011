//! Which triangles move together.
