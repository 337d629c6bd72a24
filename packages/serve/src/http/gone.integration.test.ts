import { connect } from "node:net";
import { expect, test } from "vitest";
import { TinyServer } from "../testing/tiny-server.ts";

test("nothing is scanned for a client that has gone, also where its connection has been answered before", async () => {
  await using tiny = await TinyServer.open({ port: 0 });
  const { context } = tiny.server;
  const { hostname, port } = new URL(await tiny.server.listen());
  const queries = () => context.models.current?.queue.counters.queries ?? 0;
  const id = context.models.current?.catalogue.idOf(0) ?? "";
  const socket = connect(Number(port), hostname);
  let answers = "";
  socket.on("data", (bytes) => {
    answers += bytes;
  });
  const ask = (user: string) =>
    socket.write(`GET /v1/items/${id}/similar?user=${user} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`);
  const before = queries();
  for (let i = 1; i <= 2; i++) {
    ask("ann");
    await expect.poll(() => answers.match(/HTTP\/1.1 200/g)?.length).toBe(i);
  }
  expect(queries()).toBe(before + 2);

  // the next search waits for what is known of its user, and meanwhile the client leaves
  const { metrics } = context.store;
  const read = metrics.get;
  let [isAsked, open] = [false, () => {}];
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  metrics.get = async (user) => {
    isAsked = true;
    await gate;
    return read(user);
  };
  ask("bob");
  await expect.poll(() => isAsked).toBe(true);
  socket.destroy();
  const { server } = tiny.server.app;
  const connections = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
  await expect.poll(connections).toBe(0);
  open();
  await tiny.answer("similarToItem", { params: { id }, query: { user: "bob" } }); // reads the same, behind it
  expect(queries()).toBe(before + 3);
});
