/** Opening: drop or choose files, the sample, what is open, and a session that was saved by itself. */
import type { App } from "../app";
import { part } from "../app";
import { upload } from "../net/data";
import { kindOf } from "../net/files";
import type { Tables } from "../net/types";
import { isOpen } from "../store";
import { fill, h } from "../ui/dom";
import { button, field, note, section, select } from "../ui/fields";
import { toast } from "../ui/toast";
import { plural, thousands } from "../ui/text";
import { Files } from "./files";

const AUTO = "auto";

/** The mesh of a cache: the one mesh among the chosen files. */
export function restOf(tables: Tables | null, paths: string[]): string | null {
  const meshes = paths.filter((path) => kindOf(tables, path)?.rest);
  return meshes.length === 1 && paths.some((path) => kindOf(tables, path)?.needs_mesh) ? meshes[0] : null;
}

/** Whether what was made and may not be saved yet can go. */
export function mayReplace(app: App): boolean {
  const made = app.session.store.now.server?.versions.filter((version) => version.kind !== "file") ?? [];
  return (
    made.length === 0 ||
    confirm(
      `This closes what is open, with ${plural(made.length, "version")} made of it. What is not saved is lost.`,
    )
  );
}

/** Whether they were opened. */
export async function openPaths(app: App, paths: string[], rest: string | null): Promise<boolean> {
  const others = paths.filter((path) => path !== rest);
  if (others.length === 0 || !mayReplace(app)) return false;
  app.session.store.set({ loading: "Opening" });
  const done = await app.session.ask({ do: "open", paths: others, rest });
  app.session.store.set({ loading: null });
  return done !== null;
}

/** Files of this computer go to the session's temporary folder first. */
export async function openDropped(app: App, files: File[]): Promise<void> {
  const { store } = app.session;
  try {
    const paths: string[] = [];
    for (const file of files) {
      store.set({ loading: `Sending ${file.name}` });
      paths.push(await upload(file));
    }
    await openPaths(app, paths, restOf(store.now.tables, paths));
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), "error");
  }
  store.set({ loading: null });
}

export function openPanel(app: App): HTMLElement {
  const tables = () => app.session.store.now.tables;
  let chosen: string[] = [];
  let rest = AUTO;
  const restChoice = h("div", { class: "part" });
  const ready = h("div", { class: "part ready" });
  const openChosen = async () => {
    if (await openPaths(app, chosen, rest === AUTO ? restOf(tables(), chosen) : rest || null)) files.clear();
  };
  const drawReady = () => {
    const meshes = chosen
      .filter((path) => kindOf(tables(), path)?.rest)
      .map((path): [string, string] => [path, path.split("/").at(-1)!]);
    const choices: [string, string][] = [[AUTO, "Automatic"], ["", "None"], ...meshes];
    fill(
      restChoice,
      chosen.length > 1 &&
        meshes.length > 0 &&
        field(
          "Rest pose",
          select("Rest pose", "open-rest", choices, rest, (value) => (rest = value)),
          "The mesh that goes with a point cache.",
        ),
    );
    fill(
      ready,
      button({
        label: chosen.length ? `Open ${plural(chosen.length, "file")}` : "Open",
        id: "open-chosen",
        kind: "main",
        disabled: !chosen.length,
        act: () => void openChosen(),
      }),
    );
  };
  const files = new Files(app, {
    id: "files",
    accepts: (entry) => kindOf(tables(), entry.name)?.opens === true,
    chosen: (paths) => {
      chosen = paths;
      rest = AUTO;
      drawReady();
    },
    open: (path) => void openPaths(app, [path], null),
    // Meshes of one kind, and nothing else: the frames of an animation.
    folderOf: (entries) => {
      const kinds = new Set(entries.map((entry) => kindOf(tables(), entry.name)));
      const [kind] = kinds;
      return entries.length > 1 && kinds.size === 1 && kind?.rest ? plural(entries.length, "frame") : null;
    },
  });
  drawReady();
  return h(
    "div",
    { class: "panel" },
    autosavePart(app),
    openedPart(app),
    section("Drop or choose", dropZone(app)),
    section("Files in the studio’s folders", files.element, restChoice, ready),
  );
}

function dropZone(app: App): HTMLElement {
  const input = h("input", {
    type: "file",
    multiple: true,
    hidden: true,
    "data-testid": "file-input",
    "aria-label": "Files to open",
    onchange: () => {
      const files = [...(input.files ?? [])];
      // So that the same file can be chosen again.
      input.value = "";
      void openDropped(app, files);
    },
  });
  return h(
    "div",
    { class: "drop", "data-testid": "drop-zone" },
    h("p", {}, "Drop an animation anywhere on this page, with its mesh if it is a point cache."),
    h(
      "div",
      { class: "buttons" },
      button({ label: "Choose files", icon: "open", id: "choose-files", act: () => input.click() }),
      button({
        label: "Sample",
        id: "open-sample",
        hint: "A creature that walks",
        act: () => void (mayReplace(app) && app.session.ask({ do: "open_sample" })),
      }),
    ),
    input,
  );
}

function autosavePart(app: App): HTMLElement {
  return part(
    app,
    "autosave",
    (look) => [look.server?.autosave?.name, look.server?.autosave?.when],
    (look) => {
      const autosave = look.server?.autosave;
      if (!autosave) return [];
      const when = new Date(autosave.when * 1000).toLocaleString();
      return [
        h(
          "section",
          { class: "offer" },
          h("p", {}, `The last session, ${autosave.name}, ended without being closed (${when}).`),
          note(
            "What was opened, versions and the curve come back; steps to undo, a motion that was not accepted and a character that was being posed do not.",
          ),
          h(
            "div",
            { class: "buttons" },
            button({
              label: "Restore it",
              id: "restore",
              kind: "main",
              act: () => void app.session.ask({ do: "restore" }),
            }),
            button({
              label: "Discard it",
              id: "discard",
              act: () => void app.session.ask({ do: "discard" }),
            }),
          ),
        ),
      ];
    },
  );
}

function openedPart(app: App): HTMLElement {
  return part(
    app,
    "opened",
    (look) => [look.server?.revision],
    (look) => {
      const state = look.server;
      if (!state || !isOpen(look)) return [];
      const facts: [string, string][] = [
        ["Vertices", thousands(state.vertices)],
        ["Triangles", thousands(state.triangles)],
        ["Frames", `${thousands(state.frames)} at ${state.fps} fps`],
      ];
      if (state.clips.length > 1) facts.push(["Clips", String(state.clips.length)]);
      return [
        section(
          "Open now",
          h("p", { class: "name-line", "data-testid": "opened-name", title: state.name }, state.name),
          h(
            "dl",
            { class: "facts" },
            facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
          ),
          button({
            label: "Close",
            icon: "close",
            id: "close",
            act: () => void (mayReplace(app) && app.session.ask({ do: "close" })),
          }),
          state.has_original ? null : note("This file holds a rig and no original to compare it with."),
        ),
      ];
    },
  );
}
