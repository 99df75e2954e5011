/** Saving: any format, into a folder of the server or to this computer; a picture; a report. */
import { type App, part } from "../app";
import { type Look, current } from "../store";
import { h } from "../ui/dom";
import { listFiles, upload } from "../net/data";
import { withToken } from "../net/token";
import type { SaveFormat, Seen, Tables, Version } from "../net/types";
import { toast } from "../ui/toast";
import { button, field, note, section, select } from "../ui/fields";

/** What a version can be written as. */
const formatsOf = (tables: Tables | null, version: Version): SaveFormat[] =>
  tables?.saves.filter((format) => version.saves.includes(format.ending)) ?? [];
/** No vertex is off by more than this many percent of the diagonal. */
const COMPACT = 0.05;
const form = { format: "", folder: "", name: "", compact: false };
/** What the name in the form was given for: other files get one of their own. */
let namedFor = "";

/** Where a folder tells what is open from others, it is the better name. */
const stem = (look: Look): string =>
  (look.server?.name ?? "rig")
    .split("/")[0]
    .replace(/\.[^.]*$/, "")
    .replace(/[^\w.-]+/g, "-") || "rig";

/** Not every format can. */
const compactLabel = (formats: SaveFormat[]): string => {
  const names = formats.filter((format) => format.compact).map((format) => format.ending.toUpperCase());
  return `Store less (${names.join(", ")}): no vertex moves visibly`;
};

export function savePanel(app: App): HTMLElement {
  return h(
    "div",
    { class: "panel" },
    part(
      app,
      "save",
      (look) => [
        look.tables,
        current(look)?.id,
        current(look)?.name,
        look.server?.name,
        look.server?.folders.join(),
        look.server?.saved,
        look.frame * Number(look.tool === "save"),
      ],
      (look) => parts(app, look),
    ),
  );
}

/** What the page shows, written by the server. */
async function savePicture(app: App, version: Version, frame: number, path: string): Promise<void> {
  try {
    const drawn = await upload(new File([await app.viewer.picture()], "picture.png", { type: "image/png" }));
    await app.session.ask({ do: "picture", version: version.id, frame, path, drawn });
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), "error");
  }
}

/** How the page shows what is open, for the report: its picture, and the side that the camera is on. */
async function seen(app: App): Promise<Seen> {
  const drawn = await upload(new File([await app.viewer.picture()], "seen.png", { type: "image/png" }));
  return { drawn, frame: app.session.store.now.frame, ...app.viewer.side() };
}

async function saveReport(app: App, path: string): Promise<void> {
  try {
    await app.session.ask({ do: "report", path, seen: await seen(app) });
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), "error");
  }
}

/** The picture goes first: an address has no room for it. */
async function downloadReport(app: App): Promise<void> {
  try {
    const { drawn, frame, azimuth, elevation } = await seen(app);
    const how = `drawn=${encodeURIComponent(drawn ?? "")}&frame=${frame}&azimuth=${azimuth}&elevation=${elevation}`;
    h("a", { href: withToken(`/export/report?${how}`), download: "" }).click();
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), "error");
  }
}

function parts(app: App, look: Look): HTMLElement[] {
  const version = current(look);
  if (!version || !look.server)
    return [note("There is nothing to save yet: fit a rig, or open one and change it.")];
  const folders = look.server.folders;
  if (!folders.includes(form.folder)) form.folder = folders[0] ?? "";
  if (namedFor !== look.server.name) [namedFor, form.name] = [look.server.name, ""];
  const base = form.name || stem(look);
  const name = h("input", {
    type: "text",
    value: base,
    "data-testid": "save-name",
    "aria-label": "File name without its ending",
    oninput: () => {
      form.name = name.value.trim();
      download.href = exported();
    },
  });
  const formats = formatsOf(look.tables, version);
  const chosen = () => formats.find((format) => format.ending === form.format);
  if (!chosen()) form.format = formats[0]?.ending ?? "";
  /** The name as a file may have it. */
  const written = (extension: string) => {
    const typed = name.value
      .trim()
      .replace(/[\\/:*?"<>|]/g, "-")
      .replace(/^\.+/, "");
    return (typed.endsWith(`.${extension}`) ? typed.slice(0, -extension.length - 1) : typed) || stem(look);
  };
  const path = (extension: string) => {
    form.name = written(extension);
    return `${form.folder.replace(/\/+$/, "")}/${form.name}.${extension}`;
  };
  const compact = h("input", {
    type: "checkbox",
    checked: form.compact,
    "data-testid": "save-compact",
    onchange: () => (form.compact = compact.checked),
  });
  const save = async () => {
    const target = path(form.format);
    const there = await listFiles(form.folder).then(
      ({ files }) => files.some((file) => target.endsWith(`/${file.name}`)),
      () => false,
    );
    if (there && !confirm(`${target} is there already. Write over it?`)) return;
    const options = { compact: form.compact && chosen()?.compact ? COMPACT : null };
    void app.session.ask({ do: "save", version: version.id, path: target, options });
  };
  const link = (href: string, text: string, id: string) =>
    h("a", { class: "button", href, download: "", "data-testid": id }, text);
  const exported = () =>
    withToken(
      `/export?version=${version.id}&format=${form.format}&name=${encodeURIComponent(written(form.format))}`,
    );
  const download = link(exported(), "Download", "download");
  const loses = h("span", { class: "hint", "data-testid": "save-loses" });
  const choose = (format: string) => {
    form.format = format;
    loses.textContent = chosen()?.loses ?? "";
    loses.hidden = loses.textContent === "";
    download.href = exported();
  };
  choose(form.format);
  const choices = formats.map(({ ending, label }): [string, string] => [ending, label]);
  return [
    section(
      "Save the current version",
      h("p", { class: "name-line", title: version.name }, version.name),
      field("Format", select("Format", "save-format", choices, form.format, choose)),
      loses,
      folders.length
        ? field(
            "Folder",
            select(
              "Folder",
              "save-folder",
              folders.map((f) => [f, f]),
              form.folder,
              (v) => (form.folder = v),
            ),
          )
        : note("This studio has no folder to save in: download instead."),
      field("Name", name),
      h("label", { class: "check" }, compact, compactLabel(formats)),
      h(
        "div",
        { class: "buttons" },
        button({
          label: "Save",
          id: "save-start",
          kind: "main",
          disabled: !folders.length,
          act: () => void save(),
        }),
        download,
      ),
      look.server.saved
        ? h("p", { class: "note", "data-testid": "saved" }, `Last saved: ${look.server.saved}`)
        : null,
    ),
    section(
      "Picture and report",
      note("The report is one HTML file with plots and pictures, and needs no scripts."),
      h(
        "div",
        { class: "buttons" },
        button({
          label: "Picture of this frame",
          id: "save-picture",
          disabled: !folders.length,
          hint: "As it is seen now: camera, view and all that is drawn",
          act: () => void savePicture(app, version, look.frame, path("png")),
        }),
        button({
          label: "Report",
          id: "save-report",
          disabled: !folders.length,
          hint: "With the frame as it is seen now, and pictures from the same side",
          act: () => void saveReport(app, path("html")),
        }),
        button({ label: "Download report", id: "download-report", act: () => void downloadReport(app) }),
      ),
    ),
  ];
}
