//! Shaders made ready.

use wgpu::{
    BindGroup, BindGroupLayout, BindingResource, BindingType, BlendComponent, BlendFactor, BlendOperation,
    BlendState, BufferBindingType, ComputePipeline, Device, Face, PrimitiveTopology, RenderPipeline,
    ShaderModule, ShaderStages, StorageTextureAccess, TextureFormat, TextureSampleType, TextureViewDimension,
    VertexAttribute, VertexBufferLayout, VertexFormat, VertexStepMode,
};

use crate::device::Gpu;

/// What pictures are made of.
pub(crate) const COLOR: TextureFormat = TextureFormat::Rgba8UnormSrgb;
/// What compute shaders write: the same bytes, which they encode on their own.
pub(crate) const PAINTED: TextureFormat = TextureFormat::Rgba8Unorm;
pub(crate) const DEPTH: TextureFormat = TextureFormat::Depth32Float;
/// What the map of shadows is made of.
pub(crate) const SHADOW: TextureFormat = TextureFormat::R8Unorm;

/// Floats of a streamed vertex: position and normal, and light where there is any, filled up to whole eight bytes,
/// which is how memory is handed out.
pub(crate) fn streamed_floats(lit: bool) -> usize {
    if lit { 8 } else { 6 }
}

pub(crate) const COMMON: &str = include_str!("shaders/common.wgsl");
pub(crate) const SKIN: &str = include_str!("shaders/skin.wgsl");

/// Where a crowd stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// On an open plain, under a low sun.
    #[default]
    Plain,
    /// In the studio of still pictures.
    Studio,
}

impl Look {
    /// The shader that lights bodies.
    pub(crate) fn light(self) -> &'static str {
        match self {
            Self::Plain => include_str!("shaders/light.wgsl"),
            Self::Studio => include_str!("shaders/studio.wgsl"),
        }
    }

    /// The shader that draws what is around them.
    pub(crate) fn surroundings(self) -> &'static str {
        match self {
            Self::Plain => include_str!("shaders/plain.wgsl"),
            Self::Studio => include_str!("shaders/room.wgsl"),
        }
    }
}

/// Everything that does not depend on a scene.
pub(crate) struct Pipelines {
    /// The frame, vertices, models, instances.
    pub base: BindGroupLayout,
    /// The same, with poses and lists.
    pub draw: BindGroupLayout,
    /// The map of shadows.
    pub map: BindGroupLayout,
    /// What is written when it is chosen who is seen.
    pub chosen: BindGroupLayout,
    /// Which draw it is.
    pub which: BindGroupLayout,
    pub choose: ComputePipeline,
    pub surroundings: RenderPipeline,
    pub blots: RenderPipeline,
    /// Animals seen from outside only, and from both sides.
    pub bodies: [RenderPipeline; 2],
    pub streamed: [RenderPipeline; 2],
}

impl Pipelines {
    /// `lit` is whether light is streamed, where vertices are.
    pub fn new(gpu: &Gpu, look: Look, samples: u32, lit: bool) -> Self {
        let device = &gpu.device;
        let (light, around) = (look.light(), look.surroundings());
        let base = layout(device, &[Binding::Uniform, READ, READ, READ]);
        let draw = layout(device, &[Binding::Uniform, READ, READ, READ, READ, READ]);
        let map = layout(device, &[Binding::Texture, Binding::Sampler]);
        let chosen = layout(device, &[READ, WRITE, WRITE, WRITE]);
        let which = layout(device, &[Binding::Offset]);
        let choosing = module(device, "choose", &[COMMON, include_str!("shaders/choose.wgsl")]);
        let drawing = module(device, "draw", &[COMMON, SKIN, light, include_str!("shaders/draw.wgsl")]);
        let ground = module(device, "ground", &[COMMON, light, around, include_str!("shaders/ground.wgsl")]);
        let blots = module(device, "blots", &[COMMON, include_str!("shaders/blots.wgsl")]);
        let picture = How { samples, format: Some(COLOR), depth: Some(false), ..How::default() };
        let bodies = |entry: &str, streamed: Option<bool>| {
            [Some(Face::Back), None].map(|cull| {
                let how = How { cull, streamed, depth: Some(true), ..picture };
                render_pipeline(device, &[&draw, &which], &drawing, [entry, "shade"], how)
            })
        };
        let darken = How { samples: 1, format: Some(SHADOW), ..How::default() };
        Self {
            choose: compute_pipeline(device, &[&base, &chosen], &choosing, "choose"),
            surroundings: render_pipeline(
                device,
                &[&base, &map],
                &ground,
                ["everywhere", "surroundings"],
                picture,
            ),
            blots: render_pipeline(device, &[&base], &blots, ["under", "blot"], darken),
            bodies: bodies("by_bones", None),
            streamed: bodies(if lit { "by_lit_stream" } else { "by_stream" }, Some(lit)),
            base,
            draw,
            map,
            chosen,
            which,
        }
    }
}

/// One thing that a shader reads or writes.
#[derive(Clone, Copy)]
pub(crate) enum Binding {
    Uniform,
    /// A uniform that is one of several in a buffer.
    Offset,
    Storage {
        read_only: bool,
    },
    Texture,
    Sampler,
    /// A texture that is written.
    Painted,
}

pub(crate) const READ: Binding = Binding::Storage { read_only: true };
pub(crate) const WRITE: Binding = Binding::Storage { read_only: false };

