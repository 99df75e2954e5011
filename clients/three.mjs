// Compares what three.js shows of GLB files in headless Chromium with what Sinew says they hold.
//
//     NODE_PATH=FOLDER/node_modules node three.mjs PICTURES RIG.glb RIG.pc2 [RIG2.glb RIG2.pc2 ...] [--clip NAME] [--fps 24]
//
// Opens three.html in Chromium, loads each file there with three's GLTFLoader and plays some frames of a clip (the
// first without --clip). Every vertex is compared with the point cache that `sinew bake` made of it, once as three
// computes it for picking and once as its shaders do, read back from what WebGL drew. Keeps a screenshot of each file
// in the folder PICTURES. One line per file; fails above 0.1 percent of the diagonal, or when the screenshot is empty.
//
// Needs npm's three and playwright-core and a Chromium (/usr/bin/chromium, or what CHROMIUM names).

import { readFile, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { basename, dirname, extname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

// Unlike import, require looks in NODE_PATH too.
const require = createRequire(import.meta.url);
const { chromium } = require("playwright-core");
const THREE_FOLDER = resolve(dirname(require.resolve("three")), "..");
const PAGE = join(dirname(fileURLToPath(import.meta.url)), "three.html");

const LARGEST = 0.1; // percent of the diagonal
const COUNT = 12; // frames compared
const COVERED = 3; // percent of the screenshot, at least
const TYPES = { ".html": "text/html", ".js": "text/javascript" };
// Draws without a graphics card and reaches nothing but the page.
const BROWSER = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run"];
const ALONE = ["--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

// Serves the page at /, three's modules under /three/ and the files to check under their numbers.
async function serve(files) {
    const find = (path) => {
        if (path === "/") return PAGE;
        if (!path.startsWith("/three/")) return files[Number(path.slice(1))];
        const file = resolve(THREE_FOLDER, `.${path.slice("/three".length)}`);
        return file.startsWith(THREE_FOLDER + sep) ? file : undefined;
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

// Plays one pair of files in a page of its own. Whether it is good, and in words.
async function check(browser, address, pair, picture, { clip, fps }) {
    const page = await browser.newPage({ viewport: { width: 640, height: 480 } });
    const complaints = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    try {
        await page.goto(address);
        await page.waitForFunction(() => window.play && window.covered);
        const play = ([glb, pc2, clip, fps, count]) => window.play(glb, pc2, clip, fps, count);
        const { cpu, gpu, frames } = await page.evaluate(play, [...pair, clip, Number(fps), COUNT]);
        const shot = await page.screenshot();
        await writeFile(picture, shot);
        const covered = await page.evaluate((url) => window.covered(url), `data:image/png;base64,${shot.toString("base64")}`);
        const text = `off by ${cpu.toFixed(5)} % of the diagonal, ${gpu.toFixed(5)} % as drawn, in ${frames} frames; `
            + `fills ${covered.toFixed(0)} % of ${picture}`;
        const good = cpu < LARGEST && gpu < LARGEST && covered > COVERED && complaints.length === 0;
        return [good, [text, ...complaints].join("; ")];
    } catch (error) {
        return [false, [error.message.split("\n")[0], ...complaints].join("; ")];
    } finally {
        await page.close();
    }
}

const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: { clip: { type: "string" }, fps: { type: "string", default: "24" } },
});
const [pictures, ...files] = positionals;
if (!pictures || !files.length || files.length % 2) throw new Error("a folder, and for every GLB file its point cache");
await mkdir(pictures, { recursive: true });
const server = await serve(files);
const address = `http://127.0.0.1:${server.address().port}/`;
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: [...BROWSER, ...ALONE], chromiumSandbox: false });
let failed = false;
for (let i = 0; i < files.length; i += 2) {
    const what = basename(files[i], ".glb") + (options.clip ? `-${options.clip}` : "");
    const pair = [`/${i}`, `/${i + 1}`];
    const [good, text] = await check(browser, address, pair, join(pictures, `${what}.png`), options);
    const clip = options.clip ? `, clip ${options.clip}` : "";
    console.log(`${good ? "ok  " : "FAIL"} three.js ${basename(files[i])}${clip}: ${text}`);
    failed ||= !good;
}
await browser.close();
server.close();
process.exit(failed ? 1 : 0);
