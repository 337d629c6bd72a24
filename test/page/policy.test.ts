// The page's policy is in force, and costs it nothing.
import { expect, inject, test } from "vitest";
import { settled, useBrowser } from "./visits.ts";

const { visit } = useBrowser();

const PATHS = ["/", "/items/alien-1979", "/you", "/studio", "/model", "/evaluation"];

test("every path sends the policy and isolates the page", async () => {
  for (const path of PATHS) {
    const { headers } = await fetch(inject("demo").url + path);
    expect([path, headers.get("content-security-policy")]).toEqual([
      path,
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ]);
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("cross-origin-embedder-policy")).toBe("require-corp");
  }
});

test("an inline script does not run, nor one of another origin, nor an inline style", async () => {
  const { page } = await visit("/", { expected: /Content Security Policy|asked https:\/\/example\.invalid/ });
  await settled(page);
  const done = await page.evaluate(async () => {
    const violated: string[] = [];
    document.addEventListener("securitypolicyviolation", (event) => violated.push(event.effectiveDirective));
    const inline = document.createElement("script");
    inline.textContent = "document.documentElement.dataset.ran = 'inline'";
    const foreign = document.createElement("script");
    foreign.src = "https://example.invalid/x.js";
    const style = document.createElement("style");
    style.textContent = "html { outline: 7px solid red }";
    document.head.append(inline, foreign, style);
    const link = document.createElement("a");
    link.setAttribute("onclick", "document.documentElement.dataset.ran = 'attribute'");
    document.body.append(link);
    link.click();
    await fetch("https://example.invalid/").catch(() => {});
    while (violated.length < 5) await new Promise(requestAnimationFrame); // told of in tasks of their own
    const { outlineWidth, outlineStyle } = getComputedStyle(document.documentElement);
    return { violated: violated.sort(), ran: document.documentElement.dataset.ran, outlineWidth, outlineStyle };
  });
  expect(done.violated).toEqual([
    "connect-src",
    "script-src-attr",
    "script-src-elem",
    "script-src-elem",
    "style-src-elem",
  ]);
  expect([done.ran, done.outlineStyle]).toEqual([undefined, "none"]);
});

test("the page is isolated, so that its engine may share memory", async () => {
  const { page } = await visit("/items/alien-1979");
  await page.getByText("Computed in your browser").waitFor();
  expect(await page.evaluate(() => [crossOriginIsolated, typeof SharedArrayBuffer])).toEqual([true, "function"]);
});
