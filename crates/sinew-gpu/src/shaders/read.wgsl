// Skinned vertices written out, for whoever wants to look at them.

struct Wanted {
    model: u32,
    pose: u32,
    vertices: u32,
    row: u32,
}

@group(1) @binding(0) var<uniform> wanted: Wanted;
@group(1) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn write_out(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
    let vertex = (group.y * wanted.row + group.x) * 64u + thread;
    if (vertex >= wanted.vertices) {
        return;
    }
    let shape = skinned(wanted.model, wanted.pose, vertex);
    for (var i = 0u; i < 3u; i += 1u) {
        out[7u * vertex + i] = shape.position[i];
        out[7u * vertex + 3u + i] = shape.normal[i];
    }
    out[7u * vertex + 6u] = baked_light(wanted.model, wanted.pose, vertex);
}
