/** Controls that all panels share, so that they look and behave alike. */
import { h } from "./dom";
import { icon } from "./icons";

export interface ButtonOptions {
  label: string;
  act: () => void;
  /** For tests. */
  id: string;
  icon?: string;
  kind?: "main" | "plain" | "danger" | "";
  /** What it does, shown under the pointer. */
  hint?: string;
  iconOnly?: boolean;
  disabled?: boolean;
}

export function button(options: ButtonOptions): HTMLButtonElement {
  return h(
    "button",
    {
      type: "button",
      class: options.kind ?? "",
      "data-testid": options.id,
      "aria-label": options.label,
      title: options.hint ?? (options.iconOnly ? options.label : null),
      disabled: options.disabled,
      onclick: options.act,
    },
    options.icon ? icon(options.icon) : null,
    options.iconOnly ? null : h("span", {}, options.label),
  );
}

/** A label over a control, with a sentence under it when there is one. */
export function field(label: string, control: HTMLElement, hint?: string): HTMLElement {
  return h(
    "label",
    { class: "field" },
    h("span", { class: "name" }, label),
    control,
    hint ? h("span", { class: "hint" }, hint) : null,
  );
}

export interface NumberOptions {
  label: string;
  id: string;
  value: number;
  min?: number;
  max?: number;
  step?: number;
  act?: (value: number) => void;
}

export function number(options: NumberOptions): HTMLInputElement {
  const input = h("input", {
    type: "number",
    "data-testid": options.id,
    "aria-label": options.label,
    value: options.value,
    min: options.min,
    max: options.max,
    step: options.step ?? "any",
  });
  input.addEventListener("change", () => {
    const low = options.min ?? -Infinity;
    const high = options.max ?? Infinity;
    const value = Math.min(
      high,
      Math.max(low, Number.isFinite(input.valueAsNumber) ? input.valueAsNumber : options.value),
    );
    input.value = String(value);
    options.act?.(value);
  });
  return input;
}

/** A slider with its value written beside it. */
export function slider(
  options: NumberOptions & { show: (value: number) => string; live?: boolean },
): HTMLElement {
  const shown = h("output", {}, options.show(options.value));
  const input = h("input", {
    type: "range",
    "data-testid": options.id,
    "aria-label": options.label,
    min: options.min,
    max: options.max,
    step: options.step ?? "any",
    value: options.value,
  });
  input.addEventListener("input", () => {
    shown.textContent = options.show(input.valueAsNumber);
    if (options.live !== false) options.act?.(input.valueAsNumber);
  });
  if (options.live === false) input.addEventListener("change", () => options.act?.(input.valueAsNumber));
  return h("div", { class: "slider" }, input, shown);
}

export function select(
  label: string,
  id: string,
  choices: [string, string][],
  value: string,
  act: (value: string) => void,
): HTMLSelectElement {
  const control = h(
    "select",
    { "data-testid": id, "aria-label": label, onchange: () => act(control.value) },
    choices.map(([key, text]) => h("option", { value: key, selected: key === value }, text)),
  );
  return control;
}

/** A row of buttons of which one is down. */
export function segmented(
  label: string,
  id: string,
  choices: [string, string, string?][],
  value: string,
  act: (value: string) => void,
): HTMLElement {
  const row = h(
    "div",
    { class: "segmented", role: "radiogroup", "aria-label": label, "data-testid": id },
    choices.map(([key, text, hint]) =>
      h(
        "button",
        {
          type: "button",
          role: "radio",
          "aria-checked": String(key === value),
          "data-testid": `${id}-${key}`,
          "data-key": key,
          title: hint,
          onclick: () => {
            mark(row, key);
            act(key);
          },
        },
        text,
      ),
    ),
  );
  return row;
}

/** Shows which of a segmented row is down. */
export function mark(row: HTMLElement, value: string): void {
  for (const child of row.children)
    child.setAttribute("aria-checked", String(child.getAttribute("data-key") === value));
}

export function section(name: string, ...children: (HTMLElement | null | false)[]): HTMLElement {
  return h("section", {}, h("h3", {}, name), ...children.filter((child) => !!child));
}

export const note = (text: string, id?: string): HTMLElement =>
  h("p", { class: "note", "data-testid": id }, text);
