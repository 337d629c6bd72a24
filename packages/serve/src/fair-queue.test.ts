import { expect, test } from "vitest";
import { FairQueue } from "./fair-queue.ts";

/** Work that notes its name when it begins, and ends when it is let go. */
function noted() {
  const begun: string[] = [];
  const letGo: (() => void)[] = [];
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => letGo.push(() => resolve(name)));
  };
  return { begun, letGo, work };
}

test("one task of each caller in turn, however many one of them has", async () => {
  const { begun, letGo, work } = noted();
  const queue = new FairQueue();
  const names = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"];
  const done = Promise.all(names.map((name) => queue.run(work(name), { caller: name[0] })));
  expect(queue.size).toBe(7);
  for (const i of names.keys()) {
    await expect.poll(() => letGo.length).toBe(i + 1);
    letGo[i]();
  }
  expect(await done).toEqual(names);
  expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]); // a2 waited before anybody else came
  await expect.poll(() => queue.size).toBe(0);
});

test("callers leave places for the next one; without any it is BUSY, but not for the server's own work", async () => {
  const { begun, letGo, work } = noted();
  const queue = new FairQueue({ limit: 4 });
  const first = queue.run(work("first"), { caller: "a" });
  const ask = (caller: string) => queue.run(work(caller), { caller });
  const refused = (caller: string) => expect(queue.run(work("no"), { caller })).rejects.toMatchObject({ code: "BUSY" });
  const waiting = [ask("a"), ask("a")];
  await refused("a");
  waiting.push(ask("b"));
  await refused("b");
  waiting.push(ask("c"));
  await refused("d");
  const own = queue.run(work("own"));
  const further = queue.run(work("further"), { caller: "a", goesOn: true });
  const all = [first, ...waiting, own, further];
  for (const i of all.keys()) {
    await expect.poll(() => letGo.length).toBe(i + 1);
    letGo[i]();
  }
  await Promise.all(all);
  expect(begun).not.toContain("no");
});

test("a task whose caller is gone is dropped, one that fails stops none, and closing ends those that wait", async () => {
  const { begun, letGo, work } = noted();
  const queue = new FairQueue();
  const failing = queue.run(() => Promise.reject(new Error("broken")), { caller: "a" });
  const gone = new AbortController();
  const dropped = queue.run(work("dropped"), { caller: "a", signal: gone.signal });
  const kept = queue.run(work("kept"), { caller: "a" });
  const late = queue.run(work("late"), { caller: "b" });
  gone.abort(new Error("hung up"));
  await expect(dropped).rejects.toThrow("hung up");
  await expect(failing).rejects.toThrow("broken");
  await expect(queue.run(work("never"), { signal: gone.signal })).rejects.toThrow("hung up");
  await expect.poll(() => begun).toEqual(["kept"]);
  queue.close();
  await expect(late).rejects.toMatchObject({ code: "ENGINE_CLOSED" });
  letGo[0]();
  expect(await kept).toBe("kept");
  await expect(queue.run(work("no"))).rejects.toMatchObject({ code: "ENGINE_CLOSED" });
});
