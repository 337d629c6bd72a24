// The page, where the server was given one. It holds no data: with keys, it is reached without one and asks for it, and everything it shows comes
// through the API.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../api-error.ts";
import { isKnown } from "../own-answer.ts";
import { chooseEncoding } from "./encodings.ts";
import type { Page, PageFile } from "./files.ts";

/** Paths that the page shows a screen for. All get the same index.html; what they mean is the page's own business. */
const SCREENS = ["/", "/items/:id", "/you", "/studio", "/model", "/model/:id", "/evaluation"];

/** Nothing inline and nothing from elsewhere; kernels are compiled in the page, and its worker is under the same policy. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The last two make the page cross-origin isolated, and so give it shared memory for its threads. */
const HEADERS = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  vary: "accept-encoding",
};

/** Name of the page's routes: those that answer without a key. */
export const PAGE_ROUTE = "page";
const config = { name: PAGE_ROUTE, scope: "public", tokens: false } as const;

/** Serves the page; without one, / leads to the documentation. */
export function registerPage(app: FastifyInstance, page: Page | undefined): void {
  if (!page) {
    const read = { name: "docs", scope: "read", tokens: false } as const;
    app.get("/", { config: read }, (_, reply) => reply.redirect("/docs"));
    return;
  }
  const { index, serviceWorker, assets } = page;
  for (const url of SCREENS) {
    app.get(url, { config }, (request, reply) => send(request, reply, { file: index, cache: "no-cache" }));
  }
  if (serviceWorker) {
    // at the root, for it sees to everything below its own path; browsers must notice a new one
    app.get("/sw.js", { config }, (request, reply) => send(request, reply, { file: serviceWorker, cache: "no-cache" }));
  }
  app.get("/assets/*", { config }, (request, reply) => {
    const file = assets.get((request.params as { "*": string })["*"]);
    if (!file) throw new ApiError("NOT_FOUND", "The page has no such file; load the page anew.");
    // the name has a hash of what is in it
    return send(request, reply, { file, cache: "public, max-age=31536000, immutable" });
  });
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { file: { type, forms }, cache }: { file: PageFile; cache: string },
): FastifyReply {
  const encoding = chooseEncoding(request.headers["accept-encoding"], forms);
  const { bytes, etag } = forms[encoding] ?? forms.identity;
  reply.headers({ ...HEADERS, etag, "cache-control": cache });
  if (isKnown(request, etag)) return reply.code(304).send();
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return reply.type(type).send(bytes);
}
