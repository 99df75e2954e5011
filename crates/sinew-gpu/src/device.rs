//! The GPU, and what can go wrong with it.

use std::sync::{Arc, Mutex, PoisonError};

use wgpu::{Backends, Buffer, BufferUsages, Device, DeviceType, Features, PollType, Queue};

/// Why something could not be done on the GPU.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GpuError {
    /// There is none.
    #[error(
        "there is no GPU that can be used; a software driver will do (on Debian: mesa-vulkan-drivers and \
         libvulkan1)"
    )]
    NoAdapter,
    /// There is none of this name.
    #[error("there is no GPU named like \"{name}\"; there are: {found}")]
    NoSuchAdapter {
        /// The name asked for.
        name: String,
        /// Those that are there.
        found: String,
    },
    /// The driver refuses.
    #[error("{adapter} cannot be used: {reason}")]
    Device {
        /// The GPU.
        adapter: String,
        /// What the driver says.
        reason: String,
    },
    /// It went away in the middle of the work.
    #[error("the GPU was lost: {0}")]
    Lost(String),
    /// Its memory is full.
    #[error("the GPU's memory is full; fewer instances or a smaller picture need less")]
    OutOfMemory,
    /// More than fits one buffer or texture.
    #[error(
        "{what} would take {bytes} bytes, and {adapter} holds at most {limit} in one piece; fewer instances, \
         frames or vertices need less"
    )]
    TooLarge {
        /// What does not fit.
        what: &'static str,
        /// Bytes it needs.
        bytes: u64,
        /// Bytes there may be.
        limit: u64,
        /// The GPU.
        adapter: String,
    },
    /// A picture that is empty or too large.
    #[error(
        "a picture of {width} x {height} pixels cannot be drawn; each side is 1 to {largest} pixels long"
    )]
    Size {
        /// Width asked for.
        width: u32,
        /// Height asked for.
        height: u32,
        /// The longest side there can be.
        largest: u32,
    },
    /// Compute shaders cannot draw here.
    #[error(
        "{adapter} cannot draw this crowd in compute shaders: that needs 64-bit atomic operations, \
         fewer than 4 billion triangles in all and a few million in a rig; the ordinary way can"
    )]
    NoCompute {
        /// The GPU.
        adapter: String,
    },
    /// No window can be opened.
    #[cfg(feature = "window")]
    #[error("no window can be opened: {0}")]
    NoWindow(String),
    /// There is nobody to draw.
    #[error("a crowd needs at least one rig with triangles and frames, and one instance")]
    Nobody,
    /// Light of another rig.
    #[error("the light is that of other vertices or frames")]
    OtherLight,
    /// The rig contradicts itself.
    #[error(transparent)]
    Rig(#[from] sinew::rig::RigError),
    /// A fault of ours, or of the driver.
    #[error("the GPU refuses the work: {0}")]
    Refused(String),
}

impl From<wgpu::Error> for GpuError {
    fn from(error: wgpu::Error) -> Self {
        match error {
            wgpu::Error::OutOfMemory { .. } => Self::OutOfMemory,
            other => Self::Refused(other.to_string()),
        }
    }
}

/// What drawing in compute shaders needs, where it is there.
const WIDE_ATOMICS: Features = Features::SHADER_INT64.union(Features::SHADER_INT64_ATOMIC_MIN_MAX);

/// An opened GPU. It remembers the first thing that went wrong.
pub struct Gpu {
    pub(crate) device: Device,
    pub(crate) queue: Queue,
    /// What windows are opened with.
    #[cfg_attr(not(feature = "window"), expect(dead_code, reason = "only windows need it again"))]
    pub(crate) system: (wgpu::Instance, wgpu::Adapter),
    adapter: String,
    first_error: Arc<Mutex<Option<GpuError>>>,
}

