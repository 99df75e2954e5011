/** Bones by their names, as a tree where there is a skeleton: choose, find, rename, hide, and lock for a refit. */
import { type App, part } from "../app";
import { type Look, current } from "../store";
import { css, distinct } from "../viewer/colours";
import { h } from "../ui/dom";
import { button, note, section } from "../ui/fields";
import { icon } from "../ui/icons";
import { plural } from "../ui/text";

/** Fewer bones are found at a glance. */
const MANY = 10;
let renaming = false;

export function outliner(app: App): HTMLElement {
  const { store } = app.session;
  let wanted = "";
  const find = h("input", {
    type: "search",
    placeholder: "Find a bone",
    "aria-label": "Find a bone",
    "data-testid": "bone-find",
    oninput: () => {
      wanted = find.value.trim().toLowerCase();
      store.set({ tree: [...store.now.tree] });
    },
  });
  const list = part(
    app,
    "bone-tree",
    (look) => [look.tree, look.bone, look.hidden, look.locked, current(look) === null],
    (look) => {
      find.hidden = look.tree.length < MANY;
      if (!current(look)) return [note("Fit a rig or open one: then its bones can be turned.")];
      const rows = inOrder(look).filter(({ name }) => name.toLowerCase().includes(wanted));
      return [
        h(
          "div",
          { class: "list", role: "group", "aria-label": "Bones" },
          rows.map((row) => boneRow(app, look, row)),
        ),
        rows.length === 0 && note("No bone is called so."),
      ];
    },
  );
  // A bone that was picked on the surface is brought to sight.
  store.on(
    (look) => [look.bone],
    (look) =>
      list.querySelector(`[data-testid="bone-row-${look.bone}"]`)?.scrollIntoView({ block: "nearest" }),
  );
  const acts = part(
    app,
    "bone-acts",
    (look) => [look.bone, look.tree, look.locked, look.hidden, current(look)?.rig, look.server?.has_original],
    (look) => actions(app, look),
  );
  return section("Bones", find, list, acts);
}

interface Row {
  bone: number;
  name: string;
  depth: number;
}

/** Bones below those that they hang on. */
function inOrder({ tree }: Look): Row[] {
  const rows: Row[] = [];
  const below = (parent: number | null, depth: number): void =>
    tree.forEach(({ name, parent: own }, bone) => {
      if (own !== parent) return;
      rows.push({ bone, name, depth });
      below(bone, depth + 1);
    });
  below(null, 0);
  return rows;
}

function boneRow(app: App, look: Look, { bone, name, depth }: Row): HTMLElement {
  const { store } = app.session;
  const chosen = look.bone === bone;
  const flip = (of: "hidden" | "locked", picture: string, what: string): HTMLElement => {
    const on = look[of].has(bone);
    return h(
      "button",
      {
        type: "button",
        class: "plain small",
        "aria-pressed": String(on),
        "aria-label": `${what} ${name}`,
        title: `${what} ${name}`,
        "data-testid": `bone-${of}-${bone}`,
        onclick: () => store.set({ [of]: without(look[of], bone) }),
      },
      icon(picture),
    );
  };
  const dot = h("span", { class: "swatch" });
  dot.style.background = css(distinct(bone));
  const row = h(
    "button",
    {
      type: "button",
      class: "row grow",
      title: name,
      "aria-pressed": String(chosen),
      "data-testid": `bone-row-${bone}`,
      onclick: () => store.set({ bone: chosen ? null : bone }),
    },
    dot,
    h("span", { class: "grow" }, name),
  );
  row.style.paddingLeft = `${0.5 + 0.6 * Math.min(depth, 12)}rem`;
  return h("div", { class: "bone-row" }, row, flip("hidden", "hide", "Hide"), flip("locked", "lock", "Lock"));
}

/** The set with the bone, or without where it was there. */
function without(set: ReadonlySet<number>, bone: number): ReadonlySet<number> {
  const other = new Set(set);
  if (!other.delete(bone)) other.add(bone);
  return other;
}

function actions(app: App, look: Look): (HTMLElement | null | false)[] {
  const { store } = app.session;
  const version = current(look);
  if (!version) return [];
  const { bone, locked } = look;
  if (renaming && bone !== null) return [renameField(app, look, version.id, bone)];
  renaming = false;
  const rename = () => {
    renaming = true;
    store.set({ tree: [...store.now.tree] });
    document.querySelector<HTMLInputElement>('[data-testid="bone-name"]')?.select();
  };
  const refit = () =>
    void app.session.ask({
      do: "fit",
      method: "best",
      kind: null,
      improve: version.id,
      lock: [...locked],
      influences: version.influences,
    });
  return [
    h(
      "div",
      { class: "buttons tight" },
      button({
        label: "Rename",
        icon: "pencil",
        id: "bone-rename",
        kind: "plain",
        disabled: bone === null || !version.rig,
        act: rename,
      }),
      button({
        label: locked.size ? `Refit but ${plural(locked.size, "bone")}` : "Refit",
        icon: "fit",
        id: "bone-refit",
        kind: "plain",
        hint: "Improves the rig against the original, as a new version; locked bones keep their motion",
        disabled: !version.rig || version.errors_key === null || locked.size === version.bones,
        act: refit,
      }),
      look.hidden.size > 0 &&
        button({
          label: "Show all",
          id: "bone-show-all",
          kind: "plain",
          act: () => store.set({ hidden: new Set() }),
        }),
    ),
  ];
}

function renameField(app: App, look: Look, version: number, bone: number): HTMLElement {
  const old = look.tree[bone]?.name ?? "";
  const input = h("input", {
    type: "text",
    value: old,
    "aria-label": `New name of ${old}`,
    "data-testid": "bone-name",
  });
  const end = (keep: boolean) => {
    if (!renaming) return;
    renaming = false;
    const name = input.value.trim();
    if (keep && name && name !== old) void app.session.ask({ do: "rename_bone", version, bone, name });
    app.session.store.set({ tree: [...app.session.store.now.tree] });
  };
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter" || event.key === "Escape") end(event.key === "Enter");
  });
  input.addEventListener("blur", () => end(true));
  return input;
}
