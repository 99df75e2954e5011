// Compares what an engine of the web shows of GLB files in headless Chromium with what Sinew says they hold.
//
//     NODE_PATH=FOLDER/node_modules node browser.mjs ENGINE PICTURES RIG.glb RIG.pc2 [RIG2.glb RIG2.pc2 ...]
//         [--clip NAME] [--fps 24]
//     NODE_PATH=FOLDER/node_modules node browser.mjs ENGINE --promises FILE.json
//
// ENGINE is three or babylon. Opens its page in Chromium, loads each file there with the engine's own loader and plays
// some frames of a clip (the first without --clip). Every vertex is compared with the point cache that `sinew bake` made
// of it, once as the engine computes it for picking and once as its shaders do, read back from what WebGL drew. Keeps a
// screenshot of each file in the folder PICTURES. One line per file; fails above 0.1 percent of the diagonal, or when
// the screenshot is empty.
//
// With --promises all frames are played and compared with the animation that a rig was made of: fails where the error is
// not within 0.01 percent of what the report says of that engine (promises.py writes the list).
//
// Needs npm's three, babylonjs, babylonjs-loaders and playwright-core and a Chromium (/usr/bin/chromium, or what
// CHROMIUM names).

import { existsSync } from "node:fs";
import { readFile, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { basename, dirname, extname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

// Unlike import, require looks in NODE_PATH too.
const require = createRequire(import.meta.url);
const { chromium } = require("playwright-core");
const HERE = dirname(fileURLToPath(import.meta.url));
// Not all packages let require find their package.json.
const folderOf = (name) => require.resolve.paths(name).map((path) => join(path, name)).find((path) => existsSync(path));
// Engines: their names in reports, and the packages that their pages load, by the folders they are served in.
const ENGINES = {
    three: { name: "three.js", packages: { three: "three" } },
    babylon: { name: "Babylon.js", packages: { babylon: "babylonjs", loaders: "babylonjs-loaders" } },
};

const LARGEST = 0.1; // percent of the diagonal
const PROMISED = 0.01; // percent of the motion
const COUNT = 12; // frames compared
const COVERED = 3; // percent of the screenshot, at least
const TYPES = { ".html": "text/html", ".js": "text/javascript" };
// Draws without a graphics card and reaches nothing but the page.
const BROWSER = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run"];
const ALONE = ["--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

// Serves the engine's page at /, what pages share, the engine's packages and the files to check under their numbers.
async function serve(engine, files) {
    const folders = Object.entries(ENGINES[engine].packages).map(([path, name]) => [`/${path}/`, folderOf(name)]);
    const find = (path) => {
        if (path === "/") return join(HERE, `${engine}.html`);
        if (path === "/play.js") return join(HERE, "play.js");
        const [prefix, folder] = folders.find(([prefix]) => path.startsWith(prefix)) ?? [];
        if (!prefix) return files[Number(path.slice(1))];
        const file = resolve(folder, path.slice(prefix.length));
        return file.startsWith(folder + sep) ? file : undefined;
    };
    const server = createServer(async (request, response) => {
        try {
            const file = find(new URL(request.url, "http://localhost").pathname);
            const bytes = await readFile(file);
            response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" }).end(bytes);
        } catch {
            response.writeHead(404).end();
        }
    });
    await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
    return server;
}

// Opens a page of its own for `work`, which says whether all is good, and in words.
async function inPage(browser, address, work) {
    const page = await browser.newPage({ viewport: { width: 640, height: 480 } });
    const complaints = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    try {
        await page.goto(address);
        await page.waitForFunction(() => window.play && window.covered);
        const [good, text] = await work(page);
        return [good && complaints.length === 0, [text, ...complaints].join("; ")];
    } catch (error) {
        return [false, [error.message.split("\n")[0], ...complaints].join("; ")];
    } finally {
        await page.close();
    }
}

// Plays some frames of one pair of files.
const check = (pair, picture, { clip, fps }) => async (page) => {
    const play = ([glb, pc2, clip, fps, count]) => window.play(glb, pc2, clip, fps, count);
    const { cpu, gpu, frames } = await page.evaluate(play, [...pair, clip, Number(fps), COUNT]);
    const shot = await page.screenshot();
    await writeFile(picture, shot);
    const url = `data:image/png;base64,${shot.toString("base64")}`;
    const covered = await page.evaluate((url) => window.covered(url, window.background), url);
    const text = `off by ${cpu.toFixed(5)} % of the diagonal, ${gpu.toFixed(5)} % as drawn, in ${frames} frames; `
        + `fills ${covered.toFixed(0)} % of ${picture}`;
    return [cpu < LARGEST && gpu < LARGEST && covered > COVERED, text];
};

// Plays all frames of one pair of files and compares the error with what was promised.
const keep = (pair, { clip, fps, stated }) => async (page) => {
    const measure = ([glb, pc2, clip, fps]) => window.measure(glb, pc2, clip, fps);
    const { cpu, gpu, frames } = await page.evaluate(measure, [...pair, clip, fps]);
    const text = `${cpu.toFixed(5)} % of the motion off, ${gpu.toFixed(5)} % as drawn, in ${frames} frames; `
        + `promised ${stated.toFixed(5)} %`;
    return [Math.max(Math.abs(cpu - stated), Math.abs(gpu - stated)) <= PROMISED, text];
};

const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: { clip: { type: "string" }, fps: { type: "string", default: "24" }, promises: { type: "string" } },
});
const [engine, pictures, ...pairs] = positionals;
const { name } = ENGINES[engine] ?? {};
if (!name) throw new Error(`an engine: ${Object.keys(ENGINES).join(" or ")}`);
const tasks = [];
if (options.promises) {
    for (const promise of JSON.parse(await readFile(options.promises, "utf8"))) {
        const stated = promise.stated[name];
        const task = (pair) => keep(pair, { ...promise, stated });
        tasks.push({ files: [promise.glb, promise.original], what: promise.name, task });
    }
} else {
    if (!pictures || !pairs.length || pairs.length % 2) throw new Error("a folder, and for every GLB file its point cache");
    await mkdir(pictures, { recursive: true });
    for (let i = 0; i < pairs.length; i += 2) {
        const stem = basename(pairs[i], ".glb") + (options.clip ? `-${options.clip}` : "");
        const picture = join(pictures, `${engine === "three" ? "" : `${engine}-`}${stem}.png`);
        const what = basename(pairs[i]) + (options.clip ? `, clip ${options.clip}` : "");
        tasks.push({ files: pairs.slice(i, i + 2), what, task: (pair) => check(pair, picture, options) });
    }
}
const server = await serve(engine, tasks.flatMap(({ files }) => files));
const address = `http://127.0.0.1:${server.address().port}/`;
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: [...BROWSER, ...ALONE], chromiumSandbox: false });
let failed = false;
for (const [i, { what, task }] of tasks.entries()) {
    const [good, text] = await inPage(browser, address, task([`/${2 * i}`, `/${2 * i + 1}`]));
    console.log(`${good ? "ok  " : "FAIL"} ${name} ${what}: ${text}`);
    failed ||= !good;
}
await browser.close();
server.close();
process.exit(failed ? 1 : 0);
