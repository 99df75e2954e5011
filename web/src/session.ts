/** The page's tie to the server: requests, what comes back, and telling people when something fails. */
import { Socket } from "./net/socket";
import { withToken } from "./net/token";
import type { Job, Packet, State } from "./net/types";
import { Store } from "./store";
import { toast } from "./ui/toast";

/** Work that nobody waits for: its failure is told when it ends. Others are told to the tab that asked. */
const UNATTENDED = new Set(["fit", "curve", "skeleton", "save", "preview"]);

export class Session {
  readonly store = new Store();
  private readonly socket: Socket;
  private readonly listeners = new Set<(packet: Packet) => void>();

  constructor() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new Socket(withToken(`${scheme}://${location.host}/ws`), {
      message: (message) => this.message(message),
      packet: (packet) => this.listeners.forEach((listener) => listener(packet)),
      connected: (yes) =>
        this.store.set(yes ? { connected: true, wasConnected: true } : { connected: false, jobs: [] }),
    });
  }

  /** Asks for something; a refusal is shown as a toast and gives null. */
  async ask(name: string, fields: Record<string, unknown> = {}): Promise<Record<string, unknown> | null> {
    try {
      return await this.socket.request(name, fields);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "error");
      return null;
    }
  }

  onPacket(listener: (packet: Packet) => void): void {
    this.listeners.add(listener);
  }

  breakOff(): void {
    this.socket.breakOff();
  }

  private message(message: Record<string, unknown>): void {
    if (message.state) this.takeState(message.state as State);
    if (message.job) this.takeJob(message.job as Job);
  }

  private takeState(state: State): void {
    const known = new Map(this.store.now.jobs.map((job) => [job.id, job]));
    const jobs = (state.jobs ?? []).map((job) => ({ ...known.get(job.id), ...job }));
    this.store.set({ server: state, jobs });
  }

  private takeJob(job: Job): void {
    const others = this.store.now.jobs.filter((other) => other.id !== job.id);
    if (!job.ended) {
      this.store.set({ jobs: [...others, job].sort((a, b) => a.id - b.id) });
      return;
    }
    this.store.set({ jobs: others });
    if (job.ended === "failed" && UNATTENDED.has(job.kind))
      toast(`${title(job.kind)} failed: ${job.error ?? "no reason was given"}`, "error");
    if (job.ended === "cancelled") toast(`${title(job.kind)} was cancelled.`, "note");
    const path = job.result?.path;
    if (job.ended === "done" && typeof path === "string") toast(`Saved ${path}`, "good");
    for (const warning of (job.result?.warnings as string[] | undefined) ?? []) toast(warning, "note");
  }
}

export const title = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
