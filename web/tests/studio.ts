/**
 * A studio for every test: `sinew studio --no-open` (SINEW names the binary, STUDIO_PAGE a page other than the one built into it)
 * on a folder with the sample as files, and a tab that fails the test when anything goes wrong in its console.
 */
import { test as base, expect, type BrowserContext, type Page } from "@playwright/test";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const SINEW = resolve(process.env.SINEW ?? "../target/release/sinew");
const SHOTS = resolve(process.env.SHOTS ?? "screenshots");

/** Another server beside that of a test; ended by `end`. */
export async function another(): Promise<{ url: string; end(): void }> {
  const home = mkdtempSync(join(tmpdir(), "studio-home-"));
  const [server, url] = await launch(home, home, [], []);
  return { url, end: () => void server.kill("SIGKILL") };
}

export interface Studio {
  url: string;
  folder: string;
  /** Ends the server as a crash would. */
  kill(): Promise<void>;
  /** Starts it again, at the same port and with the same token where the server allows it. */
  start(files?: string[], more?: string[]): Promise<string>;
  /** Bytes of memory that the server holds. */
  memory(): number;
}

export function sinew(...args: string[]): string {
  return execFileSync(SINEW, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** The sample as files, made once for a binary. */
function samples(): string {
  const made = Math.round(statSync(SINEW).mtimeMs);
  const folder = join(tmpdir(), `sinew-studio-sample-${made}`);
  if (!existsSync(join(folder, "walk.bvh"))) {
    mkdirSync(folder, { recursive: true });
    sinew("sample", "creature", "-o", folder, "--quiet");
    const source = [join(folder, "anim.pc2"), "--rest", join(folder, "rest.obj")];
    sinew("skin", ...source, "--bones", "12", "-o", join(folder, "rig.glb"), "--quiet");
    sinew(
      "skeleton",
      ...source,
      "-o",
      join(folder, "character.glb"),
      "--bvh",
      join(folder, "walk.bvh"),
      "--quiet",
    );
  }
  return folder;
}

export const sample = (name: string): string => join(samples(), name);

async function launch(
  folder: string,
  home: string,
  files: string[],
  more: string[],
): Promise<[ChildProcess, string]> {
  const page = process.env.STUDIO_PAGE ? ["--page", process.env.STUDIO_PAGE] : [];
  const args = ["studio", "--no-open", ...files, "--folder", folder, "--folder", samples(), ...page, ...more];
  const env = {
    ...process.env,
    HOME: home,
    XDG_CACHE_HOME: join(home, "cache"),
    XDG_STATE_HOME: join(home, "state"),
  };
  const server = spawn(SINEW, args, { stdio: ["ignore", "pipe", "pipe"], env });
  const url = await new Promise<string>((done, fail) => {
    let said = "";
    const listen = (data: Buffer) => {
      said += data.toString();
      const found = /http:\/\/\S+token=\S+/.exec(said);
      if (found) done(found[0]);
    };
    server.stdout!.on("data", listen);
    server.stderr!.on("data", listen);
    server.on("exit", (code) => fail(new Error(`sinew studio ended with ${code}: ${said}`)));
  });
  return [server, url];
}

const ended = (server: ChildProcess): Promise<void> =>
  server.exitCode !== null || server.signalCode !== null
    ? Promise.resolve()
    : new Promise((done) => server.once("exit", () => done()));

export const test = base.extend<{ studio: Studio; tab: Page }>({
  studio: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), "studio-"));
    const home = mkdtempSync(join(tmpdir(), "studio-home-"));
    let server: ChildProcess | null = null;
    const studio: Studio = {
      url: "",
      folder,
      kill: async () => {
        server?.kill("SIGKILL");
        if (server) await ended(server);
      },
      start: async (files = [], more = []) => {
        [server, studio.url] = await launch(folder, home, files, more);
        return studio.url;
      },
      memory: () => {
        const status = readFileSync(`/proc/${server!.pid}/status`, "utf8");
        return 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)![1]);
      },
    };
    await studio.start();
    await use(studio);
    await studio.kill();
    rmSync(folder, { recursive: true, force: true });
    rmSync(home, { recursive: true, force: true });
  },
  tab: async ({ studio, page }, use) => {
    const wrong: string[] = [];
    page.on("pageerror", (error) => wrong.push(String(error.stack ?? error)));
    page.on("console", (message) => {
      if (message.type() === "error" && !/WebSocket|Failed to load resource|ERR_/.test(message.text()))
        wrong.push(message.text());
    });
    // Whoever looks at the console in normal use sees nothing red: what is asked for can be had.
    page.on("response", (answer) => {
      if (answer.status() >= 400) wrong.push(`${answer.status()} ${answer.url().replace(/token=\w+/, "")}`);
    });
    await goTo(page, studio.url);
    await use(page);
    expect(wrong).toEqual([]);
  },
});

/** Goes to a studio's page, and waits until it knows what is open. */
export async function goTo(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.waitForFunction(() => window.sinewStudio?.connected() && window.sinewStudio.state() !== null);
}

/** Another tab of the same studio. */
export async function newTab(context: BrowserContext, studio: { url: string }): Promise<Page> {
  const page = await context.newPage();
  await goTo(page, studio.url);
  return page;
}

export { expect };

/** Waits until nothing is under way and what is shown is the current version. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () => {
      const studio = window.sinewStudio;
      const state = studio.state();
      const version = state?.versions.find((v) => v.id === state.current);
      return studio.settled() && (!version || studio.shownVersion().endsWith(`:${version.key}`));
    },
    undefined,
    { timeout: 90_000 },
  );
}

/** Does something that changes the session, and waits until the change is here and shown. */
export async function changing(page: Page, act: () => Promise<unknown>): Promise<void> {
  const before = await page.evaluate(() => window.sinewStudio.state()!.revision);
  await act();
  await page.waitForFunction((revision) => window.sinewStudio.state()!.revision > revision, before);
  await settled(page);
}

