import { expect, test } from "vitest";
import { escapeHtml, html, raw } from "./html.ts";

test("texts are escaped, in elements and in attributes", () => {
  const evil = `<script>alert('x & "y"')</script>`;
  expect(html`<b title="${evil}">${evil}</b>`.html).toBe(
    '<b title="&lt;script&gt;alert(&#39;x &amp; &quot;y&quot;&#39;)&lt;/script&gt;">&lt;script&gt;alert(&#39;x &amp; &quot;y&quot;&#39;)&lt;/script&gt;</b>',
  );
  expect(escapeHtml("a < b")).toBe("a &lt; b");
});

test("pieces go in as they are, lists one after the other, nothing leaves nothing", () => {
  const items = ["a", "<b>"].map((text) => html`<li>${text}</li>`);
  expect(html`<ul>${items}</ul>${null}${undefined}${false}${0}${raw("<hr>")}`.html).toBe(
    "<ul><li>a</li><li>&lt;b&gt;</li></ul>0<hr>",
  );
});
