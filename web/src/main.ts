/** Puts the page together. */
import "./style/base.css";
import "./style/layout.css";
import "./style/parts.css";
import type { App } from "./app";
import { Stage } from "./model/stage";
import { kindOf } from "./net/files";
import { bonePanel } from "./panels/bone";
import { curve } from "./panels/curve";
import { fitPanel } from "./panels/fit";
import { jobs } from "./panels/jobs";
import { motionPanel, openMotion } from "./panels/motion";
import { numbers, warnings } from "./panels/numbers";
import { openDropped, openPanel } from "./panels/open";
import { savePanel } from "./panels/save";
import { sculptPanel } from "./panels/sculpt";
import { skeletonPanel } from "./panels/skeleton";
import { versions } from "./panels/versions";
import { Session } from "./session";
import type { Tool } from "./store";
import { expose } from "./testing";
import { Timeline } from "./timeline/timeline";
import { BoneTool } from "./tools/bone";
import { BrushTool } from "./tools/brush";
import { JointTool } from "./tools/joint";
import { PointerTool } from "./tools/pointer";
import { TurnGizmo } from "./tools/turn";
import { h } from "./ui/dom";
import { moveByArrows } from "./ui/fields";
import { help } from "./ui/help";
import { icon } from "./ui/icons";
import { listenToKeys } from "./ui/keys";
import { toastTray } from "./ui/toast";
import { topbar } from "./ui/topbar";
import { legend } from "./viewer/legend";
import { Overlays } from "./viewer/overlays";
import { Viewer } from "./viewer/viewer";

const TOOLS: [Tool, string, (app: App) => HTMLElement][] = [
  ["open", "Open", openPanel],
  ["fit", "Fit", fitPanel],
  ["bone", "Bone", bonePanel],
  ["sculpt", "Sculpt", sculptPanel],
  ["motion", "Motion", motionPanel],
  ["skeleton", "Skeleton", skeletonPanel],
  ["save", "Save", savePanel],
];

function rail(app: App): HTMLElement {
  const { store } = app.session;
  const buttons = TOOLS.map(([tool, label]) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${tool}`,
        "aria-controls": `panel-${tool}`,
        "data-testid": `tool-${tool}`,
        "aria-label": label,
        onclick: () => store.set({ tool }),
      },
      icon(tool),
      h("span", {}, label),
    ),
  );
  store.on(
    (look) => [look.tool],
    (look) =>
      TOOLS.forEach(([tool], i) => {
        buttons[i].setAttribute("aria-selected", String(tool === look.tool));
        buttons[i].setAttribute("tabindex", tool === look.tool ? "0" : "-1");
      }),
  );
  const tabs = { role: "tablist", "aria-orientation": "vertical", "aria-label": "Tools" };
  const rail = h("div", tabs, buttons);
  moveByArrows(rail);
  return h("nav", { class: "rail", "aria-label": "Tools" }, rail);
}

function toolPanel(app: App): HTMLElement {
  const panels = TOOLS.map(([tool, , make]) =>
    h(
      "div",
      {
        role: "tabpanel",
        id: `panel-${tool}`,
        "aria-labelledby": `tab-${tool}`,
        "data-testid": `panel-${tool}`,
      },
      make(app),
    ),
  );
  const holder = h("aside", { class: "side left", "aria-label": "Tool" }, panels);
  app.session.store.on(
    (look) => [look.tool],
    (look) => {
      TOOLS.forEach(([tool], i) => (panels[i].hidden = tool !== look.tool));
      holder.scrollTop = 0;
    },
  );
  return holder;
}

/** Files dropped anywhere are opened; a motion, while the motion tool is chosen, is put to the rig. */
function listenToDrops(app: App): void {
  const shade = h("div", { class: "drop-shade", hidden: true }, h("p", {}, "Drop to open"));
  document.body.append(shade);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    shade.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) shade.hidden = true;
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    shade.hidden = true;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    const { tool, tables } = app.session.store.now;
    const motion = tool === "motion" && files.every((file) => kindOf(tables, file.name)?.motion);
    void (motion ? openMotion(app, files) : openDropped(app, files));
  });
}

function start(): void {
  const session = new Session();
  const picture = h("div", { class: "picture" });
  const viewer = new Viewer(picture);
  const stage = new Stage(session, viewer);
  const gizmo = new TurnGizmo(viewer);
  const bone = new BoneTool(session, stage, gizmo);
  const overlays = new Overlays(session, viewer, stage);
  const brush = new BrushTool(session, viewer, stage, overlays);
  const joint = new JointTool(session, viewer, stage, gizmo);
  const pointer = new PointerTool(session, viewer, stage, brush, gizmo);
  const app: App = { session, viewer, stage, timeline: new Timeline(session), bone, pointer };
  const view = h(
    "main",
    { class: "view" },
    picture,
    legend(app),
    h("div", { class: "tray" }, jobs(app)),
    toastTray(),
  );
  const right = h(
    "aside",
    { class: "side right", "aria-label": "Results" },
    numbers(app),
    warnings(app),
    versions(app),
    curve(app),
  );
  document.body.append(topbar(app), rail(app), toolPanel(app), view, right, app.timeline.element, help(app));
  listenToKeys(app);
  listenToDrops(app);
  expose(app, overlays, brush, joint);
}

start();