impl Gpu {
    /// Opens the fastest GPU there is, or the first whose name contains `name`, large and small letters
    /// being the same. Software drivers come last.
    pub fn open(name: Option<&str>) -> Result<Self, GpuError> {
        Self::open_within(name, u64::MAX)
    }

    /// The same, with buffers of at most so many bytes: what does not fit is refused as on a smaller GPU.
    pub fn open_within(name: Option<&str>, largest_buffer: u64) -> Result<Self, GpuError> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        // Arguments of indirect calls are written by shaders of ours, which keep within the limits.
        descriptor.flags.remove(wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL);
        let instance = wgpu::Instance::new(descriptor);
        let mut adapters: Vec<wgpu::Adapter> =
            pollster::block_on(instance.enumerate_adapters(Backends::all()));
        if adapters.is_empty() {
            return Err(GpuError::NoAdapter);
        }
        adapters.sort_by_key(|adapter| rank(adapter.get_info().device_type));
        let wanted = name.map(str::to_lowercase);
        let fits = |adapter: &&wgpu::Adapter| {
            wanted.as_ref().is_none_or(|name| adapter.get_info().name.to_lowercase().contains(name))
        };
        match adapters.iter().find(fits) {
            Some(adapter) => Self::of(instance, adapter, largest_buffer),
            None => {
                let names: Vec<String> = adapters.iter().map(|a| a.get_info().name).collect();
                let name = name.unwrap_or_default().into();
                Err(GpuError::NoSuchAdapter { name, found: names.join(", ") })
            }
        }
    }

    fn of(instance: wgpu::Instance, adapter: &wgpu::Adapter, largest_buffer: u64) -> Result<Self, GpuError> {
        let info = adapter.get_info();
        let mut limits = adapter.limits();
        limits.max_buffer_size = limits.max_buffer_size.min(largest_buffer);
        limits.max_storage_buffer_binding_size = limits.max_storage_buffer_binding_size.min(largest_buffer);
        let name = match info.driver_info.as_str() {
            "" => info.name,
            driver => format!("{} ({} {driver})", info.name, info.driver),
        };
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("sinew"),
            required_features: adapter.features() & WIDE_ATOMICS,
            required_limits: limits,
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request)
            .map_err(|e| GpuError::Device { adapter: name.clone(), reason: e.to_string() })?;
        let first_error = Arc::new(Mutex::new(None));
        let keep = |errors: &Mutex<Option<GpuError>>, error: GpuError| {
            errors.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        };
        let errors = first_error.clone();
        device.on_uncaptured_error(Arc::new(move |error| keep(&errors, error.into())));
        let errors = first_error.clone();
        device.set_device_lost_callback(move |_, reason| {
            // Whatever else was refused was refused because of that.
            let mut first = errors.lock().unwrap_or_else(PoisonError::into_inner);
            if !matches!(*first, Some(GpuError::OutOfMemory)) {
                *first = Some(GpuError::Lost(reason));
            }
        });
        Ok(Self { device, queue, system: (instance, adapter.clone()), adapter: name, first_error })
    }

    /// The name of the GPU and its driver.
    pub fn adapter(&self) -> &str {
        &self.adapter
    }

    /// Whether 64 bits can be compared and exchanged in one go, which drawing in compute shaders needs.
    pub(crate) fn has_wide_atomics(&self) -> bool {
        self.device.features().contains(WIDE_ATOMICS)
    }

    /// Whether it is the CPU that does the work.
    pub fn is_software(&self) -> bool {
        self.device.adapter_info().device_type == DeviceType::Cpu
    }

    /// The first thing that went wrong since the GPU was opened.
    pub fn check(&self) -> Result<(), GpuError> {
        let first = || self.first_error.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if matches!(first(), Some(GpuError::Refused(_))) {
            // A GPU that was lost says so when it is asked, and that is then the reason.
            let _ = self.device.poll(PollType::Poll);
        }
        first().map_or(Ok(()), Err)
    }

    /// Waits until all work is done.
    pub fn finish(&self) -> Result<(), GpuError> {
        let waited = self.device.poll(PollType::Wait { submission_index: None, timeout: None });
        self.check()?;
        waited.map(|_| ()).map_err(|e| GpuError::Lost(e.to_string()))
    }

    /// A buffer without contents. Of zero bytes none can be made: it has at least a few.
    pub(crate) fn buffer(
        &self,
        what: &'static str,
        bytes: u64,
        usage: BufferUsages,
    ) -> Result<Buffer, GpuError> {
        let limits = self.device.limits();
        let limit = match usage.intersects(BufferUsages::STORAGE) {
            true => limits.max_buffer_size.min(limits.max_storage_buffer_binding_size),
            false => limits.max_buffer_size,
        };
        if bytes > limit {
            return Err(GpuError::TooLarge { what, bytes, limit, adapter: self.adapter.clone() });
        }
        let size = bytes.max(16).next_multiple_of(4);
        let descriptor = wgpu::BufferDescriptor { label: Some(what), size, usage, mapped_at_creation: false };
        let buffer = self.device.create_buffer(&descriptor);
        self.check()?;
        Ok(buffer)
    }

    /// A buffer with contents.
    pub(crate) fn filled<T: bytemuck::Pod>(
        &self,
        what: &'static str,
        contents: &[T],
        usage: BufferUsages,
    ) -> Result<Buffer, GpuError> {
        let bytes: &[u8] = bytemuck::cast_slice(contents);
        let buffer = self.buffer(what, bytes.len() as u64, usage | BufferUsages::COPY_DST)?;
        self.queue.write_buffer(&buffer, 0, bytes);
        Ok(buffer)
    }

    /// The contents of a buffer that can be copied from.
    pub(crate) fn read(&self, buffer: &Buffer, bytes: u64) -> Result<Vec<u8>, GpuError> {
        let staging = self.buffer("copy", bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, bytes);
        self.queue.submit([encoder.finish()]);
        self.read_mapped(&staging)
    }

    /// The contents of a buffer that can be mapped.
    pub(crate) fn read_mapped(&self, staging: &Buffer) -> Result<Vec<u8>, GpuError> {
        let failed = Arc::new(Mutex::new(None));
        let outcome = failed.clone();
        staging.map_async(wgpu::MapMode::Read, .., move |result| {
            *outcome.lock().unwrap_or_else(PoisonError::into_inner) = result.err().map(|e| e.to_string());
        });
        self.finish()?;
        if let Some(reason) = failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(GpuError::Lost(reason));
        }
        let view = staging.get_mapped_range(..).map_err(|e| GpuError::Refused(e.to_string()))?;
        let bytes = view.to_vec();
        drop(view);
        staging.unmap();
        Ok(bytes)
    }
}

/// Faster kinds of GPU first.
fn rank(kind: DeviceType) -> u8 {
    match kind {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_memory_has_a_sentence() {
        let full = wgpu::Error::OutOfMemory { source: "no room".into() };
        assert!(GpuError::from(full).to_string().contains("memory is full"));
    }

    #[test]
    fn a_gpu_that_goes_away_has_a_sentence() {
        let gpu = match Gpu::open(None) {
            Err(GpuError::NoAdapter) if std::env::var_os("VK_ICD_FILENAMES").is_none() => return,
            gpu => gpu.unwrap(),
        };
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let buffer = gpu.filled("numbers", &[1_u32, 2, 3, 4], usage).unwrap();
        assert_eq!(gpu.read(&buffer, 16).unwrap()[4], 2);
        gpu.device.destroy();
        let error = gpu.read(&buffer, 16).unwrap_err();
        assert!(error.to_string().starts_with("the GPU was lost"), "{error}");
        // And it stays so.
        assert!(matches!(gpu.buffer("more", 16, usage), Err(GpuError::Lost(_))));
    }
}
