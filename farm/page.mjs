// Opens the page of a batch in headless Chromium and says how long that takes.
//
//     NODE_PATH=FOLDER/node_modules node farm/page.mjs INDEX.html [PICTURE.png]
//
// Milliseconds from the beginning until rows are drawn and their pictures are there, until they are drawn anew by another column,
// and until they are searched. Needs npm's playwright-core and a Chromium (/usr/bin/chromium, or what CHROMIUM names).

import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

// Unlike import, require looks in NODE_PATH too.
const { chromium } = createRequire(import.meta.url)("playwright-core");
const [page, picture] = process.argv.slice(2);
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const view = await browser.newPage({ viewport: { width: 1400, height: 900 } });

// How long it takes until two frames were drawn after something is done.
async function timed(work) {
    const begun = performance.now();
    await work();
    await view.waitForFunction(() => document.querySelector(".row"));
    await view.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    return Math.round(performance.now() - begun);
}

const opened = await timed(() => view.goto(pathToFileURL(resolve(page)).href, { waitUntil: "load" }));
const sorted = await timed(() => view.click("#names button:nth-child(7)"));
const found = await timed(() => view.fill("#words", "0001"));
const rows = await view.locator(".row").count();
console.log(`opened in ${opened} ms, sorted in ${sorted}, searched in ${found} (${rows} rows in sight)`);
await view.fill("#words", "");
if (picture) await view.screenshot({ path: picture });
await browser.close();
