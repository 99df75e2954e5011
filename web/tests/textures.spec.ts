import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, crc32 } from "node:zlib";
import type { Page } from "@playwright/test";
import { click, expect, settled, shot, test } from "./studio";

/** A PNG of four by four pixels: red above and blue below, green at the upper left. */
function image(): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const pixel = (x: number, y: number) => (y > 1 ? [0, 0, 255] : x > 1 ? [255, 0, 0] : [0, 255, 0]);
  const rows = [0, 1, 2, 3].flatMap((y) => [0, ...[0, 1, 2, 3].flatMap((x) => pixel(x, y))]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
    chunk("IHDR", Buffer.from([0, 0, 0, 4, 0, 0, 0, 4, 8, 2, 0, 0, 0])),
    chunk("IDAT", deflateSync(Buffer.from(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A square of three by three vertices that faces the camera, with that image, in two frames. */
function writeSquare(folder: string): void {
  writeFileSync(join(folder, "square.png"), image());
  writeFileSync(join(folder, "square.mtl"), "newmtl painted\nKd 1 1 1\nmap_Kd square.png\n");
  const steps = [0, 1, 2].flatMap((y) => [0, 1, 2].map((x) => [x, y]));
  const faces = [1, 2, 4, 5].map((a) => `f ${[a, a + 1, a + 4, a + 3].map((v) => `${v}/${v}`).join(" ")}`);
  for (const frame of [0, 1]) {
    const lines = [
      "mtllib square.mtl",
      ...steps.map(([x, y]) => `v ${x - 1} ${y - 1} ${frame * 0.1 * x}`),
      ...steps.map(([x, y]) => `vt ${x / 2} ${y / 2}`),
      "usemtl painted",
      ...faces,
    ];
    writeFileSync(join(folder, `square${frame}.obj`), lines.join("\n"));
  }
}

/** The colour on the page where a vertex of the square is, a little towards its middle. */
async function colourAt(page: Page, vertex: number): Promise<number[]> {
  await page.evaluate(() => window.sinewStudio.redraw());
  const picture = (await page.screenshot()).toString("base64");
  return page.evaluate(
    async ([source, at]) => {
      const bytes = Uint8Array.from(atob(source), (c) => c.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes]));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const g = canvas.getContext("2d")!;
      g.drawImage(bitmap, 0, 0);
      const [corner, middle] = [at, 4].map((v) => window.sinewStudio.vertexOnPage(v));
      const [x, y] = [corner.x * 0.6 + middle.x * 0.4, corner.y * 0.6 + middle.y * 0.4];
      return [...g.getImageData(x, y, 1, 1).data.slice(0, 3)];
    },
    [picture, vertex] as const,
  );
}

const strongest = (colour: number[]): number => colour.indexOf(Math.max(...colour));
const spread = (colour: number[]): number => Math.max(...colour) - Math.min(...colour);

test("base colour textures are drawn the right way up, and not where colours mean something else", async ({
  tab,
  studio,
}) => {
  writeSquare(studio.folder);
  await tab.evaluate(
    (paths) => window.sinewStudio.ask("open", { paths }),
    [0, 1].map((frame) => join(studio.folder, `square${frame}.obj`)),
  );
  await tab.waitForFunction(() => window.sinewStudio.look().textured === 1);
  await settled(tab);
  // Vertices are counted from the lower left.
  expect(strongest(await colourAt(tab, 6)), "green at the upper left").toBe(1);
  expect(strongest(await colourAt(tab, 8)), "red at the upper right").toBe(0);
  expect(strongest(await colourAt(tab, 0)), "blue below").toBe(2);
  await shot(tab, "17-textures");
  await tab.keyboard.press("t");
  await expect(tab.getByTestId("toggle-textures")).toHaveAttribute("aria-pressed", "false");
  expect(spread(await colourAt(tab, 8)), "plain without").toBeLessThan(20);
  await tab.keyboard.press("t");
  expect(strongest(await colourAt(tab, 8))).toBe(0);
  await click(tab, "tool-sculpt");
  expect(spread(await colourAt(tab, 8)), "plain under a brush").toBeLessThan(20);
});
