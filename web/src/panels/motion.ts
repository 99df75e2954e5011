/** Transplanting: open a motion, put its joints to bones, align, preview, accept. */
import { type App, asks, part } from "../app";
import { upload } from "../net/data";
import { kindOf } from "../net/files";
import type { AdjustOrder, Axis, Facing, Mapping, Plant, Transplant, Word } from "../net/types";
import { type Look, boneName, current } from "../store";
import { css, distinct } from "../viewer/colours";
import { h } from "../ui/dom";
import { button, check, field, note, number, section, select } from "../ui/fields";
import { toast } from "../ui/toast";
import { digits, plural } from "../ui/text";
import { Files } from "./files";

const form = { start: 0, frames: 48, motionFrame: 0, rigFrame: 0 };
const UPS: [Axis | "", string][] = [
  ["", "Y, as most files have it"],
  ["z", "Z"],
  ["x", "X"],
];
/** What was opened last, to be opened again with another axis up. */
const opened: { paths: string[]; up: Axis | "" } = { paths: [], up: "" };

async function openPaths(app: App, paths: string[], up: Axis | "" = ""): Promise<void> {
  // The state that shows it may be here before the answer.
  Object.assign(opened, { paths, up });
  await app.session.ask({ do: "motion", paths, up: up || null });
}

export async function openMotion(app: App, files: File[]): Promise<void> {
  try {
    const paths: string[] = [];
    for (const file of files) paths.push(await upload(file));
    await openPaths(app, paths);
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), "error");
  }
}

export function motionPanel(app: App): HTMLElement {
  let chosen: string[] = [];
  const files = new Files(app, {
    id: "motion-files",
    accepts: (entry) => kindOf(app.session.store.now.tables, entry.name)?.motion === true,
    chosen: (paths) => (chosen = paths),
    open: (path) => void openPaths(app, [path]),
  });
  const input = h("input", {
    type: "file",
    multiple: true,
    hidden: true,
    "data-testid": "motion-input",
    "aria-label": "Motion files",
    onchange: () => void openMotion(app, [...(input.files ?? [])]),
  });
  const openChosen = () => {
    if (chosen.length) void openPaths(app, chosen);
    else toast("Choose a motion in the list first.", "note");
  };
  const chooser = section(
    "Open a motion",
    part(
      app,
      "motion-kinds",
      (look) => [look.tables],
      (look) => {
        const kinds = look.tables?.files.filter((kind) => kind.motion).flatMap((kind) => kind.labels) ?? [];
        return [
          note(
            `${kinds.join(", ")}. Its joints are put to the rig's bones by shape and movement; you correct what is wrong.`,
          ),
        ];
      },
    ),
    button({ label: "Choose files", icon: "open", id: "motion-choose", act: () => input.click() }),
    input,
    files.element,
    button({ label: "Open the motion", id: "motion-open", kind: "main", act: openChosen }),
  );
  const state = part(
    app,
    "motion-state",
    (look) => [look.server?.transplant, current(look)?.id, look.joint, look.tree],
    (look) => {
      const transplant = look.server?.transplant;
      chooser.hidden = !!transplant || !current(look);
      if (!current(look)) return [note("Fit a rig or open one: then other motion can be moved onto it.")];
      return transplant ? mappingParts(app, look, transplant) : [];
    },
  );
  return h("div", { class: "panel" }, state, chooser);
}

function mappingParts(app: App, look: Look, transplant: Transplant): HTMLElement[] {
  return [
    section(
      "Motion",
      h("p", { class: "name-line", title: transplant.name }, transplant.name),
      note(
        `${plural(transplant.joints.length, "joint")}, ${plural(transplant.frames, "frame")} at ${digits(transplant.fps)} fps. Click a joint, then the bone on the surface that follows it.`,
      ),
      opened.paths.length > 0 &&
        field(
          "Up",
          select(
            "Which way is up",
            "motion-up",
            UPS,
            opened.up,
            (up) => void openPaths(app, opened.paths, up as Axis | ""),
          ),
        ),
    ),
    ...warned(transplant),
    section("Which joint each bone follows", mapList(app, look, transplant)),
    mannerSection(app, look, transplant),
    alignSection(app, transplant),
    previewSection(app, transplant),
  ];
}

function warned({ warnings }: Transplant): HTMLElement[] {
  if (warnings.length === 0) return [];
  const items = warnings.map((warning) => h("li", {}, warning));
  const list = h("ul", { class: "warnings" }, items);
  return [h("div", { role: "alert", "data-testid": "motion-warnings" }, list)];
}

function mapList(app: App, look: Look, transplant: Transplant): HTMLElement {
  const { store } = app.session;
  const followers = transplant.joints.map((_, joint) => transplant.map.filter((m) => m.joint === joint));
  const add = (joint: number): HTMLElement =>
    select(
      `Bone for ${transplant.joints[joint].name}`,
      `map-${joint}`,
      [["", "+"], ...look.tree.map(({ name }, bone): [string, string] => [String(bone), name])],
      "",
      (v) => {
        if (v !== "") void app.session.ask({ do: "map", joint, bone: Number(v) });
      },
    );
  const rows = transplant.joints.map((joint, i) =>
    h(
      "div",
      { class: "map-row", "data-testid": `source-${i}`, "data-chosen": String(look.joint === i) },
      h(
        "button",
        {
          type: "button",
          class: "row grow",
          title: joint.name,
          "aria-pressed": String(look.joint === i),
          onclick: () => store.set({ joint: look.joint === i ? null : i }),
        },
        swatch(i),
        h("span", { class: "grow" }, joint.name),
      ),
      h(
        "span",
        { class: "chips" },
        followers[i].map((m) => chip(app, boneName(look, m.bone), joint.name, m)),
      ),
      add(i),
    ),
  );
  return h("div", { class: "list tall" }, rows);
}

