//! Any of the jobs, as a file holds it: `{ "job": "skin", … }`.

use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};
use sinew::progress::Progress;

use crate::bake::BakeJob;
use crate::collide::CollideJob;
use crate::compare::CompareJob;
use crate::convert::ConvertJob;
use crate::crowd::CrowdJob;
use crate::deform::DeformJob;
use crate::edit::EditJob;
use crate::error::Outcome;
use crate::info::InfoJob;
use crate::job::Job;
use crate::learn::LearnJob;
use crate::light::LightJob;
use crate::lod::LodJob;
use crate::picture::PictureJob;
use crate::skeleton::SkeletonJob;
use crate::skin::SkinJob;
use crate::stream::StreamJob;
use crate::streams::Files;
use crate::transplant::TransplantJob;

/// Lists the jobs once: the enum, its names and its schemas.
macro_rules! jobs {
    ($($Variant:ident($Type:ty)),+ $(,)?) => {
        /// Any of the jobs.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "job", rename_all = "kebab-case")]
        pub enum AnyJob {
            $(#[doc = concat!("[`", stringify!($Type), "`].")] $Variant(Box<$Type>)),+
        }

        $(impl From<$Type> for AnyJob {
            fn from(job: $Type) -> Self {
                Self::$Variant(Box::new(job))
            }
        })+

        impl AnyJob {
            /// The names of all jobs.
            pub const NAMES: &'static [&'static str] = &[$(<$Type as Job>::NAME),+];

            /// Its name.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$Variant(_) => <$Type as Job>::NAME),+
                }
            }

            /// Runs it, and gives its report as a file of one holds it.
            ///
            /// # Errors
            /// As [`Job::run`], and what [`Job::verdict`] finds.
            pub fn run(&self, progress: &dyn Progress) -> Outcome<serde_json::Value> {
                match self {
                    $(Self::$Variant(job) => {
                        let report = job.run(progress)?;
                        job.verdict(&report)?;
                        Ok(as_json(&report))
                    })+
                }
            }

            /// The files that it names.
            pub fn files(&mut self) -> Files<'_> {
                match self {
                    $(Self::$Variant(job) => job.files()),+
                }
            }

            /// The JSON schema of the job of a name, without `"job"`, which says the name.
            pub fn schema(name: &str) -> Option<Schema> {
                match name {
                    $(<$Type as Job>::NAME => Some(with_name(schema_for!($Type), name)),)+
                    _ => None,
                }
            }
        }
    };
}

jobs! {
    Bake(BakeJob),
    Collide(CollideJob),
    Compare(CompareJob),
    Convert(ConvertJob),
    Crowd(CrowdJob),
    Deform(DeformJob),
    Edit(EditJob),
    Info(InfoJob),
    Learn(LearnJob),
    Light(LightJob),
    Lod(LodJob),
    Picture(PictureJob),
    Skeleton(SkeletonJob),
    Stream(StreamJob),
    Skin(SkinJob),
    Transplant(TransplantJob),
}

impl AnyJob {
    /// Reads a job from JSON.
    ///
    /// # Errors
    /// What is wrong with the text, and where.
    pub fn from_json(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// The job as JSON, indented, with a line's end.
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists of them: nothing that JSON cannot hold.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The schema of all jobs.
    pub fn schema_of_all() -> Schema {
        schema_for!(Self)
    }
}

/// A report as data. Measures without a finite value are null.
pub fn as_json(report: &impl Serialize) -> serde_json::Value {
    // Strings, numbers and lists of them: nothing that JSON cannot hold.
    serde_json::to_value(report).unwrap_or_default()
}

/// Adds the field that says which job it is.
fn with_name(mut schema: Schema, name: &str) -> Schema {
    let root = schema.ensure_object();
    let field =
        |key: &str, value: serde_json::Value, root: &mut serde_json::Map<String, serde_json::Value>| {
            let properties = root.entry("properties").or_insert_with(|| serde_json::json!({}));
            if let Some(properties) = properties.as_object_mut() {
                properties.insert(key.into(), value);
            }
        };
    field("job", serde_json::json!({ "const": name }), root);
    let required = root.entry("required").or_insert_with(|| serde_json::json!([]));
    if let Some(required) = required.as_array_mut() {
        required.push("job".into());
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_go_through_files() {
        let job: AnyJob =
            CompareJob { original: "a.pc2".into(), approximation: "b.glb".into(), ..CompareJob::default() }
                .into();
        let text = job.to_json();
        assert!(text.contains("\"job\": \"compare\""), "{text}");
        assert_eq!(AnyJob::from_json(&text).unwrap(), job);
        let wrong = AnyJob::from_json(r#"{"job":"compare","original":"a","approximation":"b","rset":"c"}"#);
        assert!(wrong.unwrap_err().to_string().contains("rset"), "fields that nobody knows are told");
    }

    #[test]
    fn every_job_has_a_schema_with_its_name() {
        for name in AnyJob::NAMES {
            let schema = AnyJob::schema(name).unwrap();
            assert_eq!(schema.pointer("/properties/job/const").and_then(|c| c.as_str()), Some(*name));
        }
        assert!(AnyJob::schema("nothing").is_none());
    }
}
