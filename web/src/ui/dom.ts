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
