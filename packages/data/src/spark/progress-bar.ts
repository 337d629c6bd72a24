// How far Spark is, by the bar that its command line draws on standard error, over and over: [Stage 3:====>    (12 + 2) / 40].

export interface SparkProgress {
  /** Tasks of the stage that is under way, the last of them where there are several. */
  done: number;
  tasks: number;
}

const BARS = /^(\[Stage \d+:[=> ]*\((\d+) \+ \d+\) \/ (\d+)\])+/;

/** What a line says beside the bars that it begins with, and what those say. */
export function readBars(line: string): { progress: SparkProgress | undefined; rest: string } {
  const [bars = "", , done, tasks] = BARS.exec(line) ?? [];
  return {
    progress: bars === "" ? undefined : { done: Number(done), tasks: Number(tasks) },
    rest: line.slice(bars.length),
  };
}
