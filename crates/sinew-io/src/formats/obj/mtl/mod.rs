//! Wavefront MTL: the materials of OBJ files.
//!
//! Follows the "MTL material format" appendix of the Wavefront Advanced Visualizer manual, with the
//! extensions for physically based rendering by Exocortex (`Pr`, `Pm`, `Ke`, `norm`). What the
//! metallic-roughness model has no place for (ambient and specular colours, illumination models,
//! reflection maps) is passed over. Nothing in a material library is worth refusing a mesh for: bad
//! statements become warnings.

mod resolve;
mod write;

use std::path::Path;

use sinew::geometry::{Material, TextureSlot};

use crate::Warning;
use crate::text::{Lines, Words, name, number};

pub(crate) use resolve::{Resolved, resolve};
pub(crate) use write::put;

/// The contents of an MTL file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Library {
    /// Materials in the file's order.
    pub materials: Vec<LibraryMaterial>,
    /// What was found amiss, with file and line.
    pub warnings: Vec<Warning>,
}

/// A material whose textures are still file names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LibraryMaterial {
    /// Everything but the textures.
    pub material: Material,
    /// Texture files by slot, as the library names them.
    pub maps: Vec<(TextureSlot, String)>,
}

/// Reads a material library from memory. `path` is for messages.
pub fn parse(bytes: &[u8], path: &Path) -> Library {
    let mut library = Library::default();
    let mut lines = Lines::new(bytes, 1);
    while let Some((line, text)) = lines.next() {
        let mut words = Words::new(text);
        let Some(key) = words.next() else { continue };
        let result = match (key, library.materials.last_mut()) {
            (b"newmtl", _) => {
                let material = Material { name: name(words.rest()), ..Material::default() };
                library.materials.push(LibraryMaterial { material, maps: Vec::new() });
                Ok(())
            }
            (_, Some(last)) => last.statement(key, words),
            // Comments, and statements that belong to no material.
            (_, None) => Ok(()),
        };
        if let Err(detail) = result {
            library.warnings.push(Warning::Statement { detail }.at_line(path, line));
        }
    }
    for material in &mut library.materials {
        material.finish();
    }
    library
}

impl LibraryMaterial {
    fn statement(&mut self, key: &[u8], mut words: Words) -> Result<(), String> {
        let m = &mut self.material;
        match key {
            b"Kd" => m.base_color[..3].copy_from_slice(&color(words)?),
            b"Ke" => m.emissive = color(words)?,
            // `d -halo 0.5` fades the silhouette; its number is still the opacity.
            b"d" => m.base_color[3] = share(words.find(|word| *word != b"-halo"))?,
            b"Tr" => m.base_color[3] = 1.0 - share(words.next())?,
            b"Pr" => m.roughness = share(words.next())?,
            b"Pm" => m.metallic = share(words.next())?,
            b"map_Kd" => self.map(TextureSlot::BaseColor, words)?,
            b"map_Ke" => self.map(TextureSlot::Emissive, words)?,
            b"norm" => self.map(TextureSlot::Normal, words)?,
            b"bump" | b"map_bump" | b"map_Bump" => {
                return Err("a bump map holds heights, which glTF has no place for; it is left out".into());
            }
            _ => {}
        }
        Ok(())
    }

    fn map(&mut self, slot: TextureSlot, words: Words) -> Result<(), String> {
        let file = name(without_options(words).rest());
        if file.is_empty() {
            return Err("the texture has no file name".into());
        }
        self.maps.retain(|(other, _)| *other != slot);
        self.maps.push((slot, file));
        Ok(())
    }

    /// Settles what depends on several statements.
    fn finish(&mut self) {
        let m = &mut self.material;
        let has = |slot| self.maps.iter().any(|(s, _)| *s == slot);
        // Texture and colour are multiplied, but exporters that mean the texture alone write black.
        if has(TextureSlot::BaseColor) && m.base_color[..3] == [0.0; 3] {
            m.base_color[..3].fill(1.0);
        }
        if has(TextureSlot::Emissive) && m.emissive == [0.0; 3] {
            m.emissive.fill(1.0);
        }
        if m.base_color[3] < 1.0 {
            m.alpha_mode = "BLEND".into();
        }
    }
}

