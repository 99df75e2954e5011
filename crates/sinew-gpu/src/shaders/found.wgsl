// What was drawn where: triangles of all draws, counted through.

struct Planned {
    // Number of its first triangle, triangles of each instance, instances, where its indices begin, and its
    // list.
    first: u32,
    triangles: u32,
    instances: u32,
    first_index: u32,
    list: u32,
}

struct Found {
    instance: u32,
    first_index: u32,
}

fn found_triangle(id: u32) -> Found {
    var at = 0u;
    // Draws without instances begin where the next one does: the last that begins in time is the one.
    for (var i = 1u; i < arrayLength(&plan); i += 1u) {
        if (plan[i].instances > 0u && plan[i].first <= id) {
            at = i;
        }
    }
    if (plan[at].instances == 0u) {
        return Found(0u, 0u);
    }
    let rest = id - plan[at].first;
    let slot = rest / plan[at].triangles;
    return Found(lists[plan[at].list + slot], plan[at].first_index + 3u * (rest - slot * plan[at].triangles));
}
