import { expect, test } from "vitest";
import { curlOf } from "./api-call.ts";
import { FEW } from "./tuning.ts";

const local = { origin: "http://localhost:7410", keyed: false };
const nothing = { user: null, weights: {}, popularity: null, history: null, diversity: 0, k: FEW };

test("says only what was chosen", () => {
  expect(curlOf("alien-1979", nothing, local)).toMatchInlineSnapshot(`
    "curl -G http://localhost:7410/v1/items/alien-1979/similar \\
      --data-urlencode k=12 \\
      --data-urlencode explain=true"
  `);
});

test("survives a shell, and shows no key", () => {
  const chosen = {
    user: "o'brien & co",
    weights: { plot: 2.1, genres: 0 },
    popularity: -0.25,
    history: 0.5,
    diversity: 0.2,
    k: 24,
  };
  expect(curlOf("a/b c", chosen, { ...local, keyed: true })).toMatchInlineSnapshot(`
    "curl -G http://localhost:7410/v1/items/a%2Fb%20c/similar \\
      -H "authorization: Bearer $NEARKIN_KEY" \\
      --data-urlencode k=24 \\
      --data-urlencode 'user=o'\\''brien & co' \\
      --data-urlencode weights=plot:2.1,genres:0 \\
      --data-urlencode popularity=-0.25 \\
      --data-urlencode history=0.5 \\
      --data-urlencode diversity=0.2 \\
      --data-urlencode explain=true"
  `);
});
