/**
 * Requests that follow a hand: one under way at a time, in order, and of the moves that wait only the newest is sent, so that
 * a slow server lags by one answer and never by a queue. Keeps how long answers took.
 */
import type { ActionOf, AnswerTo } from "../net/protocol";
import type { Session } from "../session";

const KEPT = 1000;

type Name = "turn" | "brush" | "pose";
type Answer = AnswerTo<Name> | null;

interface Request<Following extends Name> {
  action: ActionOf<Following>;
  move: boolean;
  done(answer: Answer): void;
}

export class Live<Following extends Name> {
  /** Milliseconds from asking for a move to its positions being here. */
  readonly samples: number[] = [];
  private queue: Request<Following>[] = [];
  private busy = false;

  constructor(private readonly session: Session) {}

  /** Sends something that must arrive: the beginning, the end. */
  send(action: ActionOf<Following>): Promise<Answer> {
    return this.push(action, false);
  }

  /** Sends where the hand is; left out when it is elsewhere before its turn comes. */
  move(action: ActionOf<Following>): void {
    void this.push(action, true);
  }

  private push(action: ActionOf<Following>, move: boolean): Promise<Answer> {
    if (this.queue.at(-1)?.move) this.queue.pop()!.done(null);
    const answer = new Promise<Answer>((done) => this.queue.push({ action, move, done }));
    if (!this.busy) void this.drain();
    return answer;
  }

  private async drain(): Promise<void> {
    this.busy = true;
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      const start = performance.now();
      const answer = await this.session.ask<ActionOf<Name>>(next.action);
      if (answer && next.move) this.samples.push(performance.now() - start);
      if (this.samples.length > KEPT) this.samples.shift();
      next.done(answer);
    }
    this.busy = false;
  }
}
