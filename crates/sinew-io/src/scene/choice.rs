//! Which of a file's clips are asked for.

/// What is asked for to get all clips, unless one has that name.
const ALL: &str = "all";
/// Names that a sentence lists.
const MOST_NAMES: usize = 20;

/// Numbers of the clips that are asked for by name or number, or "all": the first when none is. When one is
/// not there, a sentence that says which are.
pub(crate) fn choose(names: &[&str], wanted: &[String]) -> Result<Vec<usize>, String> {
    match wanted {
        [] => Ok((0..names.len().min(1)).collect()),
        [all] if all == ALL && !names.contains(&ALL) => Ok((0..names.len()).collect()),
        several => several.iter().map(|name| find(names, name)).collect(),
    }
}

fn find(names: &[&str], wanted: &str) -> Result<usize, String> {
    let by_name = names.iter().position(|name| *name == wanted);
    let by_number = || wanted.parse().ok().filter(|number| *number < names.len());
    if let Some(number) = by_name.or_else(by_number) {
        return Ok(number);
    }
    if names.is_empty() {
        return Err(format!("there is no clip {wanted:?}: the file has no animation"));
    }
    let known = |name: &&str| if name.is_empty() { "(nameless)".to_string() } else { name.to_string() };
    let listed: Vec<String> = names.iter().take(MOST_NAMES).map(known).collect();
    let more = if names.len() > MOST_NAMES { ", …" } else { "" };
    Err(format!("there is no clip {wanted:?}; the clips are {}{more}", listed.join(", ")))
}
