import type { EncodeEstimate, EncodeProgress } from "../encoders/index.ts";

/** What `prepare` tells while it works; a caller may print it. */
export type PrepareEvent =
  /** The columns and files are settled; work begins. */
  | { type: "start"; out: string; steps: number; resumed: boolean }
  | { type: "step"; name: string; title: string; number: number; steps: number }
  /** `kept`: an earlier run had done it. */
  | {
      type: "done";
      name: string;
      title: string;
      number: number;
      steps: number;
      seconds: number;
      kept: boolean;
      detail: string;
    }
  /** How far a step is, as far as it is known. */
  | { type: "tasks"; title: string; number: number; steps: number; done: number; tasks: number }
  | { type: "encode"; channel: string; progress: EncodeProgress }
  | { type: "estimate"; channel: string; estimate: EncodeEstimate }
  /** Something the user should know. */
  | { type: "note"; text: string };
