//! Moving pictures as GIF files.

use std::io::{self, Write};

use gif::{Encoder, Frame, Repeat};

use crate::image::Image;

/// Writes pictures of one size one after another as a GIF that repeats for ever.
pub struct GifWriter<W: Write> {
    encoder: Encoder<W>,
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
        Ok(Self { encoder, fps, written: 0 })
    }

    /// Adds a picture. Each has its own 256 colours.
    ///
    /// # Panics
    /// When it has another size than the file was begun with.
    pub fn push(&mut self, image: &Image) -> io::Result<()> {
        let (width, height) = (self.encoder_size(image.width), self.encoder_size(image.height));
        let mut bytes = image.pixels.as_flattened().to_vec();
        let mut frame = Frame::from_rgba_speed(width, height, &mut bytes, SPEED);
        // GIF counts in hundredths of a second: what is rounded off here is made up for in the next frame.
        let time = |frames: u32| (100.0 * f64::from(frames) / self.fps).round();
        frame.delay = (time(self.written + 1) - time(self.written)).clamp(2.0, f64::from(u16::MAX)) as u16;
        self.written += 1;
        self.encoder.write_frame(&frame).map_err(io::Error::other)
    }

    fn encoder_size(&self, side: usize) -> u16 {
        u16::try_from(side).unwrap_or(u16::MAX)
    }
}
