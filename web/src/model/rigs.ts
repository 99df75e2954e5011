/** Rigs that were fetched, the last few kept, so that flipping between versions takes no time. */
import { type VersionKey, loadRig } from "../net/data";
import type { Rig } from "./rig";

const KEPT = 6;

export class Rigs {
  private rigs = new Map<string, Rig>();

  clear(): void {
    this.rigs.clear();
  }

  /** The rig of a version as it is now. `waiting` is called when it has to be fetched. */
  async get(version: VersionKey, waiting: () => void): Promise<Rig> {
    const have = this.rigs.get(version.key);
    if (have) return have;
    waiting();
    const rig = await loadRig(version);
    this.rigs.set(version.key, rig);
    for (const old of this.rigs.keys()) if (this.rigs.size > KEPT) this.rigs.delete(old);
    return rig;
  }
}
