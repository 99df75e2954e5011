import type { Page } from "@playwright/test";

/** Controls that stick out of what holds them, lie over each other, or cut their own words off. */
export function faults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const seen = (element: Element) => element.checkVisibility({ visibilityProperty: true });
    const controls = [
      ...document.querySelectorAll<HTMLElement>("button, input, select, a.button, canvas"),
    ].filter(seen);
    const name = (element: Element) => element.getAttribute("data-testid") ?? element.outerHTML.slice(0, 60);
    for (const control of controls) {
      const box = control.getBoundingClientRect();
      const holder = control
        .closest(".side, .topbar, .rail, .timeline, .view, .help")
        ?.getBoundingClientRect();
      if (!holder) continue;
      if (box.left < holder.left - 1 || box.right > holder.right + 1)
        found.push(`${name(control)} sticks out`);
      if (
        control.tagName === "BUTTON" &&
        !control.classList.contains("row") &&
        control.scrollWidth > control.clientWidth + 1
      ) {
        found.push(`${name(control)} is cut`);
      }
    }
    const buttons = controls.filter((control) => control.tagName === "BUTTON");
    for (let i = 0; i < buttons.length; i++) {
      for (let j = i + 1; j < buttons.length; j++) {
        const [a, b] = [buttons[i].getBoundingClientRect(), buttons[j].getBoundingClientRect()];
        const same =
          buttons[i].closest(".list") !== buttons[j].closest(".list") ||
          buttons[i].closest(".side") !== buttons[j].closest(".side");
        const over =
          Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
        if (over && !same) found.push(`${name(buttons[i])} lies over ${name(buttons[j])}`);
      }
    }
    for (const side of document.querySelectorAll<HTMLElement>(".side, .topbar, .rail, body")) {
      if (side.scrollWidth > side.clientWidth + 1)
        found.push(`${side.className || "the page"} is wider than its place`);
    }
    for (const fixed of document.querySelectorAll<HTMLElement>(".topbar, .rail")) {
      if (fixed.scrollHeight > fixed.clientHeight + 1)
        found.push(`${fixed.className} is taller than its place`);
    }
    return found;
  });
}
