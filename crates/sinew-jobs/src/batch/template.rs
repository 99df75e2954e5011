//! A job with gaps, filled in once for each shot.
//!
//! Every string of the template may hold gaps: `{stem}` is the value of that name. A string that is nothing but `{bones:number}`
//! becomes a number. `{{` and `}}` are braces. Where a string is nothing but one gap and its value is empty, the field is left
//! out, and so is the entry of a list: the job's own default holds.

use serde_json::{Map, Value};

use crate::refusals::BatchRefusal;

/// A job with gaps.
#[derive(Clone, Debug)]
pub struct Template(Value);

/// Names and values that go into the gaps.
pub type Values = [(String, String)];

/// What a string turns into.
enum Filled {
    Value(Value),
    Nothing,
}

impl Template {
    /// Reads one, and checks that its gaps are among these names.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(text: &str, names: &[&str]) -> Result<Self, BatchRefusal> {
        let value: Value =
            serde_json::from_str(text).map_err(|e| BatchRefusal::Template { why: e.to_string() })?;
        if !value.is_object() {
            return Err(BatchRefusal::Template { why: "a job is an object, { … }".into() });
        }
        let template = Self(value);
        let values: Vec<(String, String)> = names.iter().map(|name| ((*name).into(), "1".into())).collect();
        template.fill(&values)?;
        Ok(template)
    }

    /// The job with its gaps filled.
    ///
    /// # Errors
    /// A gap without a value, a brace without its other, a number that is none.
    pub fn fill(&self, values: &Values) -> Result<Value, BatchRefusal> {
        match fill(&self.0, values)? {
            Filled::Value(value) => Ok(value),
            Filled::Nothing => Ok(Value::Null),
        }
    }
}

fn fill(value: &Value, values: &Values) -> Result<Filled, BatchRefusal> {
    Ok(Filled::Value(match value {
        Value::String(text) => return fill_text(text, values),
        Value::Array(list) => {
            let mut filled = Vec::with_capacity(list.len());
            for value in list {
                if let Filled::Value(value) = fill(value, values)? {
                    filled.push(value);
                }
            }
            Value::Array(filled)
        }
        Value::Object(fields) => {
            let mut filled = Map::new();
            for (name, value) in fields {
                if let Filled::Value(value) = fill(value, values)? {
                    filled.insert(name.clone(), value);
                }
            }
            Value::Object(filled)
        }
        other => other.clone(),
    }))
}

fn fill_text(text: &str, values: &Values) -> Result<Filled, BatchRefusal> {
    let broken = || BatchRefusal::Brace { text: text.into() };
    let (mut filled, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(['{', '}']) {
        filled += &rest[..at];
        let brace = &rest[at..at + 1];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            filled += brace;
            rest = after;
            continue;
        }
        if brace == "}" {
            return Err(broken());
        }
        let (gap, after) = rest.split_once('}').ok_or_else(broken)?;
        let (name, is_number) = match gap.strip_suffix(":number") {
            Some(name) => (name, true),
            None => (gap, false),
        };
        let found = values.iter().find(|(known, _)| known == name).ok_or_else(|| BatchRefusal::Gap {
            name: name.into(),
            known: values.iter().map(|(name, _)| name.clone()).collect(),
        })?;
        let value = found.1.as_str();
        let is_all = filled.is_empty() && after.is_empty() && text.len() == gap.len() + 2;
        if is_all && value.is_empty() {
            return Ok(Filled::Nothing);
        }
        if is_number {
            let wrong = || BatchRefusal::NoNumber { name: name.into(), value: value.into() };
            let number: serde_json::Number = value.trim().parse().map_err(|_| wrong())?;
            return if is_all { Ok(Filled::Value(Value::Number(number))) } else { Err(broken()) };
        }
        filled += value;
        rest = after;
    }
    Ok(Filled::Value(Value::String(filled + rest)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn filled(template: Value, values: &[(&str, &str)]) -> Result<Value, BatchRefusal> {
        let values: Vec<(String, String)> =
            values.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Template(template).fill(&values)
    }

    #[test]
    fn gaps_are_filled() {
        let template =
            json!({"a": ["{dir}/{stem}.pc2", "{rest}"], "n": "{bones:number}", "b": "{{x}}", "c": "{rest}"});
        let values = [("dir", "x"), ("stem", "y"), ("rest", ""), ("bones", "30")];
        assert_eq!(filled(template, &values).unwrap(), json!({"a": ["x/y.pc2"], "n": 30, "b": "{x}"}));
    }

    #[test]
    fn what_is_wrong_with_a_gap_is_told() {
        let values = [("stem", "y"), ("bones", "many")];
        for (text, said) in [
            ("{stm}", "stm"),
            ("{stem", "{stem"),
            ("stem}", "stem}"),
            ("{bones:number}", "many"),
            ("b{stem:number}", "y"),
        ] {
            let error = filled(json!({"a": text}), &values).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
