// Triangles drawn by compute shaders, for GPUs whose ordinary way of drawing is the narrower one, and for
// triangles that are smaller than pixels.
//
// One workgroup skins and projects the vertices of one cluster of one instance, then each thread draws
// triangles of it. A sample of the picture is 64 bits: how near, then which triangle; the largest stays.

struct Draw {
    model: u32,
    list: u32,
    number: u32,
    level: u32,
}

@group(0) @binding(5) var<storage, read> lists: array<u32>;
@group(1) @binding(0) var<uniform> draw: Draw;
@group(2) @binding(0) var<storage, read> plan: array<Planned>;
@group(2) @binding(1) var<storage, read> clusters: array<u32>;
@group(2) @binding(2) var<storage, read> indices: array<u32>;
@group(2) @binding(3) var<storage, read_write> picture: array<atomic<u64>>;
// Triangles too large for one thread; their number first.
@group(2) @binding(4) var<storage, read_write> large: array<atomic<u32>>;

// Samples a thread draws on its own.
const SMALL: i32 = 256;

var<workgroup> corners: array<vec3f, 64>;

// Samples to the right and down, and how near: 0 infinitely far, 1 at the near plane, negative before that.
fn projected(clip: vec4f) -> vec3f {
    let size = frame.picture.xy * f32(frame.counts.w);
    let at = (vec2f(0.5, -0.5) * clip.xy / clip.w + 0.5) * size;
    return vec3f(at, select(-1.0, clip.z / clip.w, clip.w >= clip.z));
}

fn clip_place(model: u32, instance: Instance, vertex: u32) -> vec4f {
    let place = placed(instance, skinned(model, instance.pose, vertex).position);
    return frame.clip * vec4f(place, 1.0);
}

struct Box {
    low: vec2i,
    high: vec2i,
}

// Samples whose middles are in the box around a triangle.
fn box_of(a: vec2f, b: vec2f, c: vec2f) -> Box {
    let last = frame.picture.xy * f32(frame.counts.w) - 1.0;
    let low = clamp(ceil(min(min(a, b), c) - 0.5), vec2f(0.0), last + 1.0);
    let high = clamp(floor(max(max(a, b), c) - 0.5), vec2f(-1.0), last);
    return Box(vec2i(low), vec2i(high));
}

// Whether a triangle is turned away from the camera, in samples that count downwards.
fn is_hidden(area: f32, closed: bool) -> bool {
    return area == 0.0 || (closed && area > 0.0);
}

fn draw_sample(at: vec2i, a: vec3f, b: vec3f, c: vec3f, scale: f32, id: u32) {
    let p = vec2f(at) + 0.5 - a.xy;
    let ab = b.xy - a.xy;
    let ac = c.xy - a.xy;
    let v = (p.x * ac.y - p.y * ac.x) * scale;
    let w = (ab.x * p.y - ab.y * p.x) * scale;
    if (v >= 0.0 && w >= 0.0 && v + w <= 1.0) {
        let near = a.z + v * (b.z - a.z) + w * (c.z - a.z);
        let value = (u64(bitcast<u32>(max(near, 1e-30))) << 32u) | u64(id);
        let place = u32(at.y) * (u32(frame.picture.x) * frame.counts.w) + u32(at.x);
        atomicMax(&picture[place], value);
    }
}

@compute @workgroup_size(64)
fn draw_clusters(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
    let slot = group.z * frame.counts.z + group.y;
    let there = slot < plan[draw.number].instances;
    let number = lists[draw.list + min(slot, max(plan[draw.number].instances, 1u) - 1u)];
    let head = models[draw.model].levels[draw.level].clusters + 4u * group.x;
    let counts = select(0u, clusters[head + 3u], there);
    if (thread < (counts & 0xffffu)) {
        let vertex = clusters[clusters[head] + thread];
        corners[thread] = projected(clip_place(draw.model, instances[number], vertex));
    }
    workgroupBarrier();
    let closed = models[draw.model].closed != 0u;
    let first = plan[draw.number].first + slot * plan[draw.number].triangles + clusters[head + 2u];
    let triangle_count = counts >> 16u;
    for (var t = thread; t < triangle_count; t += 64u) {
        let packed = clusters[clusters[head + 1u] + t];
        let a = corners[packed & 0xffu];
        let b = corners[(packed >> 8u) & 0xffu];
        let c = corners[packed >> 16u];
        let nearest = min(min(a.z, b.z), c.z);
        if (nearest <= 0.0) {
            // What reaches through the near plane is cut where large triangles are drawn.
            if (max(max(a.z, b.z), c.z) > 0.0) {
                let place = atomicAdd(&large[0], 1u);
                if (place + 1u < arrayLength(&large)) {
                    atomicStore(&large[place + 1u], first + t);
                }
            }
            continue;
        }
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if (is_hidden(area, closed)) {
            continue;
        }
        let around = box_of(a.xy, b.xy, c.xy);
        let size = around.high - around.low + 1;
        if (size.x <= 0 || size.y <= 0) {
            continue;
        }
        if (size.x * size.y > SMALL || max(size.x, size.y) > SMALL) {
            let place = atomicAdd(&large[0], 1u);
            if (place + 1u < arrayLength(&large)) {
                atomicStore(&large[place + 1u], first + t);
                continue;
            }
        }
        for (var y = around.low.y; y <= around.high.y; y += 1) {
            for (var x = around.low.x; x <= around.high.x; x += 1) {
                draw_sample(vec2i(x, y), a, b, c, 1.0 / area, first + t);
            }
        }
    }
}

@compute @workgroup_size(64)
fn draw_large(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
    let number = group.y * frame.counts.z + group.x;
    if (number >= min(atomicLoad(&large[0]), arrayLength(&large) - 1u)) {
        return;
    }
    let id = atomicLoad(&large[number + 1u]);
    let found = found_triangle(id);
    let instance = instances[found.instance];
    var whole: array<vec4f, 3>;
    for (var i = 0u; i < 3u; i += 1u) {
        whole[i] = clip_place(instance.model, instance, indices[found.first_index + i]);
    }
    // What is left before the near plane: three or four corners (Sutherland and Hodgman 1974).
    var kept: array<vec3f, 4>;
    var count = 0u;
    for (var i = 0u; i < 3u; i += 1u) {
        let start = whole[i];
        let end = whole[(i + 1u) % 3u];
        let before = start.w - start.z;
        let after = end.w - end.z;
        if (before >= 0.0) {
            kept[count] = projected(start);
            count += 1u;
        }
        if ((before >= 0.0) != (after >= 0.0)) {
            var cut = mix(start, end, before / (before - after));
            // Rounding must not put it behind the plane again.
            cut.w = cut.z;
            kept[count] = projected(cut);
            count += 1u;
        }
    }
    let closed = models[instance.model].closed != 0u;
    for (var i = 2u; i < count; i += 1u) {
        let a = kept[0];
        let b = kept[i - 1u];
        let c = kept[i];
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if (is_hidden(area, closed)) {
            continue;
        }
        let around = box_of(a.xy, b.xy, c.xy);
        let size = max(around.high - around.low + 1, vec2i(0));
        let wide = u32(size.x);
        for (var at = thread; at < wide * u32(size.y); at += 64u) {
            draw_sample(around.low + vec2i(i32(at % wide), i32(at / wide)), a, b, c, 1.0 / area, id);
        }
    }
}
