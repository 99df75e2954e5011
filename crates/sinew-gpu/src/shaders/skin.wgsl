// Skinning: p = sum of w_b T_b (rest + U q), normals by the inverse transpose of what the bones do.
// A pose is a list of vectors: three rows for each bone, then the coefficients of the corrections, then those of
// the light.

@group(0) @binding(4) var<storage, read> now: array<vec4f>;

fn skinned(model: u32, pose: u32, vertex: u32) -> Skinned {
    let at = models[model].vertices + 5u * vertex;
    var p = three(at);
    var n = direction(words[at + 3u]);
    let rank = models[model].rank;
    let coefficients = pose + models[model].coefficients;
    let normals = models[model].normal_basis;
    for (var r = 0u; r < rank; r += 1u) {
        let q = now[coefficients + r / 4u][r % 4u];
        p += q * three(models[model].basis + 3u * (vertex * rank + r));
        if (normals != NONE) {
            n += q * three(normals + 3u * (vertex * rank + r));
        }
    }
    let per_vertex = models[model].per_vertex;
    let influences = models[model].influences + 2u * vertex * per_vertex;
    var x = vec4f(0.0);
    var y = vec4f(0.0);
    var z = vec4f(0.0);
    for (var i = 0u; i < per_vertex; i += 1u) {
        let weight = word(influences + 2u * i + 1u);
        // The largest come first: after a zero there are only zeros.
        if (weight == 0.0) {
            break;
        }
        let bone = pose + 3u * words[influences + 2u * i];
        x += weight * now[bone];
        y += weight * now[bone + 1u];
        z += weight * now[bone + 2u];
    }
    let yz = cross(y.xyz, z.xyz);
    let cofactors = vec3f(dot(yz, n), dot(cross(z.xyz, x.xyz), n), dot(cross(x.xyz, y.xyz), n));
    // Bones that mirror turn the surface inside out, and its normals with it.
    let mirrored = dot(x.xyz, yz) < 0.0;
    let rest = vec4f(p, 1.0);
    return Skinned(vec3f(dot(x, rest), dot(y, rest), dot(z, rest)), select(cofactors, -cofactors, mirrored));
}

// How open to the sky a vertex is by the light baked over its model, from 0 to 1; below 0 where there is none.
fn baked_light(model: u32, pose: u32, vertex: u32) -> f32 {
    let words_each = models[model].light_words;
    if (words_each == 0u) {
        return -1.0;
    }
    let of_pose = pose + models[model].light_pose;
    let shapes = models[model].light + words_each * vertex;
    var sum = now[of_pose].x;
    for (var i = 0u; i < words_each; i += 1u) {
        sum += dot(now[of_pose + 1u + i], unpack4x8unorm(words[shapes + i]));
    }
    return clamp(sum, 0.0, 1.0);
}
