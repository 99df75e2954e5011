/**
 * A list of files on the server's side: go into folders, choose files. Used to open, and to choose a motion.
 */
import type { App } from "../app";
import { listFiles } from "../net/data";
import type { FileEntry, Listing } from "../net/types";
import { fill, h, redraw } from "../ui/dom";
import { button } from "../ui/fields";
import { icon } from "../ui/icons";
import { bytes } from "../ui/text";

export interface FilesOptions {
  id: string;
  /** Whether a file can be chosen here. */
  accepts(entry: FileEntry): boolean;
  chosen(paths: string[]): void;
  /** Opens at once (double click, Enter). */
  open(path: string): void;
  /** What a folder with these files is opened as, in a word; none where it is no frames. */
  folderOf?(files: FileEntry[]): string | null;
}

export class Files {
  readonly element = h("div", { class: "files" });
  private readonly drawn = h("div", { class: "files" });
  /** What a name has to hold to be listed. */
  private wantedName = "";
  private readonly find = h("input", {
    type: "search",
    placeholder: "Find a file",
    "aria-label": "Find a file",
    hidden: true,
    oninput: () => {
      this.wantedName = this.find.value.trim().toLowerCase();
      this.draw();
    },
  });
  private listing: Listing | null = null;
  private marked = new Set<string>();
  /** The file that a range goes out from: the one that was clicked last. */
  private from: string | null = null;
  private root = "";
  /** Where we are or go to: folders that are listed late must not lead back. */
  private wanted: { folder: string; root: string } | null = null;

  constructor(
    private readonly app: App,
    private readonly options: FilesOptions,
  ) {
    this.find.setAttribute("data-testid", `${options.id}-find`);
    this.element.append(this.find, this.drawn);
    app.session.store.on(
      (look) => [look.server?.folders?.join("\n"), look.connected],
      (look) => {
        const folders = look.server?.folders ?? [];
        if (look.connected && folders.length && !folders.includes(this.root))
          void this.go(folders[0], folders[0]);
        else this.draw();
      },
    );
    // Other programs write here too.
    app.session.store.on(
      (look) => [look.tool, look.server?.saved],
      () => this.refresh(),
    );
    window.addEventListener("focus", () => this.refresh());
  }

  /** Reads the folder again. */
  refresh(): void {
    if (this.wanted) void this.go(this.wanted.folder, this.wanted.root);
  }

  /** Chooses nothing. */
  clear(): void {
    this.marked.clear();
    this.options.chosen([]);
    this.draw();
  }

  get folder(): string {
    return this.listing?.folder ?? this.root;
  }

  private async go(folder: string, root: string): Promise<void> {
    const wanted = { folder, root };
    this.wanted = wanted;
    try {
      const listing = await listFiles(folder);
      if (this.wanted !== wanted) return;
      const before = this.listing?.folder;
      if (JSON.stringify(listing) === JSON.stringify(this.listing)) return;
      this.listing = listing;
      this.root = root;
      const there = new Set(listing.files.map((file) => join(listing.folder, file.name)));
      for (const path of this.marked)
        if (listing.folder !== before || !there.has(path)) this.marked.delete(path);
      this.options.chosen([...this.marked]);
      this.find.hidden = listing.files.length + listing.folders.length < MANY;
      if (listing.folder !== before || this.find.hidden) this.find.value = this.wantedName = "";
      this.draw();
      if (listing.folder !== before) this.element.querySelector(".list")?.scrollTo(0, 0);
    } catch (error) {
      fill(this.drawn, h("p", { class: "note" }, error instanceof Error ? error.message : String(error)));
    }
  }

