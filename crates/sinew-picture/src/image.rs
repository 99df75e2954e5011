//! Pixels, and the PNG file around them.

use crate::PictureError;

/// The longest side of an image, which keeps a mistyped size from filling the memory.
pub(crate) const LARGEST_SIDE: usize = 16_384;

/// An image: rows from the top, sRGB with opacity, eight bits each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Red, green, blue and opacity, row after row.
    pub pixels: Vec<[u8; 4]>,
}

impl Image {
    /// An image of one colour.
    pub fn new(width: usize, height: usize, color: [u8; 4]) -> Result<Self, PictureError> {
        if !(1..=LARGEST_SIDE).contains(&width) || !(1..=LARGEST_SIDE).contains(&height) {
            return Err(PictureError::Size { width, height, largest: LARGEST_SIDE });
        }
        Ok(Self { width, height, pixels: vec![color; width * height] })
    }

    /// The pixel in column `x` and row `y`, both from the upper left.
    ///
    /// # Panics
    /// Outside of the image.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 4] {
        assert!(x < self.width, "column {x} of {}", self.width);
        self.pixels[y * self.width + x]
    }

    /// The bytes of a PNG file.
    ///
    /// # Panics
    /// When `pixels` is not `width × height` long, which no image made by this crate is.
    pub fn encode_png(&self) -> Vec<u8> {
        assert_eq!(self.pixels.len(), self.width * self.height, "width x height pixels");
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        // Writing to memory cannot fail, and the sizes were checked above.
        let written =
            encoder.write_header().and_then(|mut writer| writer.write_image_data(self.pixels.as_flattened()));
        assert!(written.is_ok(), "PNG encoding into memory: {written:?}");
        bytes
    }

    /// The image in a PNG file, whatever its pixels are there. What goes beyond eight bits is cut off.
    pub fn decode_png(bytes: &[u8]) -> Result<Self, PictureError> {
        let broken = |error: png::DecodingError| PictureError::NoPng(error.to_string());
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(broken)?;
        let mut image = Self::new(reader.info().width as usize, reader.info().height as usize, [0; 4])?;
        let mut data = vec![0; reader.output_buffer_size().unwrap_or_default()];
        let width = reader.next_frame(&mut data).map_err(broken)?.color_type.samples();
        for (pixel, read) in image.pixels.iter_mut().zip(data.chunks_exact(width)) {
            *pixel = match *read {
                [grey] => [grey, grey, grey, 255],
                [grey, opacity] => [grey, grey, grey, opacity],
                [r, g, b] => [r, g, b, 255],
                [r, g, b, opacity, ..] => [r, g, b, opacity],
                [] => *pixel,
            };
        }
        Ok(image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn png_holds_the_same_pixels() {
        let mut image = Image::new(37, 21, [255; 4]).unwrap();
        for (i, p) in image.pixels.iter_mut().enumerate() {
            *p = [(i * 7) as u8, (i * 13) as u8, (i / 3) as u8, (255 - i % 50) as u8];
        }
        let bytes = image.encode_png();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut decoded = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut decoded).unwrap();
        assert_eq!((info.width, info.height), (37, 21));
        assert_eq!(info.color_type, png::ColorType::Rgba);
        assert_eq!(decoded, image.pixels.as_flattened());
        assert_eq!(Image::decode_png(&image.encode_png()).unwrap(), image);
        let cut = &image.encode_png()[..60];
        assert!(matches!(Image::decode_png(cut), Err(PictureError::NoPng(_))));
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for (w, h) in [(0, 5), (5, 0), (LARGEST_SIDE + 1, 1), (usize::MAX, usize::MAX)] {
            assert!(matches!(Image::new(w, h, [0; 4]), Err(PictureError::Size { .. })));
        }
    }
}
