//! What bones hang on, in an order to walk it.

/// A forest of bones.
pub(super) struct Hierarchy {
    /// The bone that each bone hangs on.
    pub parents: Vec<Option<usize>>,
    /// All bones, each after the one it hangs on.
    pub order: Vec<usize>,
}

impl Hierarchy {
    /// From the parent of every bone.
    pub fn new(parents: Vec<Option<usize>>) -> Self {
        let depth = |bone: usize| ancestors(&parents, bone).take(parents.len()).count();
        let mut order: Vec<usize> = (0..parents.len()).collect();
        order.sort_by_cached_key(|&bone| depth(bone));
        Self { parents, order }
    }

    /// Bones with their parents, each after its own.
    pub fn downwards(&self) -> impl Iterator<Item = (usize, Option<usize>)> + '_ {
        self.order.iter().map(|&bone| (bone, self.parents[bone]))
    }

    /// Number of bones.
    pub fn len(&self) -> usize {
        self.parents.len()
    }
}

/// A bone, what it hangs on, what that hangs on, and so on.
pub(super) fn ancestors(parents: &[Option<usize>], bone: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(Some(bone), |&bone| parents[bone])
}