  private draw(): void {
    const folders = this.app.session.store.now.server?.folders ?? [];
    if (!this.listing) {
      fill(
        this.drawn,
        h(
          "p",
          { class: "note" },
          folders.length
            ? "Reading the folder…"
            : "This studio has no folder of its own: drop files instead.",
        ),
      );
      return;
    }
    const { folder, parent } = this.listing;
    const roots = h(
      "select",
      {
        "aria-label": "Folder of the studio",
        "data-testid": `${this.options.id}-root`,
        onchange: () => void this.go(roots.value, roots.value),
      },
      folders.map((name) => h("option", { value: name, selected: name === this.root }, name)),
    );
    const up = button({
      label: "Folder above",
      icon: "up",
      id: `${this.options.id}-up`,
      iconOnly: true,
      kind: "plain",
      disabled: parent === null,
      act: () => void this.go(parent!, this.root),
    });
    const where = h(
      "div",
      { class: "where" },
      up,
      h("span", { class: "path", title: folder }, h("bdi", {}, folder)),
    );
    redraw(this.drawn, folders.length > 1 ? roots : null, where, this.list(), this.whole());
  }

  private get all(): FileEntry[] {
    return this.listing!.files.filter((entry) => this.options.accepts(entry));
  }

  private get shown(): FileEntry[] {
    const found = this.all.filter((entry) => this.isWanted(entry.name));
    return found.sort((a, b) => byNumber.compare(a.name, b.name));
  }

  private isWanted(name: string): boolean {
    return name.toLowerCase().includes(this.wantedName);
  }

  /** Opens the folder itself, where it holds the frames of one animation. */
  private whole(): HTMLElement | null {
    const what = this.options.folderOf?.(this.all);
    if (!what) return null;
    return button({
      label: `Open the folder as ${what}`,
      icon: "folder",
      id: `${this.options.id}-whole`,
      act: () => this.options.open(this.folder),
    });
  }

  private list(): HTMLElement {
    const { folder } = this.listing!;
    const folders = this.listing!.folders.filter((name) => this.isWanted(name));
    const rows = [
      ...folders.sort(byNumber.compare).map((name) =>
        this.row(
          name,
          "folder",
          "",
          false,
          () => void this.go(join(folder, name), this.root),
          () => undefined,
        ),
      ),
      ...this.shown.map((entry) => {
        const path = join(folder, entry.name);
        return this.row(
          entry.name,
          "file",
          bytes(entry.bytes),
          this.marked.has(path),
          (event) => this.toggle(path, event.shiftKey),
          () => this.options.open(path),
        );
      }),
    ];
    const empty = h("p", { class: "note" }, "Nothing here that can be opened.");
    const options = { role: "listbox", "aria-multiselectable": "true", "aria-label": "Files" };
    return h(
      "div",
      rows.length ? { class: "list", ...options } : { class: "list" },
      rows.length ? rows : empty,
    );
  }

  private row(
    name: string,
    kind: string,
    size: string,
    marked: boolean,
    act: (event: MouseEvent) => void,
    twice: () => void,
  ): HTMLElement {
    return h(
      "button",
      {
        type: "button",
        class: "row",
        role: "option",
        "aria-selected": String(marked),
        "data-testid": `${this.options.id}-${kind}-${name}`,
        title: name,
        onclick: act,
        ondblclick: twice,
      },
      icon(kind),
      h("span", { class: "grow" }, name),
      h("span", { class: "quiet" }, size),
    );
  }

  private toggle(path: string, through: boolean): void {
    const paths = this.shown.map((entry) => join(this.folder, entry.name));
    const [start, end] = [this.from ?? path, path].map((p) => paths.indexOf(p)).sort((a, b) => a - b);
    if (through && start >= 0) paths.slice(start, end + 1).forEach((p) => this.marked.add(p));
    else if (!this.marked.delete(path)) this.marked.add(path);
    this.from = path;
    this.options.chosen([...this.marked]);
    this.draw();
  }
}

/** Frame 9 comes before frame 10. */
const byNumber = new Intl.Collator("en", { numeric: true });
/** Fewer are found at a glance. */
const MANY = 12;

const join = (folder: string, name: string): string => `${folder.replace(/\/+$/, "")}/${name}`;
