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
    const typed = Number.isFinite(input.valueAsNumber) ? input.valueAsNumber : options.value;
    // There are no half bones or frames.
    const value = Math.min(high, Math.max(low, options.step === 1 ? Math.round(typed) : typed));
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

/** A box to tick. */
export function check(label: string, id: string, on: boolean, act: (on: boolean) => void): HTMLElement {
  const box = h("input", {
    type: "checkbox",
    checked: on,
    "data-testid": id,
    onchange: () => act(box.checked),
  });
  return h("label", { class: "check" }, box, label);
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
          tabindex: key === value ? 0 : -1,
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
  moveByArrows(row);
  return row;
}

/** Shows which of a segmented row is down. */
export function mark(row: HTMLElement, value: string): void {
  for (const child of row.children) {
    const down = child.getAttribute("data-key") === value;
    child.setAttribute("aria-checked", String(down));
    child.setAttribute("tabindex", down ? "0" : "-1");
  }
}

/**
 * Arrows, Home and End go through the buttons of a group, as in tabs and radio groups everywhere: the one they reach is
 * chosen and has the keyboard. The Tab key enters and leaves the group as a whole, by tabindex.
 */
export function moveByArrows(group: HTMLElement): void {
  group.addEventListener("keydown", (event) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
    const buttons = [...group.querySelectorAll<HTMLButtonElement>("button:not(:disabled)")];
    const at = buttons.findIndex((button) => button === document.activeElement);
    const ends: Record<string, number> = { Home: 0, End: buttons.length - 1 };
    const to =
      event.key in ends
        ? ends[event.key]
        : (at + (steps[event.key] ?? NaN) + buttons.length) % buttons.length;
    const id = buttons[to]?.getAttribute("data-testid");
    if (at < 0 || !id) return;
    event.preventDefault();
    // Neither the timeline nor the page takes the key as well.
    event.stopPropagation();
    buttons[to].click();
    // What it does may have drawn the group anew.
    document.querySelector<HTMLElement>(`[data-testid="${id}"]`)?.focus();
  });
}

export function section(name: string, ...children: (HTMLElement | null | false)[]): HTMLElement {
  return h("section", {}, h("h2", {}, name), ...children.filter((child) => !!child));
}

export const note = (text: string, id?: string): HTMLElement =>
  h("p", { class: "note", "data-testid": id }, text);
