/** The keyboard. Keys that are typed into a field stay there. */
import type { App } from "../app";
import { closeToasts } from "./toast";
import { TOGGLES, VIEWS, available } from "./topbar";

/** Whether the keyboard moved on the page last, and not the mouse. */
let byKeyboard = false;

export function listenToKeys(app: App): void {
  addEventListener("pointerdown", () => (byKeyboard = false), true);
  addEventListener(
    "keydown",
    (event) => (byKeyboard ||= event.key === "Tab" || event.key.startsWith("Arrow")),
    true,
  );
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && app.pointer.cancel()) return event.preventDefault();
    if (typing(event.target)) return;
    if (walked(event)) return event.preventDefault();
    const held = event.ctrlKey || event.metaKey;
    if (held ? history(app, event) : event.altKey ? look(app, event) : plain(app, event))
      event.preventDefault();
  });
}

function typing(target: EventTarget | null): boolean {
  const input = target instanceof HTMLInputElement && !["range", "checkbox"].includes(target.type);
  return input || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

/** Up and down go through the rows of a list, Home and End to its ends; Enter and Space choose. */
function walked(event: KeyboardEvent): boolean {
  const list =
    event.target instanceof HTMLElement && event.target.matches(".row") && event.target.closest(".list");
  if (!list) return false;
  const rows = [...list.querySelectorAll<HTMLElement>(".row")];
  const at = rows.indexOf(event.target as HTMLElement);
  const places: Record<string, number> = {
    ArrowUp: at - 1,
    ArrowDown: at + 1,
    Home: 0,
    End: rows.length - 1,
  };
  const to = places[event.key];
  if (to === undefined) return false;
  rows[to]?.focus();
  return true;
}

/** Whether Space is for the control that has the keyboard. */
function pressed(target: EventTarget | null): boolean {
  return byKeyboard && target instanceof HTMLElement && target.matches("button, summary, input, a");
}

function history(app: App, event: KeyboardEvent): boolean {
  const key = event.key.toLowerCase();
  if (key === "s") {
    app.session.store.set({ tool: "save" });
    document.querySelector<HTMLElement>('[data-testid="save-start"]')?.focus();
    return true;
  }
  const redo = (key === "z" && event.shiftKey) || key === "y";
  if (key !== "z" && key !== "y") return false;
  if (app.session.store.now.server?.[redo ? "redo" : "undo"])
    void app.session.ask({ do: redo ? "redo" : "undo" });
  return true;
}

/** Straight from a side. */
function look(app: App, event: KeyboardEvent): boolean {
  const side = (["front", "side", "top"] as const)[Number(event.code.replace("Digit", "")) - 1];
  if (!side || !event.code.startsWith("Digit")) return false;
  return (app.stage.frame(side), true);
}

/** Whether the key meant something. */
function plain(app: App, event: KeyboardEvent): boolean {
  const { store } = app.session;
  const look = store.now;
  const many = event.shiftKey ? 10 : 1;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const view = VIEWS[Number(key) - 1];
  if (view && available(look, view[0])) return (store.set({ view: view[0] }), true);
  const toggle = TOGGLES.find(([, , , letter]) => letter === key);
  if (toggle) return (store.set({ [toggle[0]]: !look[toggle[0]] }), true);
  switch (key) {
    case " ":
      // Who reached a control by keyboard means it; who clicked it before means the timeline.
      if (pressed(event.target)) return false;
      if (event.target instanceof HTMLElement && event.target.matches("button, input")) event.target.blur();
      return (app.timeline.toggle(), true);
    case "ArrowLeft":
    case "ArrowRight":
      if (event.target instanceof HTMLInputElement) return false;
      return (app.timeline.go(look.frame + (key === "ArrowLeft" ? -many : many)), true);
    case "Home":
      return (app.timeline.go(0), true);
    case "End":
      return (app.timeline.go(Infinity), true);
    case "e":
      return (app.timeline.goWorst(), true);
    case "f":
      return (app.stage.frame(), true);
    case "[":
    case "]":
      return (
        store.set({
          brush: {
            ...look.brush,
            radius: Math.min(0.4, Math.max(0.01, look.brush.radius * (key === "[" ? 0.85 : 1 / 0.85))),
          },
        }),
        true
      );
    case "?":
      return (store.set({ help: !look.help }), true);
    case "Escape":
      closeToasts();
      return (store.set(look.help ? { help: false } : { bone: null, joint: null }), true);
    default:
      return false;
  }
}
