//! Options by the names of the fields that they fill.

/// The flag that a field of a job has here.
pub fn flag(field: &str) -> String {
    match field {
        "clips" => "--clip".into(),
        "goal.error" => "--target-error".into(),
        "goal.largest" => "--max-error".into(),
        "goal.bytes" => "--budget".into(),
        "start_rig" => "--start".into(),
        field => format!("--{}", field.replace('_', "-")),
    }
}
