/** Saving: any format, into a folder of the server or to this computer; a picture; a report. */
import { type App, part } from "../app";
import { type Look, current } from "../store";
import { h } from "../ui/dom";
import { listFiles } from "../net/data";
import { withToken } from "../net/token";
import type { Version } from "../net/types";
import { button, field, note, section, select } from "../ui/fields";

const RIGS: [string, string][] = [
  ["glb", "GLB: engines, browsers"],
  ["sinew", "Sinew: every number as solved"],
  ["fbx", "FBX: Maya, Unreal, Unity"],
];
const JOINTS: [string, string][] = [["bvh", "BVH: joints and their motion"]];
const CHARACTER: [string, string][] = [["deform", "Deform: handles and examples"]];
const POSITIONS: [string, string][] = [
  ["usdz", "USDZ: USD in one file"],
  ["usda", "USDA: USD as text"],
  ["abc", "Alembic: mesh and positions"],
  ["npz", "NPZ: NumPy, mesh and positions"],
  ["npy", "NPY: NumPy, positions alone"],
  ["pc2", "PC2: point cache, positions alone"],
  ["mdd", "MDD: point cache, positions alone"],
  ["obj", "OBJ: mesh in the first frame"],
  ["ply", "PLY: mesh in the first frame"],
];

const POINTS_ALONE =
  "Faces, UVs, materials, bones, weights and corrections are lost: keep the mesh beside it to open it again.";
/** What a format cannot hold. */
const LOSES: Record<string, string> = {
  bvh: "The mesh, its weights and corrections are lost: joints and their motion are what stays.",
  usda: "Images of textures are lost; USDZ holds them.",
  abc: "Bones, weights, corrections and images of textures are lost: every pose is stored.",
  npz: "Bones, weights, corrections, UVs and materials are lost: every pose is stored.",
  npy: POINTS_ALONE,
  pc2: POINTS_ALONE,
  mdd: POINTS_ALONE,
  obj: "Motion, bones, weights and corrections are lost: one pose is stored.",
  ply: "Motion, bones, weights, corrections, UVs and materials are lost: one pose is stored.",
};

/** What a version can be written as. */
function formatsOf(version: Version): [string, string][] {
  if (version.kind === "deform") return [...CHARACTER, ...POSITIONS];
  if (version.chain) return [RIGS[1], ...POSITIONS];
  return [...RIGS, ...POSITIONS, ...(version.skeleton ? JOINTS : [])];
}
/** No vertex is off by more than this many percent of the diagonal. */
const COMPACT = 0.05;
const form = { format: "glb", folder: "", name: "", compact: false };

const stem = (look: Look): string =>
  (look.server?.name ?? "rig")
    .split("/")
    .at(-1)!
    .replace(/\.[^.]*$/, "")
    .replace(/[^\w.-]+/g, "-") || "rig";

export function savePanel(app: App): HTMLElement {
  return h(
    "div",
    { class: "panel" },
    part(
      app,
      "save",
      (look) => [
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

function parts(app: App, look: Look): HTMLElement[] {
  const version = current(look);
  if (!version || !look.server)
    return [note("There is nothing to save yet: fit a rig, or open one and change it.")];
  const folders = look.server.folders;
  if (!folders.includes(form.folder)) form.folder = folders[0] ?? "";
  const base = form.name || stem(look);
  const name = h("input", {
    type: "text",
    value: base,
    "data-testid": "save-name",
    "aria-label": "File name without its ending",
    onchange: () => (form.name = name.value.trim()),
  });
  const formats = formatsOf(version);
  if (!formats.some(([format]) => format === form.format)) form.format = formats[0][0];
  const path = (extension: string) => {
    const written = name.value
      .trim()
      .replace(/[\\/:*?"<>|]/g, "-")
      .replace(/^\.+/, "");
    form.name =
      (written.endsWith(`.${extension}`) ? written.slice(0, -extension.length - 1) : written) || stem(look);
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
    const options = form.compact && form.format === "glb" ? { compact: COMPACT } : {};
    void app.session.ask("save", {
      version: version.id,
      path: target,
      options,
    });
  };
  const link = (href: string, text: string, id: string) =>
    h("a", { class: "button", href, download: "", "data-testid": id }, text);
  const exported = () => withToken(`/export?version=${version.id}&format=${form.format}`);
  const download = link(exported(), "Download", "download");
  const loses = h("span", { class: "hint", "data-testid": "save-loses" }, LOSES[form.format] ?? "");
  loses.hidden = !LOSES[form.format];
  const choose = (format: string) => {
    form.format = format;
    loses.textContent = LOSES[format] ?? "";
    loses.hidden = !LOSES[format];
    download.href = exported();
  };
  return [
    section(
      "Save the current version",
      h("p", { class: "name-line", title: version.name }, version.name),
      field("Format", select("Format", "save-format", formats, form.format, choose)),
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
      h("label", { class: "check" }, compact, "Store less (GLB): no vertex moves visibly"),
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
          act: () =>
            void app.session.ask("picture", { version: version.id, frame: look.frame, path: path("png") }),
        }),
        button({
          label: "Report",
          id: "save-report",
          disabled: !folders.length,
          act: () => void app.session.ask("report", { path: path("html") }),
        }),
        link(withToken("/export/report"), "Download report", "download-report"),
      ),
    ),
  ];
}
