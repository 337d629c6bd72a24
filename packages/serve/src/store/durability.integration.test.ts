// A process that is killed in the middle of writing, again and again: what it said was written is there, and nothing is there by half.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { BATCH, sizesOf } from "../testing/batches.ts";
import { libsqlPlaces, openAt, type Place, type Places, postgresPlaces } from "../testing/places.ts";
import { noPostgres } from "../testing/postgres.ts";

const program = fileURLToPath(new URL("../testing/write-until-killed.ts", import.meta.url));
const KILLS = 4;

/** The batches that a writer named before it was killed, with this many of them read. */
async function killedWriter({ location, options }: Place, prefix: string, afterLines: number): Promise<string[]> {
  const args = [program, location, options.schema ?? "", prefix];
  const child = spawn(process.execPath, ["--import", "tsx", "--conditions=@nearkin/source", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (lines.push(line) === afterLines) child.kill("SIGKILL");
  }
  expect(await exit).toEqual([null, "SIGKILL"]);
  return lines;
}

function describeKills(title: string, start: () => Places | Promise<Places>, skip: boolean): void {
  describe.skipIf(skip)(title, () => {
    test("what was acknowledged is whole, and what was not is whole or not there", async () => {
      await using places = await start();
      const place = places.fresh();
      const acknowledged: string[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        acknowledged.push(...(await killedWriter(place, `${kill}`, 3 + 11 * kill)));
        await using store = await openAt(place); // at once: no lock is left behind
        const { events, items } = await sizesOf(store);
        const found = [...events.keys()]
          .map((name) => `events ${name}`)
          .concat([...items.keys()].map((name) => `items ${name}`));
        expect(acknowledged.filter((name) => !found.includes(name))).toEqual([]);
        expect([...events, ...items].filter(([, size]) => size !== BATCH)).toEqual([]);
        expect(await store.events.count()).toBe(events.size * BATCH);
      }
      expect(acknowledged.length).toBeGreaterThanOrEqual(3 + 14 + 25 + 36);
    });
  });
}

describeKills("killed while writing to libsql", libsqlPlaces, false);
describeKills(`killed while writing to PostgreSQL${noPostgres}`, postgresPlaces, noPostgres !== "");
