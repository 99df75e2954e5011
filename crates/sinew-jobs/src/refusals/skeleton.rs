//! Why no skeleton is found so.

/// Why no skeleton is found so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonRefusal {
    /// The mesh has no such part.
    #[error("{source_name}: there is no part, material or piece {part}; {}", parts_in_words(near, *pieces))]
    NoPart {
        /// What was read.
        source_name: String,
        /// What was asked for.
        part: String,
        /// The names that are most like it.
        near: Vec<String>,
        /// How many pieces there are.
        pieces: usize,
    },
    /// A root of no name.
    #[error("root takes the name or the number of a joint, or a place such as 0,0.9,0")]
    NoRoot,
}

fn parts_in_words(near: &[String], pieces: usize) -> String {
    let names = match near {
        [] => "no part or material has a name".into(),
        near => format!("names most like it are {}", near.join(", ")),
    };
    match pieces {
        1 => format!("{names}, and all of it is one piece, 0"),
        pieces => format!("{names}, and pieces are 0 to {}", pieces.saturating_sub(1)),
    }
}
