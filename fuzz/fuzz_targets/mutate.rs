//! Mutations that keep a file's outside, so that what lies behind it is reached: numbers and lines of text files, values of
//! glTF's JSON. Every other mutation is the fuzzer's own.
#![allow(dead_code, reason = "each target takes the one of its format")]

use libfuzzer_sys::fuzzer_mutate;
use serde_json::Value;

/// Numbers that readers stumble over.
const NUMBERS: [&str; 18] = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "7",
    "255",
    "256",
    "65535",
    "2147483647",
    "-2147483648",
    "4294967295",
    "1e-40",
    "1e38",
    "1e308",
    "0.5",
    "nan",
    "-inf",
];

/// Small numbers that follow each other in no obvious way.
struct Random(u64);

impl Random {
    fn new(seed: u32) -> Self {
        Self(u64::from(seed) << 16 | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }

    fn number(&mut self) -> &'static str {
        NUMBERS[self.below(NUMBERS.len())]
    }
}

/// Puts a mutation in the place of what was mutated, unless there is none or no room for it.
fn put(data: &mut [u8], size: usize, most: usize, changed: Option<Vec<u8>>) -> usize {
    match changed {
        Some(bytes) if bytes.len() <= most && bytes != data[..size] => {
            data[..bytes.len()].copy_from_slice(&bytes);
            bytes.len()
        }
        _ => fuzzer_mutate(data, size, most),
    }
}

/// Changes a number or a line of a text file.
pub fn text(data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    let mut random = Random::new(seed);
    if seed.is_multiple_of(2) || size == 0 {
        return fuzzer_mutate(data, size, most);
    }
    let changed = if random.below(3) < 2 {
        number(&data[..size], &mut random)
    } else {
        line(&data[..size], &mut random)
    };
    put(data, size, most, changed)
}

/// Another number in the place of one.
fn number(bytes: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let is_part = |b: &u8| b.is_ascii_digit() || b"+-.eE".contains(b);
    let from = random.below(bytes.len());
    let start = from + bytes[from..].iter().position(u8::is_ascii_digit)?;
    let start = start - bytes[..start].iter().rev().take_while(|b| is_part(b)).count();
    let length = bytes[start..].iter().take_while(|b| is_part(b)).count();
    Some([&bytes[..start], random.number().as_bytes(), &bytes[start + length..]].concat())
}

/// A line less, or once more somewhere else.
fn line(bytes: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
    let (from, to) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(4) {
        0 => drop(lines.remove(from)),
        1 => lines.swap(from, to),
        _ => lines.insert(to, lines[from]),
    }
    Some(lines.concat())
}

/// Changes a value in the JSON of a glTF file, or a byte of the rest.
pub fn gltf(data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    if seed.is_multiple_of(3) {
        return fuzzer_mutate(data, size, most);
    }
    let changed = change_gltf(&data[..size], &mut Random::new(seed));
    put(data, size, most, changed)
}

fn change_gltf(bytes: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let Some(body) = bytes.strip_prefix(b"glTF") else {
        let mut root = serde_json::from_slice(bytes).ok()?;
        change(&mut root, random);
        return serde_json::to_vec(&root).ok();
    };
    let length = u32::from_le_bytes(body.get(8..12)?.try_into().ok()?) as usize;
    let (json, rest) = body.get(16..)?.split_at_checked(length)?;
    let mut root = serde_json::from_slice(json).ok()?;
    change(&mut root, random);
    let mut json = serde_json::to_vec(&root).ok()?;
    json.resize(json.len().next_multiple_of(4), b' ');
    let words = [2, 20 + json.len() + rest.len(), json.len()].map(|word| (word as u32).to_le_bytes());
    Some([b"glTF", words.as_flattened(), b"JSON", &json, rest].concat())
}

/// Changes something in a value.
fn change(value: &mut Value, random: &mut Random) {
    match value {
        Value::Array(all) if !all.is_empty() => {
            let (at, to) = (random.below(all.len()), random.below(all.len()));
            match random.below(12) {
                0 => drop(all.remove(at)),
                1 => all.insert(to, all[at].clone()),
                2 => all.swap(at, to),
                _ => change(&mut all[at], random),
            }
        }
        Value::Object(members) if !members.is_empty() => {
            let keys: Vec<String> = members.keys().cloned().collect();
            let key = &keys[random.below(keys.len())];
            match random.below(20) {
                0 => drop(members.remove(key)),
                1 => {
                    let other = members[&keys[random.below(keys.len())]].clone();
                    members.insert(key.clone(), other);
                }
                _ => members.get_mut(key).into_iter().for_each(|value| change(value, random)),
            }
        }
        Value::Number(number) => {
            let near = number.as_i64().map(|n| n.wrapping_add(random.below(5) as i64 - 2));
            let other = serde_json::from_str(random.number()).unwrap_or(Value::Null);
            *value = if random.below(2) == 0 { near.map_or(other, Value::from) } else { other };
        }
        Value::Bool(yes) => *yes = !*yes,
        Value::String(text) => {
            const WORDS: [&str; 16] = [
                "SCALAR",
                "VEC2",
                "VEC3",
                "VEC4",
                "MAT4",
                "LINEAR",
                "STEP",
                "CUBICSPLINE",
                "translation",
                "rotation",
                "scale",
                "weights",
                "OPAQUE",
                "perspective",
                "orthographic",
                "",
            ];
            *text = WORDS[random.below(WORDS.len())].into();
        }
        _ => *value = Value::from(random.below(4)),
    }
}
