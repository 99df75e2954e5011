//! Lists of lists in two arrays (compressed sparse rows).

/// Sorts items by the group each belongs to, in the order in which they come: where each of `count` groups starts, with
/// the end of the last, and the items.
pub(crate) fn grouped<T: Copy + Default>(
    count: usize,
    items: impl Iterator<Item = (u32, T)> + Clone,
) -> (Vec<u32>, Vec<T>) {
    let mut starts = vec![0_u32; count + 1];
    items.clone().for_each(|(group, _)| starts[group as usize + 1] += 1);
    (0..count).for_each(|i| starts[i + 1] += starts[i]);
    let mut fill = starts.clone();
    let mut sorted = vec![T::default(); starts[count] as usize];
    for (group, item) in items {
        sorted[fill[group as usize] as usize] = item;
        fill[group as usize] += 1;
    }
    (starts, sorted)
}
