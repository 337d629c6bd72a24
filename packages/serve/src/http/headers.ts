// Headers of every answer: security, pages of other origins, caches.
import cors from "@fastify/cors";
import helmet, { type FastifyHelmetOptions } from "@fastify/helmet";
import fastify, { type FastifyInstance } from "fastify";
import { nobodys } from "../access/caller.ts";

// The page of documentation brings its own script and style from this server, and talks to this server. Nothing is inline, so neither
// nonces nor hashes are needed; where that changes, the route gives its own Content-Security-Policy.
const HELMET: FastifyHelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      "default-src": ["'none'"],
      "script-src": ["'self'"],
      "style-src": ["'self'"],
      "img-src": ["'self'", "data:"],
      "font-src": ["'self'"],
      "connect-src": ["'self'"],
      "base-uri": ["'none'"],
      "form-action": ["'none'"],
      "frame-ancestors": ["'none'"],
    },
  },
  frameguard: { action: "deny" },
  // Whoever ends TLS before this server decides for the name; said from here it would bind every service under it.
  strictTransportSecurity: false,
};

/**
 * Helmet's headers on every answer. They depend on no request, and helmet builds them anew for each, which costs more than routing
 * does; so it is asked once.
 */
export async function installSecurityHeaders(app: FastifyInstance): Promise<void> {
  const headers = await helmetHeaders();
  app.addHook("onRequest", (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

/** What helmet would add to an answer. */
async function helmetHeaders(): Promise<Readonly<Record<string, string>>> {
  const bare = fastify();
  await bare.register(helmet, HELMET);
  bare.get("/", async () => "");
  const { headers } = await bare.inject("/");
  await bare.close();
  const own = new Set(["content-type", "content-length", "date", "connection"]);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (own.has(name) ? [] : [[name, String(value)]])),
  );
}

/** Lets pages of these origins, exactly as written, read answers. No cookies: credentials are in headers. None given, nothing is added. */
export async function installCors(app: FastifyInstance, origins: readonly string[] = []): Promise<void> {
  if (origins.length === 0) return;
  const welcome = new Set(origins);
  await app.register(cors, {
    origin: (origin, decide) => decide(null, origin !== undefined && welcome.has(origin) ? origin : false),
    credentials: false,
    methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    allowedHeaders: ["authorization", "content-type", "x-api-key", "x-request-id"],
    exposedHeaders: [
      "x-request-id",
      "retry-after",
      "ratelimit-limit",
      "ratelimit-remaining",
      "ratelimit-reset",
      "www-authenticate",
    ],
    maxAge: 600,
    strictPreflight: false, // it would answer in plain text
  });
}

/** `no-store` unless a route decides for itself; where a route touches someone's data, always. */
export function installCacheControl(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const { user = nobodys } = request.routeOptions.config;
    if (user !== nobodys || !reply.hasHeader("cache-control")) {
      reply.header("cache-control", "no-store");
    }
    done(null, payload);
  });
}
