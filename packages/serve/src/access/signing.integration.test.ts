// The secret that signs tokens and lists, replaced by a command while servers run.
import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { Recommendations } from "../search/recommendation.ts";
import { describeOnBoth } from "../testing/on-both.ts";
import { openAt } from "../testing/places.ts";
import { TinyServer } from "../testing/tiny-server.ts";
import { rotateSigningSecret, SigningSecrets } from "./signing.ts";
import { readToken, signToken, type TokenClaims } from "./tokens.ts";

const DAY = 24 * 3600_000;
const claims: TokenClaims = { user: "ana", iat: 1000, exp: 2000, scopes: ["read"], key: "aaaaaaaaaaaa" };
const list = { time: 1, model: "a".repeat(16), kind: "similar", metric: "base" } as const;

describeOnBoth("the signing secret", (fresh) => {
  test("signs tokens and lists with keys of their own, and reads what it signed itself before", async () => {
    await using store = await openAt(fresh());
    const raw = await store.secrets.getOrCreate("signing", randomBytes(32));
    const secrets = await SigningSecrets.open(store.secrets);
    const [tokens, lists] = [secrets.of("tokens"), secrets.of("lists")];
    expect(tokens[0].equals(lists[0])).toBe(false);
    expect(readToken(signToken(claims, tokens[0]), tokens)).toEqual(claims);
    expect(readToken(signToken(claims, lists[0]), tokens)).toBeUndefined();
    expect(readToken(signToken(claims, raw), tokens)).toEqual(claims); // of the version before
    const ids = new Recommendations(() => lists);
    expect(ids.read(ids.create(list))).toEqual(list);
    expect(() => ids.read(new Recommendations(() => tokens).create(list))).toThrow(/expected an id/);
  });

  test("replaced, it is accepted until the grace ends; dropped, no longer", async () => {
    let time = Date.now();
    await using store = await openAt(fresh(), { now: () => time });
    const secrets = await SigningSecrets.open(store.secrets, () => time);
    const made: string[] = [];
    const sign = () => made.push(signToken(claims, secrets.of("tokens")[0]));
    const read = () => made.map((token) => readToken(token, secrets.of("tokens")) !== undefined);
    sign();
    for (const grace of [DAY, 2 * DAY]) {
      await rotateSigningSecret(store.secrets, grace);
      await secrets.reload();
      sign();
    }
    expect(read()).toEqual([true, true, true]);
    time += DAY;
    expect(read()).toEqual([false, true, true]); // without a look into the store
    await rotateSigningSecret(store.secrets, DAY); // also forgets what has ended
    expect(await store.secrets.accepted("signing")).toHaveLength(3);
    await rotateSigningSecret(store.secrets, 0);
    expect(await store.secrets.accepted("signing")).toHaveLength(1);
    await secrets.reload();
    sign();
    expect(read()).toEqual([false, false, false, true]);
  });

  test("a server that runs follows, and so do others on its store", async () => {
    const place = fresh();
    await using first = await TinyServer.open({ place, keys: "on" });
    await using beside = await openAt(place, { exclusive: false });
    await using second = beside.kind === "postgres" ? await TinyServer.open({ place, keys: "on" }) : undefined;
    const servers = second ? [first, second] : [first];
    const { key } = await first.server.context.keys.create({ name: "shop", scopes: ["admin"] });
    for (const server of servers) server.headers = { authorization: `Bearer ${key}` };

    const tokenOf = async (server: TinyServer) =>
      (await server.answer("createToken", { body: { user: "ann", scopes: ["read", "events"] } })).token;
    const statuses = (token: string) =>
      Promise.all(
        servers.map(async (server) => {
          const headers = { authorization: `Bearer ${token}` };
          return (await server.ask("getMetric", { params: { id: "ann" }, headers })).status;
        }),
      );
    const all = (status: number) => servers.map(() => status);
    /** Tells for each server if it signs with the newest secret. */
    const signAnew = async () => {
      const [newest] = (await SigningSecrets.open(beside.secrets)).of("tokens");
      return Promise.all(servers.map(async (server) => readToken(await tokenOf(server), [newest]) !== undefined));
    };

    const old = await tokenOf(first);
    expect(await statuses(old)).toEqual(all(200));
    await rotateSigningSecret(beside.secrets, DAY);
    await expect.poll(signAnew).toEqual(servers.map(() => true));
    const kept = await tokenOf(first);
    const listed = await first.answer("similarToItem", { params: { id: "f000" } });
    expect(await statuses(old)).toEqual(all(200));
    expect(await statuses(kept)).toEqual(all(200));
    await rotateSigningSecret(beside.secrets, 0);
    await expect.poll(() => statuses(old)).toEqual(all(401));
    expect(await statuses(kept)).toEqual(all(401));
    expect(await statuses(await tokenOf(first))).toEqual(all(200));
    const feedback = [{ recommendation: listed.recommendation, item: listed.items[0].id, action: "click" }];
    expect((await first.ask("addFeedback", { body: { feedback } })).error.code).toBe("BAD_REQUEST");
  });
});

describe("the grace", () => {
  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("is not %s", async (grace) => {
    await expect(rotateSigningSecret({} as never, grace)).rejects.toMatchObject({ code: "BAD_ARGUMENT" });
  });
});
