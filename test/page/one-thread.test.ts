// Behind a proxy that takes the isolating headers away, memory cannot be shared: the page computes the same on one thread.
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { answeredIds, expectListOfApi, shownIds } from "./lists.ts";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

let proxy: Server;
let at: string;
beforeAll(async () => {
  proxy = createServer((asked, answer) => {
    const { origin: _, host: __, ...headers } = asked.headers; // to the server this page is one of another origin
    const forward = request(inject("demo").url + asked.url, { method: asked.method, headers }, (answered) => {
      const kept = Object.entries(answered.headers).filter(
        ([name]) => !/^cross-origin-(?:opener|embedder)-policy$/.test(name),
      );
      answer.writeHead(answered.statusCode ?? 502, Object.fromEntries(kept));
      answered.pipe(answer);
    });
    asked.pipe(forward);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  at = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterAll(() => {
  proxy.closeAllConnections();
  proxy.close();
});

test("not isolated: the model is opened here all the same, and ranks as the API does", async () => {
  const { page } = await visit("/items/alien-1979", { at });
  await settled(page);
  await page.getByText("Computed in your browser").waitFor();
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
  expect(await shownIds(page)).toEqual(await answeredIds(page));
  await page.getByRole("slider", { name: "plot", exact: true }).fill("3");
  await expect.poll(() => page.url()).toContain("weights=plot:");
  await expectListOfApi(page);
});
