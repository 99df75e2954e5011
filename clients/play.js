// What the pages of all engines share: playing a file and comparing every vertex with a point cache.
//
// An engine gives `load(glb, clip)`, which answers with what it loaded:
//     pose(seconds)   shows that time
//     parts()         its meshes as shown now, each { count, source, cpu, gpu }: how many vertices it has, which vertex of
//                     the rig each came from (undefined where the file does not say), and where it is in the world as
//                     x, y and z, on either processor
//     show(box)       draws it, within a box of { min, max }
// of which the last two may take their time, and puts the colour around it, as 0xrrggbb, into window.background.

export async function cacheOf(path) {
    const bytes = await (await fetch(path)).arrayBuffer();
    const head = new DataView(bytes);
    const [vertices, frames] = [head.getInt32(16, true), head.getInt32(28, true)];
    const floats = new Float32Array(bytes, 32, 3 * vertices * frames);
    return { vertices, frames, at: (frame, vertex) => 3 * (frame * vertices + vertex), floats };
}

// Around some frames.
function boxOf(cache, frames) {
    const [min, max] = [Array(3).fill(Infinity), Array(3).fill(-Infinity)];
    for (const frame of frames) {
        for (let i = cache.at(frame, 0); i < cache.at(frame + 1, 0); i++) {
            min[i % 3] = Math.min(min[i % 3], cache.floats[i]);
            max[i % 3] = Math.max(max[i % 3], cache.floats[i]);
        }
    }
    return { min, max };
}

const diagonal = ({ min, max }) => Math.hypot(...max.map((x, i) => x - min[i]));

// Calls `each(side, vertex, squared distance)` once for every vertex of the cache, on either processor.
async function compare(loaded, cache, frame, every, each) {
    const seen = new Uint8Array(cache.vertices);
    let [before, count] = [0, 0]; // vertices of earlier meshes, where vertices do not say whose copies they are
    for (const part of await loaded.parts()) {
        for (let v = 0; v < part.count; v++) {
            const vertex = part.source(v) ?? before + v;
            count += 1 - seen[vertex];
            if (seen[vertex] && !every) continue;
            seen[vertex] = 1;
            const at = cache.at(frame, vertex);
            for (const side of ["cpu", "gpu"]) {
                const place = part[side](v);
                let square = 0;
                for (let i = 0; i < 3; i++) square += (place[i] - cache.floats[at + i]) ** 2;
                each(side, vertex, square);
            }
        }
        before += part.count;
    }
    if (count !== cache.vertices) throw new Error(`${count} of ${cache.vertices} vertices are shown`);
}

// The squared distance of all vertices in all frames from their means over time.
function motionOf(cache) {
    let sum = 0;
    const n = 3 * cache.vertices;
    for (let i = 0; i < n; i++) {
        let mean = 0;
        for (let frame = 0; frame < cache.frames; frame++) mean += cache.floats[frame * n + i] / cache.frames;
        for (let frame = 0; frame < cache.frames; frame++) sum += (cache.floats[frame * n + i] - mean) ** 2;
    }
    return sum;
}

// What a page offers to the script that opened it.
export function offer(load) {
    // Plays some frames of a clip, the first without a name. Largest distances from the cache on either processor, in
    // percent of the diagonal; what is shown then is the middle frame.
    window.play = async (glb, pc2, clip, fps, count) => {
        const [cache, loaded] = [await cacheOf(pc2), await load(glb, clip)];
        const frames = Array.from({ length: count }, (_, i) => Math.round((i * (cache.frames - 1)) / (count - 1)));
        const worst = { cpu: 0, gpu: 0 };
        for (const frame of frames) {
            loaded.pose(frame / fps);
            await compare(loaded, cache, frame, true, (side, _, square) => (worst[side] = Math.max(worst[side], square)));
        }
        loaded.pose(frames[count >> 1] / fps);
        await loaded.show(boxOf(cache, frames));
        const size = diagonal(boxOf(cache, [0]));
        const percent = (square) => (100 * Math.sqrt(square)) / size;
        return { cpu: percent(worst.cpu), gpu: percent(worst.gpu), frames: new Set(frames).size };
    };

    // Plays all frames of a clip. The distance from the cache on either processor in percent of the motion, as reports
    // have it: 100 |P - Q| / |P - mean over time of P|.
    window.measure = async (glb, pc2, clip, fps) => {
        const [cache, loaded] = [await cacheOf(pc2), await load(glb, clip)];
        const sum = { cpu: 0, gpu: 0 };
        for (let frame = 0; frame < cache.frames; frame++) {
            loaded.pose(frame / fps);
            await compare(loaded, cache, frame, false, (side, _, square) => (sum[side] += square));
        }
        const motion = motionOf(cache);
        const percent = (square) => 100 * Math.sqrt(square / motion);
        return { cpu: percent(sum.cpu), gpu: percent(sum.gpu), frames: cache.frames };
    };

    // The part of a picture that is not background, in percent.
    window.covered = async (picture, color) => {
        const image = await createImageBitmap(await (await fetch(picture)).blob());
        const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
        context.drawImage(image, 0, 0);
        const pixels = context.getImageData(0, 0, image.width, image.height).data;
        const background = [16, 8, 0].map((shift) => (color >> shift) & 255);
        let other = 0;
        for (let i = 0; i < pixels.length; i += 4) {
            other += background.some((value, part) => Math.abs(pixels[i + part] - value) > 8);
        }
        return (400 * other) / pixels.length;
    };
}

// Which vertex of the rig each vertex of a GLB file came from: by mesh and primitive, none where the file does not say.
export async function sourcesOf(path) {
    const bytes = await (await fetch(path)).arrayBuffer();
    const head = new DataView(bytes);
    const length = head.getUint32(12, true);
    const json = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 20, length)));
    const numbers = (accessor) => {
        const { bufferView, byteOffset = 0, count, type } = json.accessors[accessor];
        const view = json.bufferViews[bufferView];
        const width = type === "VEC4" ? 4 : 1;
        const stride = view.byteStride ?? 4 * width;
        const start = 20 + length + 8 + (view.byteOffset ?? 0) + byteOffset;
        return Array.from({ length: count }, (_, v) => head.getFloat32(start + v * stride, true));
    };
    return json.meshes.map((mesh) =>
        mesh.primitives.map(({ attributes }) => {
            const accessor = attributes._SOURCE_VERTEX;
            return accessor === undefined ? undefined : numbers(accessor);
        }),
    );
}
