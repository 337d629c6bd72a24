// Part A of the suite personalize: fitting one user after the other, as `nearkin personalize` does: users a second on all cores, against the same fits by
// PyTorch's L-BFGS. Each contender has one process for each core.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machine } from "./harness.ts";
import { type Answer, type Peer, startPeer } from "./peer.ts";
import type { FitsResult, FitTimes } from "./personalize-report.ts";
import { cases, type PersonalizeCase, writeUsers } from "./personalize-world.ts";

const TSX = ["--conditions=@nearkin/source", "--import", "tsx"];
const CONTENDERS: readonly { name: string; command: string; args: string[] }[] = [
  ...["wasm", "wasm-relaxed", "native"].map((kind) => ({
    name: kind,
    command: process.execPath,
    args: [...TSX, "bench/personalize-peer.ts", kind],
  })),
  { name: "PyTorch", command: process.env.PYTHON ?? "python3", args: ["bench/torch_personalize_peer.py"] },
];

interface Contender {
  name: string;
  peers: Peer[];
}

export async function timeFits(rounds: number): Promise<FitsResult> {
  const info = machine();
  const folder = mkdtempSync(join(tmpdir(), "nearkin-bench-"));
  const contenders: Contender[] = [];
  try {
    for (const { name, command, args } of CONTENDERS) {
      const peers: Peer[] = [];
      for (let core = 0; core < info.cores; core++) {
        const peer = await startPeer(name, command, args, { OPENBLAS_NUM_THREADS: "1" });
        if (peer) peers.push(peer);
      }
      if (peers.length === info.cores) contenders.push({ name, peers });
    }
    const results: FitTimes[] = [];
    for (const c of cases) {
      const file = join(folder, "users.f64");
      writeUsers(file, c);
      results.push(await contend(contenders, c, file, rounds));
    }
    const torch = contenders.find(({ name }) => name === "PyTorch")?.peers[0].about.torch;
    return {
      date: new Date().toISOString().slice(0, 10),
      machine: info,
      rounds,
      torch: torch === undefined ? null : String(torch),
      cases: results,
    };
  } finally {
    for (const { peers } of contenders) for (const peer of peers) peer.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All contenders in turn, round after round; the first round warms up. */
async function contend(
  contenders: readonly Contender[],
  c: PersonalizeCase,
  file: string,
  rounds: number,
): Promise<FitTimes> {
  const best: Record<string, number> = {};
  const found: Record<string, { value: number; iterations: number }> = {};
  for (let round = 0; round <= rounds; round++) {
    for (const { name, peers } of contenders) {
      process.stderr.write(`\r\u001b[K${c.name}, round ${round} of ${rounds}: ${name}`);
      const share = c.users / peers.length;
      const started = performance.now();
      const answers = await Promise.all(
        peers.map((peer, k) =>
          peer.answer({ case: c, file, from: Math.round(k * share), to: Math.round((k + 1) * share) }),
        ),
      );
      const seconds = (performance.now() - started) / 1000;
      if (round > 0) best[name] = Math.max(best[name] ?? 0, c.users / seconds);
      found[name] = { value: mean(answers, "values"), iterations: mean(answers, "iterations") };
    }
  }
  process.stderr.write("\r\u001b[K");
  return { ...c, best, found };
}

function mean(answers: readonly (Answer | undefined)[], field: "values" | "iterations"): number {
  const numbers = answers.flatMap((answer) => answer?.[field] as number[]);
  return numbers.reduce((sum, value) => sum + value / numbers.length, 0);
}
