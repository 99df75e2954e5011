/**
 * The socket to the server: requests with answers, messages to all tabs, binary packets. Connects again by
 * itself, waiting longer after every failure; requests that were under way then fail with a sentence.
 */
import { type Packet, packetOf } from "./packet";
import type { Answer, AnswerTo, Message } from "./protocol";
import type { Action } from "./types";

const FIRST_WAIT = 250;
const LONGEST_WAIT = 5000;

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

export interface Listener {
  message(message: Message): void;
  packet(packet: Packet): void;
  connected(yes: boolean): void;
  /** The server that is there is another one, which does not know this page. */
  refused(): void;
}

export class Socket {
  private socket: WebSocket | null = null;
  private waiting = new Map<number, Waiting>();
  private nextId = 1;
  private wait = FIRST_WAIT;

  constructor(
    private readonly address: string,
    private readonly listener: Listener,
    /** Whether the server that answers is one that knows this page; fails where none answers. */
    private readonly knows: () => Promise<boolean>,
  ) {
    this.connect();
  }

  get open(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /** Sends a request; the promise holds the server's answer or its sentence of refusal. */
  request<A extends Action>(action: A): Promise<AnswerTo<A["do"]>> {
    if (!this.open)
      return Promise.reject(new Error("The server is not connected. It is tried again by itself."));
    const id = this.nextId++;
    const answer = new Promise<Answer>((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    this.socket!.send(JSON.stringify({ id, ...action }));
    return answer as Promise<AnswerTo<A["do"]>>;
  }

  /** Breaks the connection as a lost network would; it comes back by itself. */
  breakOff(): void {
    this.socket?.close();
  }

  private connect(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.listener.connected(true);
    };
    socket.onmessage = (event) => this.receive(event.data as string | ArrayBuffer);
    socket.onclose = () => this.lost();
  }

  private lost(): void {
    this.listener.connected(false);
    for (const { reject } of this.waiting.values())
      reject(new Error("The connection was lost before the answer came."));
    this.waiting.clear();
    setTimeout(() => void this.again(), this.wait);
    this.wait = Math.min(LONGEST_WAIT, this.wait * 2);
  }

  /** A socket does not tell why it was refused, so the server is asked in another way first. */
  private async again(): Promise<void> {
    if (await this.knows().catch(() => true)) this.connect();
    else this.listener.refused();
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      this.listener.packet(packetOf(data));
      return;
    }
    const message = JSON.parse(data) as Message;
    if (!("id" in message) || message.id === null) {
      this.listener.message(message);
      return;
    }
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if ("error" in message) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message.ok);
  }
}
