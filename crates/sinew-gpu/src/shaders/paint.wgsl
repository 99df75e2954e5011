// The colours of what was drawn by compute shaders.

@group(0) @binding(5) var<storage, read> lists: array<u32>;
@group(2) @binding(0) var<storage, read> plan: array<Planned>;
@group(2) @binding(1) var<storage, read> indices: array<u32>;
// Which triangle, then how near.
@group(2) @binding(2) var<storage, read> picture: array<vec2u>;
@group(2) @binding(3) var painted: texture_storage_2d<rgba8unorm, write>;

fn encoded(x: vec3f) -> vec3f {
    return select(1.055 * pow(x, vec3f(1.0 / 2.4)) - 0.055, 12.92 * x, x <= vec3f(0.0031308));
}

fn ray_at(sample: vec2f) -> vec3f {
    let middle = 0.5 * frame.picture.xy;
    let at = (sample / f32(frame.counts.w) - middle) / frame.picture.z;
    return frame.forward.xyz + at.x * frame.right.xyz - at.y * frame.up.xyz;
}

fn triangle_color(id: u32, ray: vec3f) -> vec3f {
    let found = found_triangle(id);
    let instance = instances[found.instance];
    var places: array<vec3f, 3>;
    var normals: array<vec3f, 3>;
    var colors: array<vec3f, 3>;
    var lights: vec3f;
    for (var i = 0u; i < 3u; i += 1u) {
        let vertex = indices[found.first_index + i];
        let shape = skinned(instance.model, instance.pose, vertex);
        places[i] = placed(instance, shape.position);
        normals[i] = normalize(turned(instance, shape.normal));
        colors[i] = vertex_color(instance.model, vertex);
        lights[i] = baked_light(instance.model, instance.pose, vertex);
    }
    // Where the ray meets the triangle's plane, as shares of its corners.
    let ab = places[1] - places[0];
    let ac = places[2] - places[0];
    let face = cross(ab, ac);
    let offset = frame.eye.xyz - places[0];
    let across = cross(ray, offset);
    let scale = 1.0 / dot(ray, face);
    var share = vec3f(0.0, dot(across, ac) * scale, -dot(across, ab) * scale);
    share.x = 1.0 - share.y - share.z;
    share = clamp(share, vec3f(0.0), vec3f(1.0));
    share /= share.x + share.y + share.z;
    let place = places[0] * share.x + places[1] * share.y + places[2] * share.z;
    let normal = normals[0] * share.x + normals[1] * share.y + normals[2] * share.z;
    let side = select(1.0, -1.0, dot(face, offset) < 0.0);
    let color = colors[0] * share.x + colors[1] * share.y + colors[2] * share.z;
    let height = models[instance.model].foot.z * instance.place.w;
    return animal(color, instance.tint, place, normalize(side * normal), height, dot(lights, share));
}

@compute @workgroup_size(8, 8)
fn paint(@builtin(global_invocation_id) pixel: vec3u) {
    let size = vec2u(frame.picture.xy);
    if (pixel.x >= size.x || pixel.y >= size.y) {
        return;
    }
    let grid = frame.counts.w;
    var sum = vec3f(0.0);
    var behind = vec3f(-1.0);
    var last = vec2u(0u);
    var color = vec3f(0.0);
    for (var i = 0u; i < grid * grid; i += 1u) {
        let at = pixel.xy * grid + vec2u(i % grid, i / grid);
        let found = picture[at.y * size.x * grid + at.x];
        let sample = vec2f(at) + 0.5;
        if (found.y == 0u) {
            if (behind.x < 0.0) {
                let at_middle = (vec2f(pixel.xy) + 0.5) * f32(grid);
                behind = surroundings_color(normalize(ray_at(at_middle)), vec2f(pixel.xy));
            }
            sum += behind;
            continue;
        }
        // Samples of a pixel that show the same triangle have the same colour, but for what no eye sees.
        if (i == 0u || last.y == 0u || found.x != last.x) {
            color = triangle_color(found.x, ray_at(sample));
            last = found;
        }
        sum += color;
    }
    textureStore(painted, pixel.xy, vec4f(encoded(sum / f32(grid * grid)), 1.0));
}
