//! A crowd in a window: drag to look from elsewhere, turn the wheel to come nearer, space to pause, Esc to close.

mod surface;

use std::sync::Arc;
use std::time::{Duration, Instant};

use winit::application::ApplicationHandler;
use winit::dpi::{PhysicalPosition, PhysicalSize};
use winit::event::{ElementState, MouseButton, MouseScrollDelta, StartCause, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::window::WindowId;

use self::surface::{Shown, no_window};
use crate::camera::{Camera, Viewpoint};
use crate::device::GpuError;
use crate::renderer::Renderer;

/// Degrees that the camera goes for each pixel the mouse is dragged.
const TURN: f32 = 0.3;
/// How much nearer a step of the wheel brings.
const STEP: f32 = 0.12;
/// Pixels that are a step of the wheel, where it counts pixels.
const PIXELS_A_STEP: f64 = 40.0;
/// How near and how far the camera goes, in sizes of the herd.
const AWAY: [f32; 2] = [0.02, 20.0];
/// How often the title tells the speed.
const TELL: Duration = Duration::from_millis(500);
/// How often a window that cannot be seen is tried again, and Ctrl-C is asked for.
const AGAIN: Duration = Duration::from_millis(200);

/// A place on the screen for windows.
pub struct Window {
    events: EventLoop<()>,
}

impl Window {
    /// Finds the screen. A program has one of these, made by its main thread.
    pub fn new() -> Result<Self, GpuError> {
        let events = EventLoop::new().map_err(no_window)?;
        Ok(Self { events })
    }

    /// Shows a crowd until the window is closed, for so many frames or until it is `stopped`. Returns how many
    /// were shown. Pictures are drawn as large as the window meanwhile.
    pub fn show(
        self,
        renderer: &mut Renderer,
        from: Viewpoint,
        most: Option<usize>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<usize, GpuError> {
        let size = renderer.options.size;
        let mut viewer = Viewer {
            renderer,
            from,
            most: most.unwrap_or(usize::MAX),
            stopped,
            shown: None,
            failed: None,
            dragged: None,
            mouse: PhysicalPosition::default(),
            clock: Clock::default(),
            frames: 0,
        };
        self.events.run_app(&mut viewer).map_err(no_window)?;
        if let Some(error) = viewer.failed {
            return Err(error);
        }
        let frames = viewer.frames;
        if renderer.options.size != size {
            renderer.resize(size)?;
        }
        Ok(frames)
    }
}

/// Time that can be stopped.
struct Clock {
    seconds: f64,
    last: Instant,
    paused: bool,
    /// Frames since the speed was told, and when that was.
    told: (usize, Instant),
}

impl Default for Clock {
    fn default() -> Self {
        let now = Instant::now();
        Self { seconds: 0.0, last: now, paused: false, told: (0, now) }
    }
}

impl Clock {
    fn tick(&mut self) -> f64 {
        let passed = self.last.elapsed();
        self.last += passed;
        if !self.paused {
            self.seconds += passed.as_secs_f64();
        }
        self.seconds
    }

    /// Frames a second, now and then.
    fn speed(&mut self) -> Option<f64> {
        self.told.0 += 1;
        let passed = self.told.1.elapsed();
        if passed < TELL {
            return None;
        }
        let speed = self.told.0 as f64 / passed.as_secs_f64();
        self.told = (0, Instant::now());
        Some(speed)
    }
}

struct Viewer<'v, 'g> {
    renderer: &'v mut Renderer<'g>,
    from: Viewpoint,
    most: usize,
    stopped: &'v dyn Fn() -> bool,
    shown: Option<Shown>,
    failed: Option<GpuError>,
    /// Where the mouse was when the crowd was last turned by it.
    dragged: Option<PhysicalPosition<f64>>,
    mouse: PhysicalPosition<f64>,
    clock: Clock,
    frames: usize,
}

impl Viewer<'_, '_> {
    fn open(&self, events: &ActiveEventLoop) -> Result<Shown, GpuError> {
        let [width, height] = self.renderer.options.size;
        let attributes = winit::window::Window::default_attributes()
            .with_title("Sinew")
            .with_inner_size(PhysicalSize::new(width, height));
        let window = events.create_window(attributes).map_err(no_window)?;
        Shown::new(self.renderer.gpu, Arc::new(window))
    }

    fn draw(&mut self) -> Result<(), GpuError> {
        let Some(shown) = &mut self.shown else { return Ok(()) };
        let size = shown.size();
        if size.contains(&0) {
            return Ok(());
        }
        if size != self.renderer.options.size {
            self.renderer.resize(size)?;
        }
        let camera = Camera::around(self.renderer.scene().herd(), self.from);
        self.renderer.send_frame(&camera, self.clock.tick());
        if !shown.present(self.renderer)? {
            return self.renderer.gpu.check();
        }
        self.frames += 1;
        if let Some(speed) = self.clock.speed() {
            let count = self.renderer.scene().herd().members.len();
            shown.window.set_title(&format!("Sinew: {count} in all, {speed:.0} frames a second"));
        }
        shown.window.request_redraw();
        self.renderer.gpu.check()
    }

    fn turn(&mut self) {
        let Some(last) = self.dragged.replace(self.mouse) else { return };
        self.from.around -= TURN * (self.mouse.x - last.x) as f32;
        self.from.above = (self.from.above + TURN * (self.mouse.y - last.y) as f32).clamp(1.0, 89.0);
    }

    fn zoom(&mut self, delta: MouseScrollDelta) {
        let steps = match delta {
            MouseScrollDelta::LineDelta(_, lines) => lines,
            MouseScrollDelta::PixelDelta(pixels) => (pixels.y / PIXELS_A_STEP) as f32,
        };
        self.from.away = (self.from.away * (-STEP * steps).exp()).clamp(AWAY[0], AWAY[1]);
    }

    fn end(&mut self, events: &ActiveEventLoop, error: Option<GpuError>) {
        self.failed = self.failed.take().or(error);
        events.exit();
    }
}

impl ApplicationHandler for Viewer<'_, '_> {
    fn new_events(&mut self, _: &ActiveEventLoop, cause: StartCause) {
        if let (StartCause::ResumeTimeReached { .. }, Some(shown)) = (cause, &self.shown) {
            shown.window.request_redraw();
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        if (self.stopped)() {
            self.end(events, None);
        }
        events.set_control_flow(ControlFlow::WaitUntil(Instant::now() + AGAIN));
    }

    /// The surface goes before the screen it is on.
    fn exiting(&mut self, _: &ActiveEventLoop) {
        self.shown = None;
    }

    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.shown.is_some() {
            return;
        }
        match self.open(events) {
            Ok(shown) => {
                shown.window.request_redraw();
                self.shown = Some(shown);
            }
            Err(error) => self.end(events, Some(error)),
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested => self.end(events, None),
            WindowEvent::KeyboardInput { event, .. } if event.state == ElementState::Pressed => {
                match event.logical_key {
                    Key::Named(NamedKey::Escape) => self.end(events, None),
                    Key::Named(NamedKey::Space) if !event.repeat => {
                        self.clock.paused = !self.clock.paused;
                    }
                    _ => {}
                }
            }
            WindowEvent::MouseInput { state, button: MouseButton::Left, .. } => {
                self.dragged = (state == ElementState::Pressed).then_some(self.mouse);
            }
            WindowEvent::CursorMoved { position, .. } => {
                self.mouse = position;
                if self.dragged.is_some() {
                    self.turn();
                }
            }
            WindowEvent::MouseWheel { delta, .. } => self.zoom(delta),
            WindowEvent::Resized(_) => {
                if let Some(shown) = &self.shown {
                    shown.window.request_redraw();
                }
            }
            WindowEvent::RedrawRequested => {
                let drawn = self.draw();
                if drawn.is_err() || self.frames >= self.most {
                    self.end(events, drawn.err());
                }
            }
            _ => {}
        }
    }
}
