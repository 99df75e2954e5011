// What is behind a still picture: a pale wall that goes over into a floor, with the shadow of what stands there.

// How much light reaches the floor, seen from above.
@group(1) @binding(0) var map: texture_2d<f32>;
@group(1) @binding(1) var smooth_map: sampler;

const UPPER: vec3f = vec3f(0.815, 0.847, 0.888);
const LOWER: vec3f = vec3f(0.930, 0.939, 0.956);
// How much of the floor's light a shadow takes away.
const SHADOW: f32 = 0.5;

fn surroundings_color(ray: vec3f, pixel: vec2f) -> vec3f {
    let plain = mix(UPPER, LOWER, clamp(pixel.y / frame.picture.y, 0.0, 1.0));
    if (ray.y >= -1e-5) {
        return plain;
    }
    let place = frame.eye.xyz - ray * (frame.eye.y / ray.y);
    let at = place.xz / frame.map.xy;
    let light = textureSampleLevel(map, smooth_map, vec2f(0.5, -0.5) * at + 0.5, 0.0).r;
    let beyond = max(abs(at.x), abs(at.y)) >= 1.0;
    // Shadows fade before the sides, where the next picture begins.
    let side = clamp(min(pixel.x, frame.picture.x - pixel.x) / (0.12 * frame.picture.x), 0.0, 1.0);
    return plain * select(1.0 - SHADOW * side * (1.0 - light), 1.0, beyond);
}
