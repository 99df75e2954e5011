// A picture shown in a window.

@group(0) @binding(0) var picture: texture_2d<f32>;

@vertex
fn everywhere(@builtin(vertex_index) corner: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(f32((corner << 1u) & 2u), f32(corner & 2u)) * 2.0 - 1.0, 0.0, 1.0);
}

// What was decoded when it was read is encoded again.
@fragment
fn show_decoded(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let x = textureLoad(picture, vec2u(at.xy), 0).rgb;
    return vec4f(select(1.055 * pow(x, vec3f(1.0 / 2.4)) - 0.055, 12.92 * x, x <= vec3f(0.0031308)), 1.0);
}

@fragment
fn show_encoded(@builtin(position) at: vec4f) -> @location(0) vec4f {
    return vec4f(textureLoad(picture, vec2u(at.xy), 0).rgb, 1.0);
}
