// How many workgroups each draw takes, and how its triangles are counted.

struct Draw {
    model: u32,
    level: u32,
}

@group(1) @binding(0) var<storage, read> arguments: array<u32>;
@group(1) @binding(1) var<storage, read> draws: array<Draw>;
// One for each draw; the lists beside it may be longer, as buffers have a least size.
@group(1) @binding(2) var<storage, read_write> plan: array<Planned>;
// Workgroups of each draw, then those for large triangles.
@group(1) @binding(3) var<storage, read_write> workgroups: array<u32>;
@group(1) @binding(4) var<storage, read> large: array<u32>;

fn rows(at: u32, across: u32, count: u32) {
    workgroups[3u * at] = across;
    workgroups[3u * at + 1u] = min(count, frame.counts.z);
    workgroups[3u * at + 2u] = (count + frame.counts.z - 1u) / frame.counts.z;
}

@compute @workgroup_size(1)
fn plan_draws() {
    var first = 0u;
    for (var i = 0u; i < arrayLength(&plan); i += 1u) {
        let level = models[draws[i].model].levels[draws[i].level];
        let count = arguments[5u * i + 1u];
        plan[i] = Planned(first, level.index_count / 3u, count, level.first_index, level.list);
        first += count * (level.index_count / 3u);
        rows(i, level.cluster_count, count);
    }
}

@compute @workgroup_size(1)
fn plan_large() {
    let count = min(large[0], arrayLength(&large) - 1u);
    let at = 3u * arrayLength(&plan);
    workgroups[at] = min(count, frame.counts.z);
    workgroups[at + 1u] = (count + frame.counts.z - 1u) / frame.counts.z;
    workgroups[at + 2u] = 1u;
}
