// The steps of a run as they are told to whoever watches.
import type { RunContext } from "./steps.ts";

type ReporterContext = Pick<RunContext, "options" | "emit" | "work">;

/** Says what begins and what is done, and stops between steps when asked to. */
export class Reporter {
  readonly #context: ReporterContext;
  readonly #steps: number;
  #number = 0;
  #title = "";

  constructor(context: ReporterContext, steps: number) {
    this.#context = context;
    this.#steps = steps;
    context.emit({ type: "start", out: context.work.out, steps, resumed: context.work.resumed });
  }

  /** A step whose outcome is tables; `count` is a query for the figure to report, in `words`. */
  step(name: string, title: string, run: () => Promise<void>, [count, words]: readonly string[] = []): Promise<void> {
    const { work } = this.#context;
    return this.report(name, title, async () => {
      const kept = (await work.step(name, run)) === "kept";
      if (kept || count === undefined) return { kept, detail: "" }; // its tables may have served their time
      const { n } = await work.database.row<{ n: number }>(`SELECT ${count} AS n`);
      return { kept, detail: `${n.toLocaleString("en")} ${words}` };
    });
  }

  async report(name: string, title: string, run: () => Promise<{ kept: boolean; detail: string }>): Promise<void> {
    const { options, emit } = this.#context;
    options.signal?.throwIfAborted();
    const place = { name, title, number: ++this.#number, steps: this.#steps };
    this.#title = title;
    emit({ type: "step", ...place });
    const started = performance.now();
    const done = await run();
    emit({ type: "done", ...place, ...done, seconds: (performance.now() - started) / 1000 });
  }

  /** How many tasks of the step under way are done. */
  tasks(done: number, tasks: number): void {
    const [title, number, steps] = [this.#title, this.#number, this.#steps];
    this.#context.emit({ type: "tasks", title, number, steps, done, tasks });
  }
}
