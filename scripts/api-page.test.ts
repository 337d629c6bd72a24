import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { apiPage } from "./api-page.ts";

test("docs/api.md has every route and error as the contract has them; npm run api-page writes it anew", () => {
  const page = readFileSync(new URL("../docs/api.md", import.meta.url), "utf8");
  expect(apiPage(page)).toBe(page);
});
