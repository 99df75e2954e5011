/** Versions: results that are kept, one click apart. */
import { type App, part } from "../app";
import type { Version } from "../net/types";
import { isOpen } from "../store";
import { h } from "../ui/dom";
import { button, note, section } from "../ui/fields";
import { bytes, percent, plural } from "../ui/text";

const KINDS: Record<string, string> = {
  fit: "Fit",
  file: "File",
  edit: "Edit",
  skeleton: "Skeleton",
  transplant: "Motion",
  deform: "Deform",
};
let renaming: number | null = null;

export function versions(app: App): HTMLElement {
  const list = part(
    app,
    "versions",
    // While a name is typed nothing is drawn anew: it would be lost.
    (look) =>
      renaming !== null ? [renaming] : [look.server?.versions, look.server?.current, look.server?.revision],
    (look) => {
      const all = look.server?.versions ?? [];
      if (!isOpen(look)) return [note("Open an animation to begin.")];
      if (all.length === 0)
        return [note("No results yet. A fit, a skeleton or a rig from a file appears here.")];
      const chosen = all.find((version) => version.id === look.server?.current);
      const rows = all.map((version) =>
        renaming === version.id ? renameRow(app, version) : row(app, version, version === chosen),
      );
      return [
        h("div", { class: "list", role: "listbox", "aria-label": "Versions" }, rows),
        chosen ? actions(app, chosen) : null,
      ];
    },
  );
  return section("Versions", list);
}

function row(app: App, version: Version, chosen: boolean): HTMLElement {
  const facts = `${plural(version.bones, "bone")} · ${bytes(version.bytes)}`;
  return h(
    "button",
    {
      type: "button",
      class: "row version",
      role: "option",
      "aria-selected": String(chosen),
      "data-testid": `version-${version.id}`,
      "data-row": version.id,
      title: version.name,
      onclick: () => void app.session.ask({ do: "select", version: version.id }),
    },
    h(
      "span",
      { class: "line" },
      h("span", { class: "grow" }, version.name),
      h("span", {}, percent(version.percent)),
    ),
    h(
      "span",
      { class: "line quiet" },
      h("span", { class: "grow" }, facts),
      h("span", { class: `kind ${version.kind}` }, KINDS[version.kind] ?? version.kind),
    ),
  );
}

/** What can be done with the chosen version. */
function actions(app: App, version: Version): HTMLElement {
  const rename = () => {
    renaming = version.id;
    app.session.store.set({});
    document.querySelector<HTMLInputElement>('[data-testid="rename-input"]')?.select();
  };
  return h(
    "div",
    { class: "buttons tight" },
    button({ label: "Rename", icon: "pencil", id: "rename", kind: "plain", act: rename }),
    button({
      label: "Delete",
      icon: "trash",
      id: "delete",
      kind: "plain",
      act: () => void app.session.ask({ do: "delete", version: version.id }),
    }),
  );
}

function renameRow(app: App, version: Version): HTMLElement {
  const input = h("input", {
    type: "text",
    value: version.name,
    "aria-label": "New name",
    "data-testid": "rename-input",
  });
  const end = (keep: boolean) => {
    if (renaming === null) return;
    renaming = null;
    const name = input.value.trim();
    if (keep && name && name !== version.name)
      void app.session.ask({ do: "rename", version: version.id, name });
    else
      app.session.store.set({
        server: app.session.store.now.server && {
          ...app.session.store.now.server,
          versions: [...app.session.store.now.server.versions],
        },
      });
  };
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter" || event.key === "Escape") end(event.key === "Enter");
  });
  input.addEventListener("blur", () => end(true));
  return h("div", { class: "version-row", "data-row": version.id }, input);
}
