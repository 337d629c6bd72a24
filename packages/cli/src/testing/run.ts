import { main } from "../main.ts";

/** Runs a command line and gathers what it wrote. */
export async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = "";
  let err = "";
  const code = await main(args, {
    write: (text) => {
      out += text;
    },
    log: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}
