// One workgroup an instance: is it seen, how finely is it drawn, and what is its pose now.

@group(1) @binding(0) var<storage, read> poses: array<vec4f>;
@group(1) @binding(1) var<storage, read_write> now: array<vec4f>;
@group(1) @binding(2) var<storage, read_write> lists: array<u32>;
// Arguments of one indexed draw for each level of each model.
@group(1) @binding(3) var<storage, read_write> draws: array<atomic<u32>>;

fn is_seen(middle: vec3f, radius: f32) -> bool {
    for (var i = 0u; i < 5u; i += 1u) {
        if (dot(frame.planes[i].xyz, middle) + frame.planes[i].w < -radius) {
            return false;
        }
    }
    return true;
}

// The coarsest level that is off by no more pixels than allowed.
fn level(model: u32, middle: vec3f, radius: f32, scale: f32) -> u32 {
    if (frame.counts.y == 0u) {
        return 0u;
    }
    let distance = max(length(middle - frame.eye.xyz) - radius, 1e-3 * radius);
    let allowed = frame.picture.w * distance / (frame.picture.z * scale);
    var chosen = 0u;
    for (var i = 1u; i < models[model].level_count; i += 1u) {
        if (models[model].levels[i].error <= allowed) {
            chosen = i;
        }
    }
    return chosen;
}

@compute @workgroup_size(64)
fn choose(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
    let number = group.y * frame.counts.z + group.x;
    if (number >= frame.counts.x) {
        return;
    }
    let instance = instances[number];
    let model = instance.model;
    let middle = placed(instance, models[model].ball.xyz);
    let radius = models[model].ball.w * instance.place.w;
    if (!is_seen(middle, radius)) {
        return;
    }
    if (thread == 0u) {
        let chosen = level(model, middle, radius, instance.place.w);
        let draw = models[model].first_draw + chosen;
        let slot = atomicAdd(&draws[5u * draw + 1u], 1u);
        lists[models[model].levels[chosen].list + slot] = number;
    }
    // Between which two frames it is.
    let period = f32(models[model].period);
    let elapsed = instance.turn.z + frame.eye.w * models[model].fps * instance.turn.w;
    let time = elapsed - period * floor(elapsed / period);
    let whole = min(u32(time), models[model].period - 1u);
    let share = clamp(time - f32(whole), 0.0, 1.0);
    var first = whole;
    var second = (whole + 1u) % models[model].period;
    if (models[model].returns != 0u) {
        first = min(first, models[model].period - first);
        second = min(second, models[model].period - second);
    }
    let size = models[model].pose_size;
    let a = models[model].poses + size * first;
    let b = models[model].poses + size * second;
    for (var i = thread; i < size; i += 64u) {
        now[instance.pose + i] = mix(poses[a + i], poses[b + i], share);
    }
}
