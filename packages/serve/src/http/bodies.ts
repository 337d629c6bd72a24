// Bodies are JSON in UTF-8 and nothing else. A form of another site can send text/plain without asking first; it must not get through.
import { isUtf8 } from "node:buffer";
import type { FastifyInstance } from "fastify";
import { ApiError } from "./api-error.ts";

/** Bytes of a body, unless its route says otherwise. */
export const BODY_LIMIT = 1_048_576;

/** Bytes of a body that brings items. */
export const ITEMS_BODY_LIMIT = 32 * 1_048_576;

/** Takes `application/json` only. Keys that would reach an object's prototype are refused with the rest of bad JSON. */
export function installBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    // decoding would put U+FFFD for what it cannot read, and two ids might become one
    if (isUtf8(body)) parse(request, body.toString("utf8"), done);
    else done(new ApiError("BAD_REQUEST", "the body: not UTF-8"));
  });
  app.addHook("preParsing", (request, _reply, payload, done) => {
    const encoding = request.headers["content-encoding"];
    if (encoding === undefined || encoding === "identity") done(null, payload);
    else done(new ApiError("UNSUPPORTED_MEDIA_TYPE", "Bodies are read as they are: send no Content-Encoding."));
  });
}
