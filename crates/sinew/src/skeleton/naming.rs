//! Which joint is the root, in what order joints come, and what they are called.
//!
//! "Automatic Conversion of Mesh Animations into Skeleton-based Animations" (section 5) takes the part at
//! the centre of gravity for the root. A hand may be there as well, so here the root must also lie in the
//! middle of the tree.
//!
//! Names and order follow from sizes and places alone, not from how parts were numbered.

use glam::DVec3;

/// The largest share of the body that may hang together once the root is taken away.
const CENTRAL: f64 = 0.6;
/// Parts of a smaller share of the body are not taken for its root.
const SMALL: f64 = 0.02;
/// Numbers that differ by a smaller share of the largest among them are equal: rounding decides nothing.
const EQUAL: f64 = 1e-9;

/// Joints in order, with names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arranged {
    /// The joints as they were numbered before, parents before children, limb after limb.
    pub order: Vec<usize>,
    /// Names in that order.
    pub names: Vec<String>,
}

/// The part to be the root of a tree of parts.
///
/// `edges` are the parts that hang together, `sizes` how much each part is of the body (its area),
/// `middles` where each is. Of the parts whose removal leaves no more than 60 % of the body in one piece,
/// the one whose middle is nearest to `center_of_gravity` is taken; very small parts only if there are no others.
pub fn choose_root(
    edges: &[[usize; 2]],
    sizes: &[f64],
    middles: &[DVec3],
    center_of_gravity: DVec3,
) -> Option<usize> {
    let shares = largest_pieces_without(edges, sizes);
    let total: f64 = sizes.iter().sum();
    let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
    let most = (CENTRAL * total).max(least);
    let central: Vec<usize> = (0..sizes.len()).filter(|&part| shares[part] <= most).collect();
    // A part of next to no size has next to no middle.
    let distance = |part: usize| match sizes[part] >= SMALL * total && sizes[part] > 0.0 {
        true => middles[part].distance(center_of_gravity),
        false => f64::INFINITY,
    };
    sorted(&central, &[&distance, &|part| -sizes[part]], middles).first().copied()
}

/// For each part the size of the largest piece that is left of a forest without it.
fn largest_pieces_without(edges: &[[usize; 2]], sizes: &[f64]) -> Vec<f64> {
    let parents = rooted(edges, sizes.len(), 0);
    let order = depth_first(&parents, |_| {});
    let mut below = sizes.to_vec();
    let mut largest = vec![0.0_f64; sizes.len()];
    for &part in order.iter().rev() {
        if let Some(parent) = parents[part] {
            below[parent] += below[part];
            largest[parent] = largest[parent].max(below[part]);
        }
    }
    // What is above, and the largest of the other trees.
    let mut top = vec![0; sizes.len()];
    for &part in &order {
        top[part] = parents[part].map_or(part, |parent| top[parent]);
        largest[part] = largest[part].max(below[top[part]] - below[part]);
    }
    let roots: Vec<usize> = order.iter().copied().filter(|&part| parents[part].is_none()).collect();
    for part in 0..sizes.len() {
        let others = roots.iter().filter(|&&root| root != top[part]);
        largest[part] = others.map(|&root| below[root]).fold(largest[part], f64::max);
    }
    largest
}

/// Parents in a tree of `count` parts seen from its root. A part that does not hang on the root is a root
/// itself, or hangs on one: of parts that hang together the first is.
pub fn rooted(edges: &[[usize; 2]], count: usize, root: usize) -> Vec<Option<usize>> {
    let mut beside = vec![Vec::new(); count];
    for &[a, b] in edges {
        beside[a].push(b);
        beside[b].push(a);
    }
    let mut parents = vec![None; count];
    let mut seen = vec![false; count];
    for start in [root].into_iter().filter(|&r| r < count).chain(0..count) {
        let mut open = if seen[start] { Vec::new() } else { vec![start] };
        seen[start] = true;
        while let Some(part) = open.pop() {
            for &other in &beside[part] {
                if !seen[other] {
                    seen[other] = true;
                    parents[other] = Some(part);
                    open.push(other);
                }
            }
        }
    }
    parents
}

