/** The bar at the top: what is open, undo and redo, views, what is drawn, help. */
import { type App, part } from "../app";
import { type Look, type View, comparable, current, isOpen, viewOf } from "../store";
import { h } from "./dom";
import { button, mark, segmented } from "./fields";
import { icon } from "./icons";

export const VIEWS: [View, string, string][] = [
  ["result", "Rig", "The result (1)"],
  ["original", "Original", "The animation as it came (2)"],
  ["both", "Side by side", "Original and result (3)"],
  ["difference", "Difference", "Distance to the original as a heat map (4)"],
];

type Toggle = "wireframe" | "bones" | "skeleton" | "weights" | "corrections" | "grid" | "textures";

export const TOGGLES: [Toggle, string, string, string][] = [
  ["wireframe", "Wireframe", "wire", "w"],
  ["bones", "Bones", "bones", "b"],
  ["skeleton", "Skeleton inside", "skeleton", "k"],
  ["weights", "Weights of the picked bone", "weights", "g"],
  ["corrections", "Corrections", "corrections", "c"],
  ["textures", "Textures and colours", "textures", "t"],
  ["grid", "Ground", "grid", "h"],
];

export function topbar(app: App): HTMLElement {
  const { store } = app.session;
  const views = segmented("View", "view", VIEWS, store.now.view, (view) => store.set({ view: view as View }));
  store.on(
    (look) => [viewOf(look), isOpen(look), look.server?.has_original, comparable(look)],
    (look) => {
      mark(views, viewOf(look));
      for (const child of views.children)
        (child as HTMLButtonElement).disabled = !available(look, child.getAttribute("data-key") as View);
    },
  );
  store.on(
    (look) => [look.server?.name],
    (look) => (document.title = look.server?.name ? `${look.server.name} – Sinew Studio` : "Sinew Studio"),
  );
  return h(
    "header",
    { class: "topbar" },
    h(
      "div",
      { class: "brand" },
      icon("bone"),
      h("strong", {}, "Sinew"),
      h("span", { class: "quiet wide-only" }, "Studio"),
    ),
    part(
      app,
      "title",
      (look) => [look.server?.name, isOpen(look)],
      (look) => [
        h(
          "span",
          { class: "file-name", title: look.server?.name },
          isOpen(look) ? (look.server?.name ?? "") : "Nothing open",
        ),
      ],
    ),
    part(
      app,
      "history",
      (look) => [look.server?.undo, look.server?.redo],
      (look) => history(app, look),
    ),
    h("div", { class: "grow" }),
    views,
    part(
      app,
      "toggles",
      (look) => [
        ...TOGGLES.map(([name]) => look[name]),
        current(look)?.skeleton,
        current(look)?.rank,
        look.bone === null,
        look.coloured,
        look.tool === "sculpt",
      ],
      (look) => [toggles(app, look)],
    ),
    h("div", { class: "grow" }),
    part(
      app,
      "connection",
      (look) => [look.connected, look.wasConnected, look.refused],
      (look) => [connection(look)],
    ),
    button({
      label: "Help",
      icon: "help",
      id: "help",
      iconOnly: true,
      kind: "plain",
      hint: "Keys and tools (?)",
      act: () => store.set({ help: true }),
    }),
  );
}

/** Nothing while all is well. */
function connection(look: Look): HTMLElement | null {
  const offline = (...children: (HTMLElement | string)[]) =>
    h("span", { class: "offline", role: "alert", "data-testid": "offline" }, ...children);
  if (look.refused) return offline("The studio was started anew: open the address that it printed.");
  if (look.connected || !look.wasConnected) return null;
  return offline(h("span", { class: "spinner" }), "Reconnecting");
}

export function available(look: Look, view: View): boolean {
  if (!isOpen(look)) return false;
  if (view === "original") return look.server?.has_original === true;
  if (view === "result") return current(look) !== null;
  return (
    current(look) !== null && look.server?.has_original === true && (view === "both" || comparable(look))
  );
}

function history(app: App, look: Look): HTMLElement[] {
  const step = (name: "undo" | "redo", key: string) => {
    const what = look.server?.[name];
    const label = name === "undo" ? "Undo" : "Redo";
    return button({
      label,
      icon: name,
      id: name,
      iconOnly: true,
      kind: "plain",
      disabled: !what,
      hint: what ? `${label}: ${what} (${key})` : `Nothing to ${name}`,
      act: () => void app.session.ask({ do: name }),
    });
  };
  return [h("div", { class: "buttons tight" }, step("undo", "Ctrl-Z"), step("redo", "Ctrl-Shift-Z"))];
}

function toggles(app: App, look: Look): HTMLElement {
  const { store } = app.session;
  return h(
    "div",
    { class: "toggles", role: "group", "aria-label": "What is drawn" },
    TOGGLES.map(([name, label, picture, key]) => {
      const off =
        (name === "skeleton" && !current(look)?.skeleton) ||
        (name === "corrections" && !current(look)?.rank) ||
        // A brush needs the shape alone to be seen.
        (name === "textures" && (!look.coloured || look.tool === "sculpt"));
      return h(
        "button",
        {
          type: "button",
          class: "plain",
          "aria-pressed": String(look[name] && !off),
          disabled: off,
          "aria-label": label,
          title: `${label} (${key.toUpperCase()})`,
          "data-testid": `toggle-${name}`,
          onclick: () => store.set({ [name]: !store.now[name] }),
        },
        icon(picture),
      );
    }),
  );
}
