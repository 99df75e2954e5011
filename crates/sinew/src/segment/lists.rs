//! Lists that segmentations make over and over.

/// Items in order, each once.
pub(crate) fn distinct<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut list: Vec<T> = items.into_iter().collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// The members of each of `count` sets, given the set of each; those of no set are left out.
pub(crate) fn members(set_of: &[u32], count: usize) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); count];
    for (i, &set) in set_of.iter().enumerate() {
        if let Some(list) = members.get_mut(set as usize) {
            list.push(i as u32);
        }
    }
    members
}
