/** Elements in one expression, and nothing more. */
type Child = Node | string | number | null | undefined | false;
type Value = string | number | boolean | null | undefined | ((event: never) => void);

/** `h("button", { class: "quiet", onclick: go }, "Go")`: functions become listeners, false leaves out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Value> = {},
  ...children: (Child | Child[])[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function")
      element.addEventListener(name.replace(/^on/, ""), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter(isShown).map(asNode));
  return element;
}

const isShown = (child: Child): child is Node | string | number =>
  child !== null && child !== undefined && child !== false;
const asNode = (child: Node | string | number): Node | string =>
  child instanceof Node ? child : String(child);

/** Replaces what is inside. */
export function fill(element: Element, ...children: (Child | Child[])[]): void {
  element.replaceChildren(...children.flat().filter(isShown).map(asNode));
}

/** Draws anew what is inside: the keyboard stays where it was, and lists as far down as they were. */
export function redraw(element: Element, ...children: (Child | Child[])[]): void {
  const lists = () => [...element.querySelectorAll(".list")];
  const scrolled = lists().map((list) => list.scrollTop);
  const active = element.contains(document.activeElement) ? document.activeElement : null;
  const focused = active?.getAttribute("data-testid");
  fill(element, ...children);
  if (focused) element.querySelector<HTMLElement>(`[data-testid="${CSS.escape(focused)}"]`)?.focus();
  lists().forEach((list, i) => (list.scrollTop = scrolled[i] ?? 0));
}

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element. */
export function svg(
  tag: string,
  attributes: Record<string, string | number> = {},
  ...children: Node[]
): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
