// Animals drawn by the ordinary way: skinned in the vertex stage.

struct Draw {
    model: u32,
    list: u32,
    number: u32,
    level: u32,
}

struct Fragment {
    @builtin(position) at: vec4f,
    @location(0) place: vec3f,
    @location(1) normal: vec3f,
    // The fourth is light, below 0 where there is none.
    @location(2) color: vec4f,
    @location(3) @interpolate(flat) tint_and_height: vec2u,
}

@group(0) @binding(5) var<storage, read> lists: array<u32>;
@group(1) @binding(0) var<uniform> draw: Draw;

fn fragment(number: u32, vertex: u32, shape: Skinned, light: f32) -> Fragment {
    let instance = instances[number];
    let place = placed(instance, shape.position);
    let height = models[instance.model].foot.z * instance.place.w;
    var out: Fragment;
    out.at = frame.clip * vec4f(place, 1.0);
    out.place = place;
    out.normal = turned(instance, shape.normal);
    out.color = vec4f(vertex_color(instance.model, vertex), light);
    out.tint_and_height = vec2u(instance.tint, bitcast<u32>(height));
    return out;
}

@vertex
fn by_bones(@builtin(vertex_index) vertex: u32, @builtin(instance_index) slot: u32) -> Fragment {
    let number = lists[draw.list + slot];
    let pose = instances[number].pose;
    return fragment(number, vertex, skinned(draw.model, pose, vertex), baked_light(draw.model, pose, vertex));
}

@vertex
fn by_stream(
    @builtin(vertex_index) vertex: u32,
    @builtin(instance_index) number: u32,
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
) -> Fragment {
    // Vertices of all instances stand one after another; colours are there once.
    return fragment(number, vertex - lists[number], Skinned(position, normal), -1.0);
}

// The same where light is sent too.
@vertex
fn by_lit_stream(
    @builtin(vertex_index) vertex: u32,
    @builtin(instance_index) number: u32,
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) light: f32,
) -> Fragment {
    return fragment(number, vertex - lists[number], Skinned(position, normal), light);
}

@fragment
fn shade(in: Fragment, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    let normal = normalize(select(-in.normal, in.normal, front));
    let height = bitcast<f32>(in.tint_and_height.y);
    return vec4f(animal(in.color.rgb, in.tint_and_height.x, in.place, normal, height, in.color.w), 1.0);
}