/// Order and names of the joints of a tree.
///
/// `sizes` is what each joint moves without those below it, `places` where the joints are. The root is
/// `root`. A limb is a chain of joints up to where it branches; its joints are `limb1_1`, `limb1_2` and
/// so on. Limbs are numbered depth first, those that move most first; of equals, the one nearer to the
/// root. Further roots, if any, are `root2` and so on.
pub fn arrange(parents: &[Option<usize>], sizes: &[f64], places: &[DVec3]) -> Arranged {
    let below = subtree_sizes(parents, sizes);
    let mut top = vec![0; parents.len()];
    for joint in depth_first(parents, |_| {}) {
        top[joint] = parents[joint].map_or(joint, |parent| top[parent]);
    }
    let keys: [&dyn Fn(usize) -> f64; 2] =
        [&|joint| -below[joint], &|joint| places[joint].distance(places[top[joint]])];
    let order = depth_first(parents, |siblings| *siblings = sorted(siblings, &keys, places));
    let names = names(parents, &order);
    Arranged { order, names }
}

fn names(parents: &[Option<usize>], order: &[usize]) -> Vec<String> {
    let mut children = vec![0; parents.len()];
    parents.iter().flatten().for_each(|&parent| children[parent] += 1);
    // Limb and number within it.
    let mut numbers = vec![(0, 0); parents.len()];
    let (mut limbs, mut roots) = (0, 0);
    let name = |&joint: &usize| match parents[joint] {
        None => {
            roots += 1;
            if roots == 1 { "root".to_string() } else { format!("root{roots}") }
        }
        Some(parent) => {
            let goes_on = parents[parent].is_some() && children[parent] == 1;
            numbers[joint] = match goes_on {
                true => (numbers[parent].0, numbers[parent].1 + 1),
                false => {
                    limbs += 1;
                    (limbs, 1)
                }
            };
            format!("limb{}_{}", numbers[joint].0, numbers[joint].1)
        }
    };
    order.iter().map(name).collect()
}

/// What each joint and all below it move.
fn subtree_sizes(parents: &[Option<usize>], sizes: &[f64]) -> Vec<f64> {
    let mut below = sizes.to_vec();
    for &joint in depth_first(parents, |_| {}).iter().rev() {
        if let Some(parent) = parents[joint] {
            below[parent] += below[joint];
        }
    }
    below
}

/// Joints depth first, siblings in the order that `arrange` puts them into. No recursion: a chain may be
/// long.
fn depth_first(parents: &[Option<usize>], arrange: impl Fn(&mut Vec<usize>)) -> Vec<usize> {
    let mut children = vec![Vec::new(); parents.len()];
    let mut open = Vec::new();
    for (joint, parent) in parents.iter().enumerate() {
        parent.map_or(&mut open, |parent| &mut children[parent]).push(joint);
    }
    arrange(&mut open);
    open.reverse();
    let mut order = Vec::with_capacity(parents.len());
    while let Some(joint) = open.pop() {
        order.push(joint);
        arrange(&mut children[joint]);
        open.extend(children[joint].iter().rev());
    }
    order
}

/// Items by the first key, equals by the next and so on, then by their places, at last by their number.
fn sorted(items: &[usize], keys: &[&dyn Fn(usize) -> f64], places: &[DVec3]) -> Vec<usize> {
    let mut all: Vec<Vec<usize>> = keys.iter().map(|key| ranks(items, key)).collect();
    all.extend((0..3).map(|axis| ranks(items, &|item| places[item][axis])));
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&i| (all.iter().map(|rank| rank[i]).collect::<Vec<usize>>(), items[i]));
    order.into_iter().map(|i| items[i]).collect()
}

/// How many distinctly smaller values there are than each item's.
fn ranks(items: &[usize], key: &dyn Fn(usize) -> f64) -> Vec<usize> {
    let values: Vec<f64> = items.iter().map(|&item| key(item)).collect();
    let scale = values.iter().filter(|v| v.is_finite()).fold(0.0_f64, |s, v| s.max(v.abs()));
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0; items.len()];
    let (mut rank, mut first) = (0, f64::NEG_INFINITY);
    for place in order {
        if values[place] - first > EQUAL * scale {
            (rank, first) = (rank + 1, values[place]);
        }
        ranks[place] = rank;
    }
    ranks
}
