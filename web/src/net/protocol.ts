/** How actions, their answers and messages go together. The types themselves are the server's: see types.ts. */
import type { Action, Answers, Began, JobState, News, State, Tables } from "./types";

/** The action of a name. */
export type ActionOf<Name extends Action["do"]> = Extract<Action, { do: Name }>;

/** What an action is answered with; where it changed something at once, with the revision that came of it. */
export type AnswerTo<Name extends Action["do"]> = (Name extends keyof Answers ? Answers[Name] : Began) & {
  revision?: number;
};

/** Any answer. */
export type Answer = AnswerTo<Action["do"]>;

/** What the server sends: the answer to a request, or word to all tabs. */
export type Message =
  | { id: number; ok: Answer }
  | { id: number | null; error: string }
  | { state: State }
  | { job: News }
  | { tables: Tables };

/** A job as a tab knows it: from the state, and from news of it since. */
export type Job = JobState & Partial<News>;
