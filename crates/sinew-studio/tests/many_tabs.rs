//! Many tabs at once: whatever they do, the outcome is that of the same edits through the library, in the
//! order that the server took them.

mod common;

use common::start;
use glam::DQuat;
use serde_json::{Value, json};
use sinew::motion::{BoneEditor, BoneTurn, Reach};
use sinew::progress::Silent;
use sinew::rig::Rig;

const TABS: usize = 10;
const EDITS: usize = 100;

/// Numbers that look like chance.
struct Chance(u64);

impl Chance {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % below
    }
}

fn random_action(chance: &mut Chance, edited: u64) -> Value {
    match chance.next(10) {
        0..=2 => json!({ "do": "undo" }),
        3..=4 => json!({ "do": "redo" }),
        _ => {
            let from = chance.next(8);
            let to = from + chance.next(8 - from);
            // Numbers that text holds exactly.
            let axis = [(); 3].map(|()| chance.next(256) as f64 / 1024.0 - 0.125);
            json!({ "do": "turn", "version": edited, "frame": from, "bone": chance.next(5),
                    "rotation": [axis[0], axis[1], axis[2], 1.0], "from": from, "to": to,
                    "ease": chance.next(3), "reach": if chance.next(2) == 0 { "alone" } else { "hanging" },
                    "phase": "end" })
        }
    }
}

/// The same through the library.
fn replay(editor: &BoneEditor, rig: &mut Rig, turn: &Value) {
    let number = |name: &str| turn[name].as_u64().unwrap() as usize;
    let rotation: [f64; 4] = serde_json::from_value(turn["rotation"].clone()).unwrap();
    let (from, to) = (number("from"), number("to"));
    let wanted = BoneTurn {
        through: to,
        // Where the clip ends nothing fades.
        ease_out: if to + 1 == rig.frame_count() { 0 } else { number("ease").min(to - from) },
        reach: if turn["reach"] == "alone" { Reach::Alone } else { Reach::Hanging },
        ..BoneTurn::new(number("bone"), DQuat::from_array(rotation), from)
    };
    editor.rotate(rig, &wanted).unwrap();
}

#[test]
fn a_thousand_edits_of_ten_tabs_are_those_of_the_library() {
    let running = start();
    let mut tab = running.tab();
    let fit = tab.open_and_fit(&running, 5);
    let rig_of = |id: u64| (**running.studio.session().version(id as u32).unwrap().rig().unwrap()).clone();
    let fitted = rig_of(fit);
    let first = json!({ "do": "turn", "version": fit, "frame": 0, "bone": 1,
        "rotation": [0.0, 0.0, 0.125, 1.0],
                        "from": 0, "to": 7, "ease": 0, "reach": "hanging", "phase": "end" });
    let edited = tab.tell(first.clone())["version"].as_u64().unwrap();

    let mut done: Vec<(u64, Value)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..TABS)
            .map(|number| {
                let mut tab = running.tab();
                scope.spawn(move || {
                    let mut chance = Chance(number as u64 + 1);
                    let mut done = Vec::new();
                    for _ in 0..EDITS {
                        let action = random_action(&mut chance, edited);
                        // What another tab has undone cannot be edited, and so on: that is refused.
                        if let Ok(answer) = tab.ask(action.clone()) {
                            done.push((answer["revision"].as_u64().unwrap(), action));
                        }
                    }
                    done
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(done.len() > TABS * EDITS / 3, "{}", done.len());
    done.sort_by_key(|(revision, _)| *revision);

    let editor = BoneEditor::new(&fitted, &Silent).unwrap();
    let mut edit = fitted.clone();
    replay(&editor, &mut edit, &first);
    // What the edit was after each step; it is not there before the last but one, nor the fit before that.
    let mut states: Vec<Option<Rig>> = vec![None, None, Some(edit)];
    let mut now = states.len() - 1;
    for (_, action) in &done {
        match action["do"].as_str().unwrap() {
            "undo" => now -= 1,
            "redo" => now += 1,
            _ => {
                states.truncate(now + 1);
                let mut rig = states[now].clone().unwrap();
                replay(&editor, &mut rig, action);
                states.push(Some(rig));
                now += 1;
            }
        }
    }
    let there = running.studio.session().version(edited as u32).is_ok();
    assert_eq!(there, states[now].is_some());
    if let Some(expected) = &states[now] {
        assert!(rig_of(edited) == *expected, "bit for bit");
    }
    // Whoever comes now sees it too.
    let late = running.tab();
    let ids: Vec<u64> =
        late.state["versions"].as_array().unwrap().iter().map(|v| v["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.contains(&edited), there);
}
