// What the page of the suite personalize runs: one user after the other, as a shop's page would do it for the one it has.
import { openModel, type UserRating } from "@nearkin/core";

export interface PageTimes {
  /** The first user, which compiles, and then each user alone. */
  first: number;
  ms: number[];
  /** Means over users: items that counted, and steps of a fit. */
  used: number;
  iterations: number;
}

async function timeUsers(folder: string): Promise<PageTimes> {
  const read = async (path: string) => {
    const response = await fetch(path);
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response;
  };
  const users = (await (await read("users.json")).json()) as UserRating[][];
  await using model = await openModel(
    async (name) => new Uint8Array(await (await read(`${folder}/${name}`)).arrayBuffer()),
  );
  const fits = users.map((ratings) => {
    const started = performance.now();
    const { used, iterations, kept } = model.personalize(ratings);
    const ms = performance.now() - started;
    if (kept !== null) throw new Error(`a user was not fitted: ${kept}`);
    return { ms, used, iterations };
  });
  const [first, ...rest] = fits;
  const mean = (of: (fit: (typeof fits)[number]) => number) =>
    rest.reduce((sum, fit) => sum + of(fit) / rest.length, 0);
  return {
    first: first.ms,
    ms: rest.map(({ ms }) => ms),
    used: mean(({ used }) => used),
    iterations: mean(({ iterations }) => iterations),
  };
}

declare global {
  var timePersonalize: typeof timeUsers;
}
globalThis.timePersonalize = timeUsers;
