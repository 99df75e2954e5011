//! Moving pictures as GIF files.

use std::io::{self, Write};

use gif::{Encoder, Frame, Repeat};

use crate::image::Image;

/// Writes pictures of one size one after another as a GIF that repeats for ever.
pub struct GifWriter<W: Write> {
    encoder: Encoder<W>,
    size: [u16; 2],
    fps: f64,
    written: u32,
}

/// How carefully colours are chosen, 1 being the best and slowest, 30 the fastest.
const SPEED: i32 = 10;

impl<W: Write> GifWriter<W> {
    /// Begins a file of pictures of this size.
    pub fn new(out: W, width: u16, height: u16, fps: f64) -> io::Result<Self> {
        let mut encoder = Encoder::new(out, width, height, &[]).map_err(io::Error::other)?;
        encoder.set_repeat(Repeat::Infinite).map_err(io::Error::other)?;
        Ok(Self { encoder, size: [width, height], fps, written: 0 })
    }

    /// Adds a picture. Each has its own 256 colours. One of another size than the file was begun with is an
    /// error.
    pub fn push(&mut self, image: &Image) -> io::Result<()> {
        if [image.width, image.height] != self.size.map(usize::from) {
            return Err(io::Error::other("pictures of a GIF have one size"));
        }
        let [width, height] = self.size;
        let mut bytes = image.pixels.as_flattened().to_vec();
        let mut frame = Frame::from_rgba_speed(width, height, &mut bytes, SPEED);
        // GIF counts in hundredths of a second: what is rounded off here is made up for in the next frame.
        let time = |frames: u32| (100.0 * f64::from(frames) / self.fps).round();
        frame.delay = (time(self.written + 1) - time(self.written)).clamp(2.0, f64::from(u16::MAX)) as u16;
        self.written += 1;
        self.encoder.write_frame(&frame).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_with_their_times() {
        let colors = [[255, 0, 0, 255], [0, 0, 255, 255], [10, 200, 30, 255]];
        let mut file = Vec::new();
        let mut writer = GifWriter::new(&mut file, 5, 4, 24.0).unwrap();
        for color in colors {
            writer.push(&Image::new(5, 4, color).unwrap()).unwrap();
        }
        assert!(writer.push(&Image::new(4, 5, [0; 4]).unwrap()).is_err());
        drop(writer);
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(&file[..]).unwrap();
        let mut delays = Vec::new();
        for color in colors {
            let frame = decoder.read_next_frame().unwrap().unwrap();
            assert_eq!((frame.width, frame.height), (5, 4));
            assert!(frame.buffer.chunks_exact(4).all(|p| p == color), "{:?}", &frame.buffer[..4]);
            delays.push(frame.delay);
        }
        // 24 frames a second are 4.17 hundredths each.
        assert_eq!(delays, [4, 4, 5]);
        assert!(decoder.read_next_frame().unwrap().is_none());
    }
}
