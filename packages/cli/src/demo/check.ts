// nearkin demo --check: a few questions over HTTP, as a page or a program would ask them. What is seen is printed; what is wrong ends the command.
import { setTimeout as delay } from "node:timers/promises";
import { createClient, type NearkinClient, type UserMetric } from "@nearkin/client";
import type { Output } from "../output.ts";
import { DRAFT } from "./show.ts";

/** Something that the demo should have done, and did not. */
class CheckFailedError extends Error {
  readonly code = "CHECK_FAILED";
}

interface Checked {
  readonly url: string;
  /** Whether a page should be there. */
  readonly page: boolean;
}

const FILM = "alien-1979";
/** A user whom nobody knows; deleted at the end. */
const VISITOR = "demo check";
const RATED = ["alien-1979", "the-thing-1982", "the-matrix-1999", "the-godfather-1972", "toy-story-1995"];
const PATIENCE = 20_000; // ms for a metric to be fitted

/** Asks, and throws with all that failed. */
export async function checkDemo({ url, page }: Checked, output: Output): Promise<void> {
  const { validateAnswer } = await import("@nearkin/client/contract");
  const client = createClient({ url, validate: validateAnswer });
  const questions: Record<string, () => Promise<string>> = {
    ready: () => ready(client),
    similar: () => similar(client),
    "similar for a user": () => similarForUser(client),
    explain: () => explain(client),
    draft: () => draft(client),
    events: () => events(client),
    "files of the model": () => files(client),
    training: () => training(client),
    evaluation: () => evaluation(client),
    ...(page ? { page: () => pageFiles(url) } : {}),
  };
  const failures: string[] = [];
  for (const [name, ask] of Object.entries(questions)) {
    try {
      output.write(`   ${`${name}:`.padEnd(20)} ${await ask()}\n`);
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message}`);
      output.write(`   ${`${name}:`.padEnd(20)} FAILED: ${(error as Error).message}\n`);
    }
  }
  if (failures.length > 0) throw new CheckFailedError(failures.join("; "));
}

function expect(holds: boolean, expected: string, got: unknown): void {
  if (!holds) throw new Error(`expected ${expected}, got ${JSON.stringify(got)}`);
}

const titles = (items: readonly { title: string | null; id: string }[]): string =>
  items.map(({ title, id }) => title ?? id).join(", ");

async function ready(client: NearkinClient): Promise<string> {
  const { items, model } = await client.ready();
  expect(items > 100, "the films of the sample", items);
  return `${items} films, model ${model.slice(0, 12)}`;
}

async function similar(client: NearkinClient): Promise<string> {
  const { items, metric } = await client.items.similar(FILM, { k: 3 });
  expect(items.length === 3 && items.every(({ id }) => id !== FILM), "three other films", items);
  expect(metric.source === "base", "the metric that all share", metric);
  return titles(items);
}

async function similarForUser(client: NearkinClient): Promise<string> {
  const { users } = await client.users.list({ limit: 1 });
  expect(users[0]?.metric === "ratings", "a user with a metric of their own", users);
  const [{ id, events: known }] = users;
  const { items, metric } = await client.items.similar(FILM, { k: 3, user: id });
  expect(metric.source === "user", "the metric of the user", metric);
  return `${titles(items)} (${id}, ${known} events)`;
}

async function explain(client: NearkinClient): Promise<string> {
  const [nearest] = (await client.items.similar(FILM, { k: 1 })).items;
  const { contributions, distance } = await client.items.explain(FILM, nearest.id);
  const sum = contributions.reduce((total, { contribution }) => total + contribution, 0);
  expect(Math.abs(sum - distance) < 1e-6 * Math.max(1, distance), `contributions that add up to ${distance}`, sum);
  return contributions.map(({ channel, contribution }) => `${channel} ${contribution.toFixed(3)}`).join(" + ");
}

async function draft(client: NearkinClient): Promise<string> {
  const { items } = await client.similar([{ draft: DRAFT }], { k: 3 });
  expect(items.length === 3, "three films", items);
  const { catalogue } = await client.predict({ draft: DRAFT });
  expect(catalogue !== null && Number.isFinite(catalogue.mean), "a predicted rating", catalogue);
  return `${titles(items)}; rating ${catalogue?.mean.toFixed(2)}`;
}

/** Ratings of a stranger, until their metric has been fitted. */
async function events(client: NearkinClient): Promise<string> {
  try {
    await client.events.add(RATED.map((item, i) => ({ user: VISITOR, item, rating: i < 3 ? 5 : 2 })));
    const started = performance.now();
    let metric: UserMetric;
    do {
      await delay(50);
      metric = await client.users.metric.get(VISITOR);
    } while ((metric.fit === null || metric.pending) && performance.now() - started < PATIENCE);
    expect(metric.fit?.items === RATED.length, `a metric fitted to ${RATED.length} films`, metric.reason);
    return `${metric.reason}, ${Math.round(performance.now() - started)} ms after the ratings`;
  } finally {
    await client.users.delete(VISITOR);
  }
}

async function files(client: NearkinClient): Promise<string> {
  const { model } = await client.ready();
  const listed = await client.models.files(model);
  const bytes = await client.models.file(model, "catalogue.json");
  expect(
    bytes.length === listed.files.find(({ name }) => name === "catalogue.json")?.bytes,
    "a whole file",
    bytes.length,
  );
  return `${listed.files.length} files, ${(listed.bytes / 1e6).toFixed(1)} MB`;
}

async function training(client: NearkinClient): Promise<string> {
  const { model } = await client.ready();
  const { stages, missing, timing } = await client.models.training(model);
  expect(missing.length === 0, "curves and times", missing);
  return `${stages.map(({ name, steps }) => `${name} ${steps} steps`).join(", ")}, ${timing?.seconds.toFixed(0)} s`;
}

async function evaluation(client: NearkinClient): Promise<string> {
  const { evaluations } = await client.evaluations.list();
  const found = evaluations.find(({ report }) => report !== null);
  if (!found) throw new Error(`expected an evaluation with its page, got ${JSON.stringify(evaluations)}`);
  const { evaluation: result } = await client.evaluations.get(found.name);
  const html = await client.evaluations.report(found.name);
  expect(html.startsWith("<!doctype html>"), "a page", html.slice(0, 40));
  return `${result?.recommenders.length} recommenders, ${found.report}`;
}

/** The page as a browser asks for it: what it is, and one of the files that it names. */
async function pageFiles(url: string): Promise<string> {
  const page = await fetch(`${url}/items/${FILM}`);
  const html = await page.text();
  expect(page.status === 200 && /^<!doctype html>/i.test(html), "the page", [page.status, html.slice(0, 40)]);
  const [, script] = /<script type="module"[^<>]* src="(\/assets\/[^"<>]+)"/.exec(html) ?? [];
  expect(script !== undefined, "a script in the page", html.slice(0, 200));
  const asset = await fetch(url + script);
  const bytes = (await asset.arrayBuffer()).byteLength;
  expect(asset.status === 200 && bytes > 0, "its script", [asset.status, bytes]);
  return `index.html, and ${script}, ${(bytes / 1000).toFixed(0)} kB`;
}
