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

// Milliseconds in the page from something that is done there until it is drawn.
const timed = (work) =>
    view.evaluate(`new Promise((drawn) => {
        const begun = performance.now();
        ${work};
        requestAnimationFrame(() => requestAnimationFrame(() => drawn(Math.round(performance.now() - begun))));
    })`);

await view.goto(pathToFileURL(resolve(page)).href, { waitUntil: "load" });
// The page's clock begins when it is asked for.
const before = await view.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd");
const opened = Math.round(before) + (await timed(""));
const sorted = await timed("document.querySelector('#names button:nth-child(7)').click()");
const found = await timed("words.value = '0001'; words.dispatchEvent(new Event('input'))");
const rows = await view.locator(".row").count();
console.log(`opened in ${opened} ms, sorted in ${sorted}, searched in ${found} (${rows} rows in sight)`);
await view.fill("#words", "");
if (picture) await view.screenshot({ path: picture });
await browser.close();
