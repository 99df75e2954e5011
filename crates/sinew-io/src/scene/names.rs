//! Names that tell nodes and bones apart.

use std::collections::HashMap;

/// Hands out each name once.
#[derive(Default)]
pub(crate) struct Names {
    /// Names handed out, each with the last number appended to it.
    taken: HashMap<String, usize>,
}

impl Names {
    /// `name`, or `name.1`, `name.2`, … when it is taken.
    pub fn unique(&mut self, name: String) -> String {
        let Some(mut number) = self.taken.get(&name).copied() else {
            self.taken.insert(name.clone(), 0);
            return name;
        };
        loop {
            number += 1;
            let candidate = format!("{name}.{number}");
            if !self.taken.contains_key(&candidate) {
                self.taken.insert(name, number);
                self.taken.insert(candidate.clone(), 0);
                return candidate;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_comes_twice() {
        let mut names = Names::default();
        let given: Vec<String> = ["a", "a.1", "a", "a", "b"].map(|n| names.unique(n.into())).into();
        assert_eq!(given, ["a", "a.1", "a.2", "a.3", "b"]);
    }
}
