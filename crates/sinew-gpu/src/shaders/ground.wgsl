// Sky and ground behind what is drawn by the ordinary way.

struct Ray {
    @builtin(position) at: vec4f,
    @location(0) direction: vec3f,
}

@vertex
fn everywhere(@builtin(vertex_index) corner: u32) -> Ray {
    // One triangle that covers the picture.
    let at = vec2f(f32((corner << 1u) & 2u), f32(corner & 2u)) * 2.0 - 1.0;
    let across = frame.picture.xy * 0.5 / frame.picture.z;
    let direction = frame.forward.xyz + at.x * across.x * frame.right.xyz + at.y * across.y * frame.up.xyz;
    return Ray(vec4f(at, 0.0, 1.0), direction);
}

@fragment
fn surroundings(in: Ray) -> @location(0) vec4f {
    return vec4f(surroundings_color(normalize(in.direction), floor(in.at.xy)), 1.0);
}
