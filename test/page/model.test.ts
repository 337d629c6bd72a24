// Model: what was learned and how, two models side by side, and changing over. On a server of its own, since the active model is everybody's.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type NearkinClient } from "@nearkin/client";
import type { Locator } from "playwright";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Listening, listenNearkin } from "./nearkin.ts";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

let folder: string;
let server: Listening;
let client: NearkinClient;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-models-"));
  const { folder: demo } = inject("demo");
  const models = [join(demo, "model"), join(demo, "model-split")];
  server = await listenNearkin(
    ["serve", ...models, "--store", join(folder, "users.db"), "--port", "0", "--log", "error"],
    /the page is at (http:\S+?)\/\n/,
  );
  client = createClient({ url: server.url });
});
afterAll(async () => {
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

const idOf = async (name: string): Promise<string> =>
  (await client.models.list()).models.find((model) => model.folder === name)?.id ?? "";

/** How many colours a canvas shows, and what part of it is drawn on. */
const drawnOn = (canvas: Locator): Promise<{ colours: number; part: number }> =>
  canvas.evaluate((element: HTMLCanvasElement) => {
    const { width, height } = element;
    const pixels = new Uint32Array(element.getContext("2d")?.getImageData(0, 0, width, height).data.buffer ?? []);
    const inked = pixels.filter((pixel) => pixel >>> 24 > 128);
    return { colours: new Set(inked).size, part: inked.length / pixels.length };
  });

test("curves are drawn, a key reads them step by step, and the table behind has the same numbers", async () => {
  const id = await idOf("model-split");
  const { stages } = await client.models.training(id);
  const { page } = await visit(`/model/${id}`, { at: server.url });
  await settled(page);
  const charts = page.locator(".step-plot");
  expect(await charts.count()).toBeGreaterThanOrEqual(2 * stages.length);
  for (const chart of await charts.all()) {
    const { colours, part } = await drawnOn(chart.locator("canvas"));
    expect(colours).toBeGreaterThan(2);
    expect(part).toBeGreaterThan(0.005);
  }
  const loss = page.getByRole("slider", { name: "training loss, stage siamese, by step" });
  const { points = [] } = stages[0].curves ?? {};
  await loss.focus();
  await page.keyboard.press("Home");
  const first = points.flatMap(({ step, loss: value }) =>
    value === null ? [] : [[step, Number(value.toPrecision(4))]],
  );
  const said = async () => ((await loss.getAttribute("aria-valuetext")) ?? "").match(/[\d.]+/g)?.map(Number);
  const near = ([step, value]: readonly number[]) => [step, expect.closeTo(value, 1)];
  await expect.poll(said).toEqual(near(first[0]));
  await page.keyboard.press("ArrowRight");
  await expect.poll(said).toEqual(near(first[1]));

  const frame = page.locator("figure").filter({ has: page.getByRole("heading", { name: "Training loss" }) });
  await frame.getByRole("button", { name: "Table" }).click();
  const rows = await frame
    .locator("tbody tr")
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  const shown = rows
    .filter(([stage]) => stage === "siamese")
    .map(([, step, value]) => [Number.parseInt(String(step), 10), Number(value)]);
  expect(shown).toEqual(first);
});

test("weights are the model's, warnings and the simulation are said", async () => {
  const id = await idOf("model");
  const { models } = await client.models.list();
  const channels = models.find((model) => model.id === id)?.channels ?? [];
  const { warnings } = await client.models.training(id);
  const { page } = await visit(`/model/${id}`, { at: server.url });
  await settled(page);
  const card = page
    .locator("figure")
    .filter({ has: page.getByRole("heading", { name: "Channel weights" }) })
    .first();
  await card.getByRole("button", { name: "Table" }).click();
  const rows = await card
    .locator("tbody tr")
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  const expected = channels
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ name, type, weight }) => [name, type, weight.toFixed(4)]);
  expect(rows.map((row) => row.slice(0, 3))).toEqual(expected);
  expect(warnings.length).toBeGreaterThan(0);
  for (const { text } of warnings) expect(await page.locator("main").textContent()).toContain(text);
  await page.getByText("Simulated users and ratings.").waitFor();
});

test("two models side by side, with the items whose lists differ most", async () => {
  const [a, b] = [await idOf("model"), await idOf("model-split")];
  const { page } = await visit(`/model/compare?a=${a}&b=${b}`, { at: server.url });
  await settled(page);
  expect(await page.locator(".paired > li").count()).toBeGreaterThanOrEqual(5);
  await page.getByRole("button", { name: "Swap the two models" }).click();
  const short = (id: string) => id.slice(0, 12);
  await page.waitForURL(`**/model/compare?a=${short(b)}&b=${short(a)}`);
  await page.getByRole("button", { name: "Compare the lists of all items" }).click();
  const rows = page.getByRole("region", { name: "Items whose lists differ most" }).locator("tbody tr");
  await rows.first().waitFor();
  const [, , , active] = await rows.first().locator("th, td").allTextContents();
  const item = (await rows.first().getByRole("link").getAttribute("href"))?.split("/").at(-1) ?? "";
  const { items } = await client.items.similar(item, { k: 4 });
  expect(active).toBe(items.map(({ title }) => title).join(", ")); // the second one answers
});

test("another model is activated after a check, answers on every screen, and is rolled back", async () => {
  const [served, split] = [await idOf("model"), await idOf("model-split")];
  const { page } = await visit("/model", { at: server.url });
  await settled(page);
  await page.getByRole("button", { name: "Activate model-split" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The model was checked and can be served.").waitFor();
  expect((await client.models.list()).active).toBe(served); // not before it is confirmed
  await dialog.getByRole("button", { name: "Activate", exact: true }).click();
  await dialog.getByText("model-split answers now.").waitFor();
  expect((await client.models.list()).active).toBe(split);
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();

  await page.getByRole("link", { name: "Explore", exact: true }).click();
  await page.keyboard.press("/");
  await page.keyboard.type("alien");
  await page.getByRole("option", { name: /^Alien 1979/ }).waitFor();
  await page.keyboard.press("Enter");
  await settled(page);
  const { items } = await client.items.similar("alien-1979", { k: 12 });
  const shown = () =>
    page.locator(".neighbours-list > li .reasons > .figures").evaluateAll((all) => all.map((one) => one.textContent));
  await expect.poll(shown).toEqual(items.map(({ distance }) => distance.toFixed(3)));

  await page.getByRole("link", { name: "Model", exact: true }).click();
  await page.getByRole("button", { name: "Roll back to model…" }).click();
  await dialog.getByText("The model was checked and can be served.").waitFor();
  await dialog.getByRole("button", { name: "Roll back", exact: true }).click();
  await dialog.getByText("model answers now.").waitFor();
  expect((await client.models.list()).active).toBe(served);
});