/** Clicks what has this test id. */
export const click = (page: Page, id: string): Promise<void> => page.getByTestId(id).click();

/** Opens the sample and, unless it comes with a rig, waits for its mesh. */
export async function openSample(page: Page): Promise<void> {
  if ((await page.evaluate(() => window.sinewStudio.state()!.vertices)) === 0)
    await click(page, "open-sample");
  await page.waitForFunction(
    () => (window.sinewStudio.state()?.vertices ?? 0) > 0 && window.sinewStudio.positions().length > 0,
  );
  await settled(page);
}

/** Opens the sample and fits a rig of few bones. */
export async function fitted(page: Page, bones = 12): Promise<void> {
  await openSample(page);
  await fit(page, { bones });
}

export const positions = (page: Page): Promise<number[]> =>
  page.evaluate(() => window.sinewStudio.positions());

/** The largest distance between two lists of points. */
export function apart(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let most = 0;
  for (let i = 0; i < a.length; i += 3) {
    most = Math.max(most, Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]));
  }
  return most;
}

/** One frame of a file as the command line plays it. */
export const baked = (file: string, frame: number): Float32Array => bakedFrames(file, [frame]).get(frame)!;

/** Some frames of a file as the command line plays it. */
export function bakedFrames(file: string, frames: number[]): Map<number, Float32Array> {
  const folder = mkdtempSync(join(tmpdir(), "baked-"));
  const cache = join(folder, "baked.pc2");
  sinew("bake", file, "-o", cache, "--quiet");
  const found = new Map(frames.map((frame) => [frame, cacheFrame(cache, frame)]));
  rmSync(folder, { recursive: true });
  return found;
}

/** One frame of a PC2 file. */
export function cacheFrame(file: string, frame: number): Float32Array {
  const data = readFileSync(file);
  const vertices = data.readUInt32LE(16);
  const start = 32 + frame * vertices * 12;
  return new Float32Array(
    data.buffer.slice(data.byteOffset + start, data.byteOffset + start + vertices * 12),
  );
}

/** Size of the mesh, to measure distances by. */
export const diagonal = (page: Page): Promise<number> =>
  page.evaluate(() => window.sinewStudio.state()!.diagonal);

export async function shot(page: Page, name: string): Promise<void> {
  mkdirSync(SHOTS, { recursive: true });
  const before = await page.evaluate(() => window.sinewStudio.drawn());
  await page.evaluate(() => window.sinewStudio.redraw());
  await page.waitForFunction((count) => window.sinewStudio.drawn() > count, before);
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

/** A vertex of the current version that is seen, nearest to the camera of those around a part of the mesh. */
export async function placeOnSurface(
  page: Page,
  part: "neck" | "body" | "leg" = "body",
): Promise<{ x: number; y: number; vertex: number }> {
  return page.evaluate((wanted) => window.sinewStudio.seenVertex(wanted), part);
}

/** Drags from a place on the page, and leaves the button down. */
export async function drag(
  page: Page,
  from: { x: number; y: number },
  by: readonly [number, number],
): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let i = 1; i <= 6; i++) await page.mouse.move(from.x + (by[0] * i) / 6, from.y + (by[1] * i) / 6);
}

/** Takes the ring around the picked bone that faces the camera, at its right, turns it, and leaves the button down. */
export async function turnRing(page: Page): Promise<void> {
  const ring = await page.evaluate(() => window.sinewStudio.ring());
  await page.mouse.move(ring.x + ring.radius, ring.y);
  await page.mouse.down();
  for (let i = 1; i <= 8; i++)
    await page.mouse.move(
      ring.x + ring.radius * Math.cos(i * 0.08),
      ring.y - ring.radius * Math.sin(i * 0.08),
    );
  await page.waitForFunction(() => window.sinewStudio.latency().turn.length > 0);
}

/** Writes a number into a field. */
export async function enter(page: Page, id: string, value: number): Promise<void> {
  await page.getByTestId(id).fill(String(value));
  await page.getByTestId(id).blur();
}

/** Fits a rig to what is open: to so many bones, or to an error. */
export async function fit(page: Page, goal: { bones: number } | { error: number }): Promise<void> {
  const before = await page.evaluate(() => window.sinewStudio.state()!.versions.length);
  const [[name, value]] = Object.entries(goal);
  await click(page, "tool-fit");
  await click(page, `fit-goal-${name}`);
  await enter(page, `fit-${name}`, value);
  await click(page, "fit-start");
  await page.waitForFunction((count) => window.sinewStudio.state()!.versions.length > count, before, {
    timeout: 90_000,
  });
  await settled(page);
}

/** Saves the current version by the panel, and gives the file. */
export async function saveAs(page: Page, studio: Studio, name: string, format: string): Promise<string> {
  await click(page, "tool-save");
  await page.getByTestId("save-format").selectOption(format);
  await page.getByTestId("save-name").fill(name);
  await click(page, "save-start");
  const file = join(studio.folder, `${name}.${format}`);
  await page.waitForFunction((path) => window.sinewStudio.state()!.saved === path, file);
  return file;
}

/** Positions of the current version in a frame, when it is shown. */
export async function seen(page: Page, frame: number): Promise<number[]> {
  await page.evaluate((wanted) => window.sinewStudio.setFrame(wanted), frame);
  return page.evaluate(() => window.sinewStudio.shown());
}
