import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLoopback, localDoor, needsKeys } from "./local.ts";

const here = { localPort: 8080, remoteAddress: "127.0.0.1" };

function ask(headers: Record<string, string>, options = {}, ends: object = here, method = "POST"): string | undefined {
  return localDoor(options)({ method, headers, httpVersion: "1.1" }, ends)?.reason;
}

describe("the door without keys: hosts", () => {
  test("this machine's names with this server's port", () => {
    for (const host of ["localhost:8080", "127.0.0.1:8080", "[::1]:8080", "LocalHost:8080"]) {
      expect(ask({ host })).toBeUndefined();
    }
    expect(ask({ host: "localhost" }, {}, { localPort: 80, remoteAddress: "::1" })).toBeUndefined();
    expect(ask({ host: "localhost" }, {}, {})).toBeUndefined(); // a Unix socket has no port
  });

  test("nothing else: a name that was pointed here, another port, tricks of writing", () => {
    for (const host of [
      "evil.example:8080",
      "localhost.evil.example:8080",
      "evil.localhost:8080",
      "127.0.0.1.evil.example:8080",
      "localhost",
      "localhost:8081",
      "localhost:08080x",
      "localhost:8080:8080",
      "localhost@evil.example:8080",
      "localhost:8080/",
      "localhost.:8080",
      "127.1:8080",
      "2130706433:8080",
      "0.0.0.0:8080",
      "::1:8080",
      "[::2]:8080",
      "[::1",
      "",
      " localhost:8080",
    ]) {
      expect(ask({ host }), host).toBe("host");
    }
    expect(ask({})).toBe("host");
    fc.assert(fc.property(fc.string(), (host) => ask({ host }) === "host"));
  });

  test("from another machine, localhost is a lie", () => {
    const far = { localPort: 8080, remoteAddress: "192.0.2.7" };
    expect(ask({ host: "localhost:8080" }, {}, far)).toBe("host");
    expect(ask({ host: "shop.lan:8080" }, { hosts: ["shop.lan"] }, far)).toBeUndefined();
  });

  test("names that are configured, with any port or one", () => {
    const options = { hosts: ["Shop.lan", "api.lan:9000"] };
    expect(ask({ host: "shop.lan" }, options)).toBeUndefined();
    expect(ask({ host: "shop.lan:1234" }, options)).toBeUndefined();
    expect(ask({ host: "api.lan:9000" }, options)).toBeUndefined();
    expect(ask({ host: "api.lan" }, options)).toBe("host");
  });
});

describe("the door without keys: origins", () => {
  const host = "localhost:8080";

  test("no origin, or our own", () => {
    expect(ask({ host, origin: "http://localhost:8080" })).toBeUndefined();
    expect(ask({ host, origin: "https://localhost:8080" })).toBeUndefined(); // behind something that ends TLS
    expect(ask({ host, "sec-fetch-site": "same-origin" })).toBeUndefined();
    expect(ask({ host, "sec-fetch-site": "none" })).toBeUndefined();
  });

  test("no other: another site, another port, no name at all", () => {
    for (const origin of [
      "https://evil.example",
      "http://localhost:3000",
      "http://localhost",
      "http://127.0.0.1:8080",
      "null",
      "",
      "http://localhost:8080.evil.example",
      "http://localhost:8080/",
    ]) {
      expect(ask({ host, origin }), origin).toBe("origin");
    }
    expect(ask({ host, "sec-fetch-site": "cross-site" })).toBe("origin");
    expect(ask({ host, "sec-fetch-site": "cross-site" }, {}, here, "GET")).toBe("origin");
  });

  test("origins that are configured, exactly", () => {
    const options = { origins: ["http://localhost:5173"] };
    expect(ask({ host, origin: "http://localhost:5173", "sec-fetch-site": "cross-site" }, options)).toBeUndefined();
    expect(ask({ host, origin: "http://localhost:5174" }, options)).toBe("origin");
  });

  test("a link may be followed, but a frame or a form may not", () => {
    const visit = { host, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    expect(ask(visit, {}, here, "GET")).toBeUndefined();
    expect(ask(visit, {}, here, "POST")).toBe("origin");
    expect(ask({ ...visit, "sec-fetch-dest": "iframe" }, {}, here, "GET")).toBe("origin");
  });
});

test("keys are asked for as soon as the server is reached from elsewhere", () => {
  for (const host of [
    "localhost",
    "127.0.0.1",
    "127.8.9.10",
    "::1",
    "[::1]",
    "::ffff:127.0.0.1",
    "/run/nearkin.sock",
  ]) {
    expect(isLoopback(host), host).toBe(true);
    expect(needsKeys(host)).toBe(false);
    expect(needsKeys(host, true)).toBe(true);
  }
  for (const host of ["0.0.0.0", "::", "", "192.168.1.4", "127.0.0.1.evil.example", "127.0.0.256", "example.org"]) {
    expect(isLoopback(host), host).toBe(false);
    expect(needsKeys(host)).toBe(true);
    expect(needsKeys(host, false)).toBe(false);
  }
});