const swatch = (n: number): HTMLElement => {
  const dot = h("span", { class: "swatch" });
  dot.style.background = css(distinct(n));
  return dot;
};

function chip(app: App, name: string, follows: string, { bone, because, joint }: Mapping): HTMLElement {
  const drop = () => void app.session.ask({ do: "map", joint, bone: null });
  return h(
    "button",
    {
      type: "button",
      class: "chip",
      title: `${name}: ${because}. Click to take it off.`,
      "aria-label": `${name} follows ${follows}; take it off`,
      "data-testid": `mapped-${bone}`,
      onclick: drop,
    },
    name,
  );
}

/** Which way it faces, its sides, its way and its feet. What is shown of it already is shown anew. */
function mannerSection(app: App, look: Look, transplant: Transplant): HTMLElement {
  const { facing, mirror, plant, in_place, align } = transplant;
  const adjust = async (change: Partial<AdjustOrder>) => {
    const done = await app.session.ask({ do: "adjust", facing, mirror, plant, in_place, ...change });
    if (done && transplant.preview !== null) preview(app);
  };
  // What stands after the colon is for those who have room to read.
  const words = (all: Word[] = []) =>
    all.map(({ name, about }): [string, string] => [name, about.split(":")[0]]);
  const faces = select(
    "Which way the rig faces",
    "motion-facing",
    words(look.tables?.facings),
    facing,
    (v) => void adjust({ facing: v as Facing }),
  );
  faces.disabled = align.faced_by === "names";
  const told = facing === "auto" ? `Told by ${align.faced_by} here.` : "";
  return section(
    "How it is taken over",
    field("The rig faces", faces, faces.disabled ? "The same names on both sides tell it." : told),
    field(
      "Feet that stand",
      select(
        "Feet that stand",
        "motion-plant",
        words(look.tables?.plants),
        plant,
        (v) => void adjust({ plant: v as Plant }),
      ),
    ),
    check("Left and right exchanged", "motion-mirror", mirror, (on) => void adjust({ mirror: on })),
    check(
      "In place: the way over the ground is taken out",
      "motion-in-place",
      in_place,
      (on) => void adjust({ in_place: on }),
    ),
  );
}

/** −1 stands for the bind pose and the rest pose, which are of no frame. */
const frameOrNone = (frame: number): number | null => (frame < 0 ? null : frame);

function alignSection(app: App, transplant: Transplant): HTMLElement {
  const { align } = transplant;
  form.motionFrame = align ? (align.motion_frame ?? -1) : form.motionFrame;
  form.rigFrame = align ? (align.rig_frame ?? -1) : form.rigFrame;
  return section(
    "Poses that are the same",
    h(
      "div",
      { class: "pair" },
      field(
        "Motion's frame",
        number({
          label: "Frame of the motion",
          id: "align-motion",
          value: form.motionFrame,
          min: -1,
          max: transplant.frames - 1,
          step: 1,
          act: (v) => (form.motionFrame = v),
        }),
      ),
      field(
        "Rig's frame",
        number({
          label: "Frame of the rig",
          id: "align-rig",
          value: form.rigFrame,
          min: -1,
          step: 1,
          act: (v) => (form.rigFrame = v),
        }),
      ),
    ),
    note("−1 is the bind pose and the rest pose."),
    h(
      "div",
      { class: "buttons" },
      button({
        label: "Align",
        id: "align",
        act: () =>
          void app.session.ask({
            do: "align",
            motion_frame: frameOrNone(form.motionFrame),
            rig_frame: frameOrNone(form.rigFrame),
          }),
      }),
      button({ label: "Find them", id: "align-auto", act: asks(app, { do: "align", auto: true }) }),
    ),
  );
}

const preview = (app: App): void =>
  void app.session.ask({ do: "preview", start: form.start, frames: form.frames });

function previewSection(app: App, transplant: Transplant): HTMLElement {
  const shown = transplant.preview !== null && transplant.preview !== undefined;
  form.frames = Math.min(form.frames, transplant.frames);
  return section(
    "Result",
    h(
      "div",
      { class: "pair" },
      field(
        "Start",
        number({
          label: "First frame of the motion",
          id: "preview-start",
          value: form.start,
          min: 0,
          max: transplant.frames - 1,
          step: 1,
          act: (v) => (form.start = v),
        }),
      ),
      field(
        "Frames",
        number({
          label: "Number of frames",
          id: "preview-frames",
          value: form.frames,
          min: 1,
          max: transplant.frames,
          step: 1,
          act: (v) => (form.frames = v),
        }),
      ),
    ),
    h(
      "div",
      { class: "buttons" },
      button({
        label: "Preview",
        id: "preview",
        kind: shown ? "" : "main",
        act: () => preview(app),
      }),
      button({
        label: "Accept",
        id: "accept",
        kind: shown ? "main" : "",
        disabled: !shown,
        act: asks(app, { do: "accept" }),
      }),
      button({ label: "Drop it", id: "drop-motion", act: asks(app, { do: "drop_motion" }) }),
    ),
  );
}
