//! The page's types, made from the server's. `web/types.sh` writes them.

use std::collections::BTreeMap;

use sinew::motion::{Facing, Plant};
use sinew::skin::{BoneKind, MethodName};
use ts_rs::{Config, TS, TypeVisitor};

use crate::jobs::News;
use crate::server::{Listing, Uploaded};
use crate::session::data::{BonesData, ErrorsData, PALETTE, POSITIONS, SkeletonData};
use crate::session::{Action, Answers, Began, Results, Tables};
use crate::studio::StateWithJobs;

const HEAD: &str = "\
// What the server tells and what it can be asked. Made from the types of crates/sinew-studio: do not edit.
// Made anew by web/types.sh, and CI checks that it was.
";

/// Declarations by name, each with the type that it is of.
struct Declared {
    config: Config,
    types: BTreeMap<String, (&'static str, String)>,
}

impl TypeVisitor for Declared {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if T::output_path().is_none() {
            return;
        }
        let (own, name) = (std::any::type_name::<T>(), T::ident(&self.config));
        if let Some((other, _)) = self.types.get(&name) {
            assert_eq!(*other, own, "two types are called {name}");
            return;
        }
        let docs = T::docs().unwrap_or_default();
        let text = format!("{docs}export {}\n", T::decl(&self.config));
        self.types.insert(name, (own, text));
        T::visit_dependencies(self);
    }
}

impl Declared {
    /// The words of a choice, which fields call by this name.
    fn words<C: sinew::choice::Choice>(&mut self, name: &str) {
        let words: Vec<String> = C::all().map(|choice| format!("{:?}", choice.name())).collect();
        let text = format!("export type {name} = {};\n", words.join(" | "));
        self.types.insert(name.into(), (std::any::type_name::<C>(), text));
    }
}

/// Comments of one line on one line.
fn short(text: &str) -> String {
    let mut out = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim() == "/**"
            && let Some(sentence) = lines.next()
        {
            let sentence = sentence.trim().trim_start_matches("* ");
            if lines.peek().is_some_and(|next| next.trim() == "*/") {
                lines.next();
                out.push(format!("/** {sentence} */"));
                continue;
            }
            out.extend([line.to_owned(), format!(" * {sentence}")]);
            continue;
        }
        out.push(line.to_owned());
    }
    out.join("\n") + "\n"
}

/// Writes the file that TYPES names, for the page.
#[test]
fn export_types() {
    let config = Config::new().with_large_int("number");
    let mut all = Declared { config, types: BTreeMap::new() };
    all.visit::<Action>();
    all.visit::<Answers>();
    all.visit::<Results>();
    all.visit::<Began>();
    all.visit::<StateWithJobs<'static>>();
    all.visit::<News<'static>>();
    all.visit::<Tables>();
    all.visit::<Listing>();
    all.visit::<Uploaded>();
    all.visit::<ErrorsData>();
    all.visit::<SkeletonData>();
    all.visit::<BonesData>();
    all.words::<MethodName>("Method");
    all.words::<BoneKind>("BoneKind");
    all.words::<Facing>("Facing");
    all.words::<Plant>("Plant");
    let mut text = String::from(HEAD);
    for (_, declaration) in all.types.values() {
        text += &format!("\n{declaration}");
    }
    text += &format!("\n/** Kinds of binary messages. */\nexport const PALETTE = {PALETTE};\n");
    text += &format!("export const POSITIONS = {POSITIONS};\n");
    assert!(text.contains("export type State ="));
    if let Some(path) = std::env::var_os("TYPES") {
        std::fs::write(path, short(&text)).unwrap();
    }
}
