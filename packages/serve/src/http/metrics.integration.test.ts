import { afterEach, describe, expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";
import { startTestServer, type TestServer, type TestServerOptions } from "./testing/app.ts";

describe("metrics of requests", () => {
  let server: TestServer;
  afterEach(() => server.app.close());

  async function start(options: TestServerOptions = {}): Promise<TestServer> {
    server = await startTestServer(options);
    return server;
  }

  test("by route's name, method and class of status; unknown paths are one", async () => {
    const { app, key, metrics } = await start();
    const headers = await key("admin");
    await app.inject({ url: "/v1/items/a/similar", headers });
    await app.inject({ url: "/v1/items/b/similar", headers });
    await app.inject({ url: "/v1/items/b/similar?k=x", headers });
    await app.inject("/v1/items/b/similar");
    for (const path of ["/x", "/y", "/%", "/z/1"]) await app.inject({ url: path, headers });
    const text = await metrics.text();
    const count = (labels: string) =>
      text.match(new RegExp(`^http_request_duration_seconds_count{${labels}} (\\d+)$`, "m"))?.[1];
    expect(count('route="similar",method="GET",status="2xx"')).toBe("2");
    expect(count('route="similar",method="GET",status="4xx"')).toBe("2");
    expect(count('route="unmatched",method="GET",status="4xx"')).toBe("4");
    expect(text).toContain('http_request_duration_seconds_bucket{le="0.0005",');
    expect(text).toContain('http_request_duration_seconds_bucket{le="10",');
    expect(text).toMatch(/^http_requests_in_flight 0$/m);
  });

  test("requests in flight are counted, also where the caller goes away", async () => {
    let arrived = () => {};
    const here = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    let finish = () => {};
    const gate = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { app, metrics, lines } = await start({
      door: "local",
      routes: (app) =>
        app.get("/slow", { config: { name: "slow", scope: "read", tokens: false } }, async () => {
          arrived();
          await gate;
          return {};
        }),
    });
    const address = await app.listen({ port: 0, host: "127.0.0.1" });
    const leaving = new AbortController();
    const asked = fetch(`${address}/slow`, { signal: leaving.signal }).catch(() => "gone");
    await here;
    expect(await metrics.text()).toMatch(/^http_requests_in_flight 1$/m);
    leaving.abort();
    expect(await asked).toBe("gone");
    await expect.poll(() => metrics.text()).toMatch(/^http_requests_in_flight 0$/m);
    expect(lines.at(-1)).toMatchObject({ route: "/slow", status: 499 });
    finish();
  });

  test("/metrics speaks Prometheus's format", async () => {
    const { app, key } = await start();
    const answer = await app.inject({ url: "/metrics", headers: await key("admin") });
    expect(answer.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(answer.body).toContain("# TYPE http_requests_in_flight gauge");
  });
});

describe("instruments", () => {
  test("each does what its name says", async () => {
    const metrics = createMetrics({ process: false });
    metrics.scans.batch(12, 0.004);
    metrics.scans.batch(1, 0.001);
    metrics.scans.queued(3);
    metrics.graph.recall(0.97);
    metrics.graph.decided("graph");
    metrics.events.stored(10, 2);
    metrics.events.foldedIn(7);
    metrics.events.feedback("clicked", 3);
    metrics.users.queued(4);
    metrics.users.refreshed(0.3);
    metrics.users.failed();
    metrics.items.put(5);
    metrics.items.deleted(1);
    metrics.items.pendingTexts(2);
    metrics.items.roomLeft(8);
    metrics.items.lacking({ withoutRoom: 2, unreadable: 1 });
    metrics.encoder.encoded(7, 0.2);
    metrics.encoder.resident(1e9);
    metrics.models.active("old");
    metrics.models.active("new");
    metrics.models.swapped("activated");
    metrics.replicas.looked(3);
    metrics.replicas.age(0.4);
    metrics.replicas.listening(true);
    metrics.replicas.caughtUp(8);
    metrics.replicas.behind(true);
    metrics.store.called("appendEvents", 0.001);
    metrics.store.failed("appendEvents");
    metrics.access.authFailure("wrong secret");
    metrics.access.forbidden();
    metrics.access.rateLimited("read");
    metrics.access.countedAlone();
    const values = (await metrics.text())
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#") && !line.includes("_bucket") && !line.startsWith("http_"));
    expect(values.sort()).toMatchInlineSnapshot(`
      [
        "nearkin_auth_failures_total{reason="wrong_secret"} 1",
        "nearkin_encoder_duration_seconds_count 1",
        "nearkin_encoder_duration_seconds_sum 0.2",
        "nearkin_encoder_resident_bytes 1000000000",
        "nearkin_encoder_texts_total 7",
        "nearkin_events_accepted_total 10",
        "nearkin_events_duplicate_total 2",
        "nearkin_events_folded_in_total 7",
        "nearkin_feedback_total{action="clicked"} 3",
        "nearkin_forbidden_total 1",
        "nearkin_graph_decisions_total{way="graph"} 1",
        "nearkin_graph_recall 0.97",
        "nearkin_items_deleted_total 1",
        "nearkin_items_pending_texts 2",
        "nearkin_items_put_total 5",
        "nearkin_items_room_left 8",
        "nearkin_items_unreadable 1",
        "nearkin_items_without_room 2",
        "nearkin_model_behind 1",
        "nearkin_model_info{id="new"} 1",
        "nearkin_model_swaps_total{outcome="activated"} 1",
        "nearkin_rate_alone_total 1",
        "nearkin_rate_limited_total{scope="read"} 1",
        "nearkin_replica_items_total 8",
        "nearkin_replica_listening 1",
        "nearkin_replica_look_age_seconds 0.4",
        "nearkin_replica_looks_total 1",
        "nearkin_replicas 3",
        "nearkin_scan_batch_size_count 2",
        "nearkin_scan_batch_size_sum 13",
        "nearkin_scan_batches_total 2",
        "nearkin_scan_duration_seconds_count 2",
        "nearkin_scan_duration_seconds_sum 0.005",
        "nearkin_scan_queries_total 13",
        "nearkin_scan_queue_length 3",
        "nearkin_store_call_duration_seconds_count{call="appendEvents"} 1",
        "nearkin_store_call_duration_seconds_sum{call="appendEvents"} 0.001",
        "nearkin_store_failures_total{call="appendEvents"} 1",
        "nearkin_user_refresh_failures_total 1",
        "nearkin_user_refresh_lag_seconds_count 1",
        "nearkin_user_refresh_lag_seconds_sum 0.3",
        "nearkin_user_refresh_queue_length 4",
      ]
    `);
  });

  test("labels are bounded, whatever others pass", async () => {
    const metrics = createMetrics({ process: false });
    for (let i = 0; i < 1000; i++) {
      metrics.store.called(`call${i}`, 0.001);
      metrics.events.feedback(`action${i}`);
      metrics.graph.decided(`way${i}`);
      metrics.http.finished(`route${i}`, `METHOD${i}`, 200, 0.001);
    }
    const text = await metrics.text();
    expect(text.match(/nearkin_store_call_duration_seconds_count{/g)).toHaveLength(65);
    expect(text.match(/nearkin_graph_decisions_total{/g)).toHaveLength(17);
    expect(text.match(/http_request_duration_seconds_count{/g)).toHaveLength(129);
    expect(text.match(/nearkin_feedback_total{.*/g)).toEqual(['nearkin_feedback_total{action="other"} 1000']);
  });

  test("two servers in one process do not mix, and the process is measured", async () => {
    const [a, b] = [createMetrics(), createMetrics({ process: false })];
    a.items.put(5);
    expect(await b.text()).toContain("nearkin_items_put_total 0");
    const text = await a.text();
    expect(text).toContain("nodejs_eventloop_lag_p99_seconds");
    expect(text).toContain("process_resident_memory_bytes");
    expect(await b.text()).not.toContain("process_");
  });
});
