//! Union-find: things that were joined have one root, the smallest of them.

/// Follows `roots` to the one that leads to itself, shortening the way.
pub(crate) fn root(roots: &mut [u32], mut i: u32) -> u32 {
    while roots[i as usize] != i {
        roots[i as usize] = roots[roots[i as usize] as usize];
        i = roots[i as usize];
    }
    i
}

/// Makes one of what two belong to; `false` if it was one already.
pub(crate) fn join(roots: &mut [u32], a: u32, b: u32) -> bool {
    let (a, b) = (root(roots, a), root(roots, b));
    roots[a.max(b) as usize] = a.min(b);
    a != b
}