pub(crate) fn layout(device: &Device, bindings: &[Binding]) -> BindGroupLayout {
    let buffer =
        |ty, has_dynamic_offset| BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None };
    let entry = |(number, binding): (usize, &Binding)| {
        let ty = match *binding {
            Binding::Uniform => buffer(BufferBindingType::Uniform, false),
            Binding::Offset => buffer(BufferBindingType::Uniform, true),
            Binding::Storage { read_only } => buffer(BufferBindingType::Storage { read_only }, false),
            Binding::Texture => BindingType::Texture {
                sample_type: TextureSampleType::Float { filterable: true },
                view_dimension: TextureViewDimension::D2,
                multisampled: false,
            },
            Binding::Sampler => BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
            Binding::Painted => BindingType::StorageTexture {
                access: StorageTextureAccess::WriteOnly,
                format: PAINTED,
                view_dimension: TextureViewDimension::D2,
            },
        };
        let written = matches!(binding, Binding::Storage { read_only: false } | Binding::Painted);
        let all = ShaderStages::VERTEX_FRAGMENT | ShaderStages::COMPUTE;
        let visibility = if written { ShaderStages::COMPUTE } else { all };
        wgpu::BindGroupLayoutEntry { binding: number as u32, visibility, ty, count: None }
    };
    let entries: Vec<_> = bindings.iter().enumerate().map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
}

/// Binds buffers.
pub(crate) fn bind(device: &Device, layout: &BindGroupLayout, buffers: &[&wgpu::Buffer]) -> BindGroup {
    let resources: Vec<_> = buffers.iter().map(|buffer| buffer.as_entire_binding()).collect();
    bind_all(device, layout, resources)
}

/// Binds anything.
pub(crate) fn bind_all(
    device: &Device,
    layout: &BindGroupLayout,
    resources: Vec<BindingResource>,
) -> BindGroup {
    let entries: Vec<_> =
        (0..).zip(resources).map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource }).collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

pub(crate) fn module(device: &Device, label: &str, parts: &[&str]) -> ShaderModule {
    let source = wgpu::ShaderSource::Wgsl(parts.concat().into());
    device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source })
}

fn pipeline_layout(device: &Device, layouts: &[&BindGroupLayout]) -> wgpu::PipelineLayout {
    let layouts: Vec<Option<&BindGroupLayout>> = layouts.iter().map(|l| Some(*l)).collect();
    device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &layouts,
        immediate_size: 0,
    })
}

pub(crate) fn compute_pipeline(
    device: &Device,
    layouts: &[&BindGroupLayout],
    module: &ShaderModule,
    entry: &str,
) -> ComputePipeline {
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry),
        layout: Some(&pipeline_layout(device, layouts)),
        module,
        entry_point: Some(entry),
        compilation_options: wgpu::PipelineCompilationOptions {
            // Workgroups write what they read.
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        },
        cache: None,
    })
}

/// How triangles are drawn.
#[derive(Clone, Copy, Default)]
pub(crate) struct How {
    pub cull: Option<Face>,
    /// Where vertices come from a buffer of their own: whether with light.
    pub streamed: Option<bool>,
    /// Whether near things hide far ones, where there is a depth to tell.
    pub depth: Option<bool>,
    pub format: Option<TextureFormat>,
    pub samples: u32,
}

pub(crate) fn render_pipeline(
    device: &Device,
    layouts: &[&BindGroupLayout],
    module: &ShaderModule,
    [vertex, fragment]: [&str; 2],
    how: How,
) -> RenderPipeline {
    let attribute = |shader_location, format, offset| VertexAttribute { format, offset, shader_location };
    let attributes = [
        attribute(0, VertexFormat::Float32x3, 0),
        attribute(1, VertexFormat::Float32x3, 12),
        attribute(2, VertexFormat::Float32, 24),
    ];
    let lit = how.streamed.unwrap_or(false);
    let streamed = [Some(VertexBufferLayout {
        array_stride: 4 * streamed_floats(lit) as u64,
        step_mode: VertexStepMode::Vertex,
        attributes: if lit { &attributes } else { &attributes[..2] },
    })];
    // Shadows take their share of what is left, in any order.
    let darken = BlendComponent {
        src_factor: BlendFactor::Zero,
        dst_factor: BlendFactor::OneMinusSrcAlpha,
        operation: BlendOperation::Add,
    };
    let darkens = how.format == Some(SHADOW);
    let target = how.format.map(|format| wgpu::ColorTargetState {
        format,
        blend: darkens.then_some(BlendState { color: darken, alpha: darken }),
        write_mask: wgpu::ColorWrites::ALL,
    });
    let topology = if darkens { PrimitiveTopology::TriangleStrip } else { PrimitiveTopology::TriangleList };
    let depth_stencil = how.depth.map(|hides| wgpu::DepthStencilState {
        format: DEPTH,
        depth_write_enabled: Some(hides),
        depth_compare: Some(match hides {
            true => wgpu::CompareFunction::Greater,
            false => wgpu::CompareFunction::Always,
        }),
        stencil: Default::default(),
        bias: Default::default(),
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(vertex),
        layout: Some(&pipeline_layout(device, layouts)),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(vertex),
            compilation_options: Default::default(),
            buffers: if how.streamed.is_some() { &streamed } else { &[] },
        },
        primitive: wgpu::PrimitiveState { topology, cull_mode: how.cull, ..Default::default() },
        depth_stencil,
        multisample: wgpu::MultisampleState { count: how.samples, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(fragment),
            compilation_options: Default::default(),
            targets: &[target],
        }),
        multiview_mask: None,
        cache: None,
    })
}
