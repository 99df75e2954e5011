//! Lists of lists in two arrays (compressed sparse rows).

/// Many lists, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lists<T> {
    starts: Vec<u32>,
    entries: Vec<T>,
}

impl<T> Lists<T> {
    /// The given lists.
    pub fn from_lists(lists: impl Iterator<Item = Vec<T>>) -> Self {
        let mut out = Self { starts: vec![0], entries: Vec::new() };
        for list in lists {
            out.entries.extend(list);
            out.starts.push(out.entries.len() as u32);
        }
        out
    }

    /// Number of lists.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// One of them.
    pub fn of(&self, list: usize) -> &[T] {
        &self.entries[self.starts[list] as usize..self.starts[list + 1] as usize]
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> + Clone {
        (0..self.len()).map(|list| self.of(list))
    }

    /// Bytes they take.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.starts[..]) + size_of_val(&self.entries[..])
    }
}

impl<T: Copy + Default> Lists<T> {
    /// Sorts items by the list each belongs to, as [`grouped`] does.
    pub fn grouped(count: usize, items: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        let (starts, entries) = grouped(count, items);
        Self { starts, entries }
    }
}

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

/// Sorts things and leaves out those that are there already.
pub(crate) fn distinct<T: Ord>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.into_iter().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The numbers below `count`, those with the largest keys first, equals in order.
pub(crate) fn largest_first(count: usize, key: impl Fn(usize) -> f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| key(b).total_cmp(&key(a)));
    order
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

/// Links between two different things each once, in ascending order, with the sum of their weights.
pub(crate) fn summed(mut links: Vec<([u32; 2], f64)>) -> (Vec<[u32; 2]>, Vec<f64>) {
    links.retain(|([a, b], _)| a != b);
    // Not by weight too: sums are the same whatever the order only if the order is always the same.
    links.sort_by_key(|link| link.0);
    links.dedup_by(|later, first| {
        let same = later.0 == first.0;
        first.1 += if same { later.1 } else { 0.0 };
        same
    });
    links.into_iter().unzip()
}
