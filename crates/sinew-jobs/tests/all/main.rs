//! Jobs as data, one executable: what they refuse before any file is read.

mod refusals;
