/** Always in sight: error, bones, influences and size of what is shown. */
import { type App, part } from "../app";
import { current, isOpen } from "../store";
import { h } from "../ui/dom";
import { bytes, percent } from "../ui/text";

/** What there is to know about what was read, made or saved last, whichever panel is open. */
export function warnings(app: App): HTMLElement {
  return part(
    app,
    "said",
    (look) => [look.server?.warnings.join("\n")],
    (look) => {
      const said = look.server?.warnings ?? [];
      const items = said.map((warning) => h("li", {}, warning));
      const list = h("ul", { class: "warnings", "data-testid": "warnings" }, items);
      const held = { class: "said", role: "region", tabindex: 0, "aria-label": "Warnings" };
      return [said.length > 0 && h("div", held, list)];
    },
  );
}

export function numbers(app: App): HTMLElement {
  return part(
    app,
    "numbers",
    (look) => [current(look), isOpen(look), look.server?.revision],
    (look) => {
      const version = current(look);
      const bones = version ? String(version.bones) : "–";
      const rigid =
        version && version.rigid_bones === version.bones
          ? "rigid"
          : version && version.rigid_bones > 0
            ? `${version.rigid_bones} rigid`
            : "flexible";
      const cells: [string, string, string, string][] = [
        [
          "error",
          // What was changed on purpose is no mistake.
          version?.kind === "edit" || version?.kind === "transplant" ? "Changed by" : "Error",
          percent(version?.percent),
          "100 · ‖P − Q‖ / ‖P − mean of P over time‖",
        ],
        ["bones", "Bones", bones, version ? rigid : ""],
        [
          "influences",
          "Influences",
          version ? String(version.influences) : "–",
          version && version.rank > 0 ? `and ${version.rank} corrections` : "the most on one vertex",
        ],
        ["bytes", "Size", bytes(version?.bytes), "weights, bones and their motion"],
      ];
      return [
        h(
          "dl",
          { class: "numbers" },
          cells.map(([id, name, value, hint]) =>
            h("div", { title: hint }, h("dt", {}, name), h("dd", { "data-testid": `number-${id}` }, value)),
          ),
        ),
      ];
    },
  );
}