/// One or three shares; a single one is a grey.
fn color(mut words: Words) -> Result<[f32; 3], String> {
    let red = share(words.next())?;
    let Some(green) = words.next() else { return Ok([red; 3]) };
    Ok([red, share(Some(green))?, share(words.next())?])
}

/// A number from 0 to 1; what lies outside is cut off, as glTF demands.
fn share(word: Option<&[u8]>) -> Result<f32, String> {
    let word = word.ok_or("a number is missing")?;
    Ok(number(word)?.clamp(0.0, 1.0))
}

/// Skips the options in front of a texture's file name.
fn without_options(mut words: Words) -> Words {
    loop {
        let mut ahead = words.clone();
        let (fewest, most) = match ahead.next() {
            Some(b"-blendu" | b"-blendv" | b"-cc" | b"-clamp" | b"-texres") => (1, 1),
            Some(b"-boost" | b"-bm" | b"-imfchan" | b"-type") => (1, 1),
            Some(b"-mm") => (2, 2),
            Some(b"-o" | b"-s" | b"-t") => (1, 3),
            _ => return words,
        };
        for i in 0..most {
            let mut next = ahead.clone();
            if i >= fewest && next.next().is_none_or(|word| number(word).is_err()) {
                break;
            }
            ahead.next();
        }
        words = ahead;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_text(text: &str) -> Library {
        parse(text.as_bytes(), Path::new("m.mtl"))
    }

    #[test]
    fn known_statements_are_kept() {
        let library = parse_text(
            "# made by hand\r\nnewmtl red paint\r\n\tKd 0.5 0.25 0\r\nKe 2\nd 0.5\nPr 0.1\nPm 1\nillum 2\n\
             map_Kd -s 1 1 1 -o 0 0 -clamp on folder/red one.png\nnorm n.png\nnewmtl b\nTr 0.25\nKa 1 1 1\n",
        );
        assert_eq!(library.warnings, Vec::<crate::Warning>::new());
        let a = &library.materials[0];
        assert_eq!(a.material.name, "red paint");
        assert_eq!(a.material.base_color, [0.5, 0.25, 0.0, 0.5]);
        assert_eq!(a.material.emissive, [1.0; 3]);
        assert_eq!((a.material.roughness, a.material.metallic), (0.1, 1.0));
        assert_eq!(a.material.alpha_mode, "BLEND");
        let maps =
            [(TextureSlot::BaseColor, "folder/red one.png".into()), (TextureSlot::Normal, "n.png".into())];
        assert_eq!(a.maps, maps);
        assert_eq!(library.materials[1].material.base_color[3], 0.75);
        assert!(library.materials[1].maps.is_empty());
    }

    #[test]
    fn black_under_a_texture_means_the_texture() {
        let library = parse_text("newmtl a\nKd 0 0 0\nmap_Kd a.png\nnewmtl b\nKd 0 0 0\n");
        assert_eq!(library.materials[0].material.base_color, [1.0; 4]);
        assert_eq!(library.materials[1].material.base_color, [0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn a_number_after_a_short_option_is_a_file_name_only_when_it_is_not_a_number() {
        let library = parse_text("newmtl a\nmap_Kd -o 1 2 name.png\nnewmtl b\nmap_Kd -mm 0 1 -t 5 x y.png\n");
        assert_eq!(library.materials[0].maps[0].1, "name.png");
        assert_eq!(library.materials[1].maps[0].1, "x y.png");
    }

    #[test]
    fn bad_statements_are_warned_about_with_their_line() {
        let library =
            parse_text("Kd 1 x 1\nnewmtl a\nKd 1 x 1\nKd 1 1\nPr\nmap_Kd -s 1\nbump b.png\nd nan\n");
        assert_eq!(
            crate::warning::sentences(&library.warnings),
            [
                "m.mtl, line 3: “x” is not a number",
                "m.mtl, line 4: a number is missing",
                "m.mtl, line 5: a number is missing",
                "m.mtl, line 6: the texture has no file name",
                "m.mtl, line 7: a bump map holds heights, which glTF has no place for; it is left out",
                "m.mtl, line 8: “nan” is not a finite number",
            ]
        );
        assert_eq!(library.materials[0].material, Material { name: "a".into(), ..Material::default() });
    }
}
