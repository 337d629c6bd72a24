import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { isServerSource, main, parseOptions, probePort } from "./dev.ts";

async function failureOf(...args: string[]): Promise<{ code: number; text: string }> {
  let text = "";
  const code = await main(args, (line) => {
    text += line;
  });
  return { code, text };
}

test.each(["abc", "0", "65536", "-1", "80.5", ""])("--port=%s is refused, with the usage", async (port) => {
  const { code, text } = await failureOf(`--port=${port}`);
  expect(code).toBe(2);
  expect(text).toMatch(/^--port: expected a whole number from 1 to 65535, got ".*"\n\nnpm run dev/);
});

test("an unknown option is refused, with the usage", async () => {
  const { code, text } = await failureOf("--prot", "1");
  expect({ code, text }).toEqual({ code: 2, text: expect.stringMatching(/'--prot'[\s\S]*npm run dev/) });
});

test("a taken port is refused before anything is made", async () => {
  const other = createServer().listen(0, "localhost");
  await once(other, "listening");
  const { port } = other.address() as { port: number };
  const { code, text } = await failureOf("--port", String(port));
  expect({ code, text }).toEqual({
    code: 1,
    text: expect.stringMatching(`^dev: port ${port} is taken; choose another`),
  });
  other.close();
});

test("options and ports", async () => {
  expect(parseOptions([])).toEqual({ port: 5173, fresh: false, help: false });
  expect(await probePort(0)).toBeGreaterThan(1023);
});

test("the server follows its sources, and neither tests nor the page", () => {
  const files = [
    "packages/serve/src/server.ts",
    "packages/data/sql/pairs.sql",
    "packages/web/src/app/main.tsx",
    "packages/serve/src/server.test.ts",
    "packages/core/dist/index.js",
    "docs/page.md",
  ];
  expect(files.filter(isServerSource)).toEqual(files.slice(0, 2));
});
