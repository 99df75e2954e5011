/** The page's tie to the server: requests, what comes back, and telling people when something fails. */
import { isKnown } from "./net/data";
import { Socket } from "./net/socket";
import { withToken } from "./net/token";
import type { Packet } from "./net/packet";
import type { AnswerTo, Message } from "./net/protocol";
import type { Action, News, State } from "./net/types";
import { Store } from "./store";
import { closeToasts, toast } from "./ui/toast";

export class Session {
  readonly store = new Store();
  private readonly socket: Socket;
  private readonly listeners = new Set<(packet: Packet) => void>();

  constructor() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const listener = {
      message: (message: Message) => this.message(message),
      packet: (packet: Packet) => this.listeners.forEach((listener) => listener(packet)),
      connected: (yes: boolean) =>
        this.store.set(yes ? { connected: true, wasConnected: true } : { connected: false, jobs: [] }),
      refused: () => this.store.set({ refused: true }),
    };
    this.socket = new Socket(withToken(`${scheme}://${location.host}/ws`), listener, isKnown);
  }

  /** Asks for something; a refusal is shown as a toast and gives null. */
  async ask<A extends Action>(action: A): Promise<AnswerTo<A["do"]> | null> {
    try {
      const answer = await this.socket.request(action);
      closeToasts(action.do);
      return answer;
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "error", action.do);
      return null;
    }
  }

  onPacket(listener: (packet: Packet) => void): void {
    this.listeners.add(listener);
  }

  breakOff(): void {
    this.socket.breakOff();
  }

  private message(message: Message): void {
    if ("tables" in message) this.store.set({ tables: message.tables });
    if ("state" in message) this.takeState(message.state);
    if ("job" in message) this.takeJob(message.job);
  }

  private takeState(state: State): void {
    const known = new Map(this.store.now.jobs.map((job) => [job.id, job]));
    const jobs = state.jobs.map((job) => ({ ...known.get(job.id), ...job }));
    this.store.set({ server: state, jobs });
  }

  private takeJob(job: News): void {
    const others = this.store.now.jobs.filter((other) => other.id !== job.id);
    if (!job.ended) {
      this.store.set({ jobs: [...others, job].sort((a, b) => a.id - b.id) });
      return;
    }
    this.store.set({ jobs: others });
    // The tab that waits for work is told of its failure as an answer.
    if (job.ended === "failed" && !job.waited)
      toast(`${title(job.kind)} failed: ${job.error ?? "no reason was given"}`, "error", job.kind);
    if (job.ended === "done") closeToasts(job.kind);
    if (job.ended === "cancelled") toast(`${title(job.kind)} was cancelled.`, "note");
    if (!job.result || !("path" in job.result)) return;
    toast(`Saved ${job.result.path}`, "good");
    for (const warning of job.result.warnings) toast(warning, "note");
  }
}

export const title = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
