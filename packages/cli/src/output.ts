/** Where a command writes. Tests pass their own; `processOutput` is the real one. */
export interface Output {
  /** Results, to standard output. The text carries its own line ends. */
  write(text: string): void;
  /** Progress and complaints, to standard error. The text carries its own line ends. */
  log(text: string): void;
}

export const processOutput: Output = {
  write: (text) => void process.stdout.write(text),
  log: (text) => void process.stderr.write(text),
};
