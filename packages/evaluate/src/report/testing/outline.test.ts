import { expect, test } from "vitest";
import { flawsOf, offAxis, outlineOf } from "./outline.ts";

const page = (body: string) =>
  `<!doctype html>\n<html><head><title>A</title><style>p > b { color: red }</style></head><body>${body}</body></html>`;

test("the outline has what is read, and nothing of how it looks", () => {
  const rows = (many: number) =>
    Array.from({ length: many }, (_, i) => `<tr><th>${i}</th><td>${i * i}</td></tr>`).join("");
  const body = `<nav><ol><li>one</li></ol></nav><main>
<section id="one"><h2>One</h2><p class="simulated">Simulated.</p><p>So it is. This is why. But 3 are left.</p><p class="lead">First. Second.</p>
<dl><div><dt>Items</dt><dd>5</dd></div></dl><table><tr class="own"><th>a</th><td>.5</td></tr></table>
<figure id="f"><figcaption><strong>Name</strong><span>Found.</span></figcaption>
<svg class="plot"><title>Loss</title><desc>Falls.</desc><rect/><path d="M0,0"/><path d="M1,1"/><text>step</text></svg>
<details class="data"><summary>Numbers</summary><table>${rows(6)}</table></details></figure></section>
<section id="environment">now</section>
</main>`;
  expect(outlineOf(page(body)).split("\n")).toEqual([
    ...["title: A", "", "[one]", "## One", "So it is. But 3 are left.", "First. Second.", "Items: 5", "| * a | .5"],
    ...["figure f", "Name", "Found.", "drawing: Loss: Falls.", "  labels: step", "  marks: 2 path, 1 rect"],
    ...["Numbers", "| 0 | 0", "| 1 | 1", "| … 3 rows", "| 5 | 25", ""],
  ]);
});

test("flaws of the markup are found", () => {
  expect(flawsOf(page('<p class="a">1 &lt; 2, p < .01 &amp; <br><svg><path d="M0"/></svg></p>'))).toEqual([]);
  expect(flawsOf(page("<p><b>text</p></b>"))).toEqual(["</p> where b is open", "</b> where p is open"]);
  expect(flawsOf(page("<p>"))[0]).toBe("</body> where p is open");
  expect(flawsOf("<p><i>")).toEqual(["left open: p > i"]);
  expect(flawsOf(page("<p>Tom & Jerry</p>"))).toEqual(["not escaped: Tom & Jerry"]);
  expect(flawsOf(page("<p>a > b</p>"))).toEqual(["not escaped: a > b"]);
  expect(flawsOf(page('<p title="a & b"></p>'))).toEqual(['not escaped: <p title="a & b">']);
  expect(flawsOf(page('<p title="a"b"></p>'))[0]).toBe("a < that begins no tag, in html > body");
  expect(flawsOf(page("<p title=a></p>"))[0]).toBe("a < that begins no tag, in html > body");
  expect(flawsOf(page('<p id="a" id="b"></p>'))).toEqual(['an attribute twice: <p id="a" id="b">']);
  expect(flawsOf(page('<path d="M0,NaN"/>'))).toEqual(['no number: <path d="M0,NaN"/>']);
});

test("marks that are off their axis are told", () => {
  expect(offAxis([0, 50, 100], [1, 2, 3])).toBe(0);
  expect(offAxis([0, 60, 100], [1, 2, 3])).toBe(10);
  expect(offAxis([0, 50], [1, 2, 3])).toBeNaN();
});
