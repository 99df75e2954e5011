//! Why jobs are refused, one enum a job: closed, with data, in the names of the fields. Doors say the remedy in their own
//! words.

mod edit;

pub use edit::EditRefusal;
