// What all shaders share: the layout of the scene's buffers, and skinning.

const NONE: u32 = 0xffffffffu;

struct Frame {
    // World to clip space; nearer is larger, and the far end is infinitely far.
    clip: mat4x4f,
    // Normals of the picture's four sides and its near end, pointing inwards, with their distances.
    planes: array<vec4f, 5>,
    // Where the camera stands, and the time in seconds.
    eye: vec4f,
    right: vec4f,
    up: vec4f,
    forward: vec4f,
    // Towards the sun.
    sun: vec4f,
    // Width, height, pixels per unit at distance one, pixels a level of detail may be off.
    picture: vec4f,
    // How far the ground went by, along x and z; where fog hides half; a length of a body.
    ground: vec4f,
    // Half the sides of the ground that shadows are known of.
    map: vec4f,
    // Instances, whether levels are used, workgroups in a row, samples along a pixel's side.
    counts: vec4u,
}

struct Level {
    first_index: u32,
    index_count: u32,
    // How far off it is, in the model's own units.
    error: f32,
    // Where its list of instances begins.
    list: u32,
    // Where its clusters begin, and their number.
    clusters: u32,
    cluster_count: u32,
    unused: vec2u,
}

struct Model {
    vertices: u32,
    influences: u32,
    per_vertex: u32,
    basis: u32,
    rank: u32,
    // Changes of normals, or NONE.
    normal_basis: u32,
    // Vectors of all poses, of each pose, and of each pose's bones.
    poses: u32,
    pose_size: u32,
    coefficients: u32,
    frames: u32,
    // Frames until it begins again.
    period: u32,
    // Whether it plays backwards after it has played forwards.
    returns: u32,
    fps: f32,
    first_draw: u32,
    level_count: u32,
    // Whether its inside is never seen.
    closed: u32,
    // Baked light: its shapes, their words at each vertex, 0 where there is none, and where in a pose it is.
    light: u32,
    light_words: u32,
    light_pose: u32,
    unused: u32,
    // Middle and radius of a ball around all poses.
    ball: vec4f,
    // Half the width and length of what it stands on, its height.
    foot: vec4f,
    levels: array<Level, 8>,
}

struct Instance {
    // Where it stands, and its scale.
    place: vec4f,
    // Cosine and sine of its turn about the upright axis, its first frame, its rate.
    turn: vec4f,
    model: u32,
    // Where its pose of now is.
    pose: u32,
    tint: u32,
    unused: u32,
}

struct Skinned {
    position: vec3f,
    normal: vec3f,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> words: array<u32>;
@group(0) @binding(2) var<storage, read> models: array<Model>;
@group(0) @binding(3) var<storage, read> instances: array<Instance>;

fn word(at: u32) -> f32 {
    return bitcast<f32>(words[at]);
}

fn three(at: u32) -> vec3f {
    return vec3f(word(at), word(at + 1u), word(at + 2u));
}

// A direction from two numbers of 16 bits: a sphere unfolded to a square (Meyer et al. 2010).
fn direction(packed: u32) -> vec3f {
    let square = unpack2x16snorm(packed);
    var n = vec3f(square, 1.0 - abs(square.x) - abs(square.y));
    let fold = max(-n.z, 0.0);
    n.x += select(fold, -fold, n.x >= 0.0);
    n.y += select(fold, -fold, n.y >= 0.0);
    return normalize(n);
}

fn turned(instance: Instance, v: vec3f) -> vec3f {
    let c = instance.turn.x;
    let s = instance.turn.y;
    return vec3f(c * v.x + s * v.z, v.y, c * v.z - s * v.x);
}

fn placed(instance: Instance, p: vec3f) -> vec3f {
    return instance.place.xyz + instance.place.w * turned(instance, p);
}

fn vertex_color(model: u32, vertex: u32) -> vec3f {
    return unpack4x8unorm(words[models[model].vertices + 5u * vertex + 4u]).rgb;
}
