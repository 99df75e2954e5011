// Compares what three.js shows of a GLB file with what Sinew says it holds.
//
//     NODE_PATH=FOLDER/node_modules node three.mjs RIG.glb RIG.pc2 [CLIP] [FPS]
//
// Loads the file with three's GLTFLoader, plays some frames of a clip (the first without CLIP) and compares every
// vertex with the point cache that `sinew bake` made of it. One line; fails above 0.1 percent of the diagonal.
// Needs npm's three. Files with textures need a browser.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

// Unlike import, require looks in NODE_PATH too; three's loader is a module, found beside its main file.
const main = createRequire(import.meta.url).resolve("three");
const THREE = await import(pathToFileURL(main.replace(/three\.cjs$/, "three.module.js")));
const example = (file) => import(pathToFileURL(main.replace(/build[/\\]three\.cjs$/, `examples/jsm/${file}`)));
const { GLTFLoader } = await example("loaders/GLTFLoader.js");
const { MeshoptDecoder } = await example("libs/meshopt_decoder.module.js");
globalThis.self ??= globalThis;

const LARGEST = 0.1; // percent of the diagonal
const COUNT = 12; // frames compared

function readPc2(path) {
    const bytes = readFileSync(path);
    const [vertices, frames] = [bytes.readInt32LE(16), bytes.readInt32LE(28)];
    const floats = new Float32Array(bytes.buffer.slice(bytes.byteOffset + 32, bytes.byteOffset + 32 + 12 * vertices * frames));
    return { vertices, frames, point: (f, v) => new THREE.Vector3().fromArray(floats, 3 * (f * vertices + v)) };
}

async function deviation(glb, cache, name, fps) {
    const bytes = readFileSync(glb);
    const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);
    const gltf = await loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
    const clip = name ? THREE.AnimationClip.findByName(gltf.animations, name) : gltf.animations[0];
    if (!clip) throw new Error(`there is no clip ${name}`);
    const mixer = new THREE.AnimationMixer(gltf.scene);
    // Past its end a clip would start again.
    const action = mixer.clipAction(clip).setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    const meshes = [];
    gltf.scene.traverse((node) => node.isMesh && meshes.push(node));
    const box = new THREE.Box3();
    for (let v = 0; v < cache.vertices; v++) box.expandByPoint(cache.point(0, v));
    const diagonal = box.getSize(new THREE.Vector3()).length();
    let [worst, seen] = [0, new Set()];
    for (let i = 0; i < COUNT; i++) {
        const frame = Math.round((i * (cache.frames - 1)) / (COUNT - 1));
        mixer.setTime(frame / fps);
        gltf.scene.updateMatrixWorld(true);
        let before = 0; // vertices of earlier meshes, where vertices do not say whose copies they are
        for (const mesh of meshes) {
            const source = mesh.geometry.attributes._source_vertex;
            for (let v = 0; v < mesh.geometry.attributes.position.count; v++) {
                const shown = mesh.getVertexPosition(v, new THREE.Vector3()).applyMatrix4(mesh.matrixWorld);
                const vertex = source ? source.getX(v) : before + v;
                seen.add(vertex);
                worst = Math.max(worst, shown.distanceTo(cache.point(frame, vertex)));
            }
            before += mesh.geometry.attributes.position.count;
        }
    }
    if (seen.size !== cache.vertices) throw new Error(`three.js shows ${seen.size} of ${cache.vertices} vertices`);
    return (100 * worst) / diagonal;
}

const [glb, pc2, clip, fps] = process.argv.slice(2);
let line;
let good = false;
try {
    const percent = await deviation(glb, readPc2(pc2), clip, Number(fps ?? 24));
    good = percent < LARGEST;
    line = `off by ${percent.toFixed(5)} % of the diagonal`;
} catch (error) {
    line = error.message;
}
console.log(`${good ? "ok  " : "FAIL"} three.js ${basename(glb)}${clip ? `, clip ${clip}` : ""}: ${line}`);
process.exit(good ? 0 : 1);
