// The soft darkness under each animal, drawn once on a map of the ground.

struct Blot {
    @builtin(position) at: vec4f,
    // Relative to where the animal stands, in its own directions.
    @location(0) local: vec2f,
    @location(1) @interpolate(flat) number: u32,
}

// Where the shadow of the middle of the body falls, in the animal's own directions.
fn thrown(instance: Instance, height: f32) -> vec2f {
    let along = -frame.sun.xz / frame.sun.y * height * 0.38;
    let c = instance.turn.x;
    let s = instance.turn.y;
    return vec2f(c * along.x - s * along.y, s * along.x + c * along.y);
}

@vertex
fn under(@builtin(vertex_index) corner: u32, @builtin(instance_index) number: u32) -> Blot {
    let instance = instances[number];
    let foot = models[instance.model].foot;
    let middle = 0.5 * thrown(instance, foot.z);
    let reach = foot.xy * 1.5 + abs(middle);
    let side = vec2f(f32(corner & 1u), f32(corner >> 1u)) * 2.0 - 1.0;
    let local = middle + side * reach;
    var out: Blot;
    out.local = local;
    let place = placed(instance, vec3f(local.x, 0.0, local.y));
    out.at = vec4f(place.xz / frame.map.xy, 0.0, 1.0);
    out.number = number;
    return out;
}

fn soft(offset: vec2f, radius: vec2f) -> f32 {
    let d = length(offset / radius);
    return 1.0 - smoothstep(0.35, 1.0, d);
}

@fragment
fn blot(in: Blot) -> @location(0) vec4f {
    let instance = instances[in.number];
    let foot = models[instance.model].foot;
    let contact = 0.5 * soft(in.local, foot.xy * vec2f(1.4, 1.1));
    let shadow = 0.45 * soft(in.local - thrown(instance, foot.z), foot.xy * vec2f(1.25, 1.05));
    return vec4f(0.0, 0.0, 0.0, 1.0 - (1.0 - contact) * (1.0 - shadow));
}
