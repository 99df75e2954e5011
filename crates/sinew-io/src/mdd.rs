//! mdd
