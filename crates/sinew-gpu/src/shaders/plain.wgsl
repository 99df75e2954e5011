// The plain that a crowd stands on, and the sky above it.

// How much light reaches the ground, seen from above.
@group(1) @binding(0) var map: texture_2d<f32>;
@group(1) @binding(1) var smooth_map: sampler;

fn chance(cell: vec2i) -> f32 {
    var x = u32(cell.x) * 0x9e3779b1u ^ u32(cell.y) * 0x85ebca77u;
    x = (x ^ (x >> 15u)) * 0x2c1b3c6du;
    x = (x ^ (x >> 12u)) * 0x297a2d39u;
    return f32((x ^ (x >> 15u)) >> 8u) / 16777216.0;
}

fn noise(p: vec2f) -> f32 {
    let cell = vec2i(floor(p));
    let f = fract(p);
    let s = f * f * (3.0 - 2.0 * f);
    let low = mix(chance(cell), chance(cell + vec2i(1, 0)), s.x);
    let high = mix(chance(cell + vec2i(0, 1)), chance(cell + vec2i(1, 1)), s.x);
    return mix(low, high, s.y);
}

fn soil(place: vec3f) -> vec3f {
    let body = frame.ground.w;
    let p = (place.xz + frame.ground.xy) / body;
    // Details smaller than a pixel would only flicker.
    let pixel = length(place - frame.eye.xyz) / (frame.picture.z * body);
    var n = 0.0;
    var sum = 0.0;
    for (var i = 0u; i < 8u; i += 1u) {
        let fine = f32(1u << i) * 0.3;
        let weight = pow(0.78, f32(i));
        n += weight * (1.0 - smoothstep(0.15, 0.6, fine * pixel)) * (noise(p * fine) - 0.5);
        sum += weight;
    }
    let mixed = clamp(0.5 + 2.4 * n / sum, 0.0, 1.0);
    return mix(vec3f(0.30, 0.215, 0.125), vec3f(0.46, 0.405, 0.215), mixed);
}

fn shaded(place: vec3f) -> f32 {
    let at = place.xz / frame.map.xy;
    let light = textureSampleLevel(map, smooth_map, vec2f(0.5, -0.5) * at + 0.5, 0.0).r;
    return select(light, 1.0, max(abs(at.x), abs(at.y)) >= 1.0);
}

// Less than a step of eight bits, up or down, so that the slow change of the sky shows no bands.
fn dithered(color: vec3f, pixel: vec2f) -> vec3f {
    let off = (chance(vec2i(pixel)) - 0.5) / 255.0;
    // As many bits darker or brighter, in linear light: the slope of x^2.2 where x^2.2 is the colour.
    return max(color + off * 2.2 * pow(max(color, vec3f(1e-4)), vec3f(1.2 / 2.2)), vec3f(0.0));
}

fn surroundings_color(ray: vec3f, pixel: vec2f) -> vec3f {
    if (ray.y >= -1e-5) {
        return dithered(toned(sky(ray)), pixel);
    }
    let place = frame.eye.xyz - ray * (frame.eye.y / ray.y);
    let ground = lit(soil(place) * shaded(place), place, vec3f(0.0, 1.0, 0.0), 1.0, 1.0);
    return dithered(toned(ground), pixel);
}
