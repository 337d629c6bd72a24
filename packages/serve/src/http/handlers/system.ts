// Whether the server is well, and what it can do.
import { openApi } from "@nearkin/client/contract";
import { DEAD_AFTER } from "../../store/replicas.ts";
import type { Store } from "../../store/store.ts";
import { ApiError } from "../api-error.ts";
import type { Handlers, ServerContext } from "../context.ts";
import { docsFiles } from "../docs/page.ts";

const document = openApi();

export const systemHandlers: Handlers<"health" | "ready" | "metrics" | "openApi" | "docs"> = {
  health: ({ version, started }) => ({ status: "ok", version, uptime: (performance.now() - started) / 1000 }),

  ready: async ({ models, store, lifecycle, replicas }) => {
    const { ready, reasons } = lifecycle.readiness();
    if (!ready) throw new ApiError("NOT_READY", reasons.join("; "), { headers: { "retry-after": "1" } });
    await pingOnce(store);
    const unseen = replicas ? performance.now() - replicas.synced : 0; // ms
    if (unseen > DEAD_AFTER) {
      // a database that answers and cannot be written to, or is locked: what is in memory grows old
      const message = `what other servers have changed was last seen ${Math.round(unseen / 1000)} s ago`;
      throw new ApiError("NOT_READY", message, { headers: { "retry-after": "1" } });
    }
    const lacking = models.current?.withoutRoom.size ?? 0;
    if (lacking > 0) {
      const items = lacking === 1 ? "1 item of the store has" : `${lacking} items of the store have`;
      const message = `${items} no room in this server's catalogue; start it again, or activate its model again: it then makes room`;
      throw new ApiError("NOT_READY", message, { headers: { "retry-after": "1" } });
    }
    return models.with(({ model, catalogue }) => ({
      status: "ready" as const,
      model: model.id,
      items: catalogue.size,
      store: store.kind,
      ...(replicas && {
        replicas: { alive: replicas.alive, listening: replicas.listening, problem: replicas.problem },
      }),
    }));
  },

  metrics: (context) => {
    measureNow(context);
    return context.metrics.text();
  },

  openApi: () => document as never,

  docs: () => docsFiles["/docs"].text,
};

const pinging = new WeakMap<Store, Promise<void>>();

/** Joins a ping under way: probes are not limited, and may be asked by anyone. */
function pingOnce(store: Store): Promise<void> {
  const underWay = pinging.get(store);
  if (underWay) return underWay;
  const ping = store.ping().finally(() => pinging.delete(store));
  pinging.set(store, ping);
  return ping;
}

/** What is as it is when somebody looks. */
function measureNow({ metrics, models, refresh, replicas }: ServerContext): void {
  if (replicas) metrics.replicas.age((performance.now() - replicas.synced) / 1000);
  metrics.users.queued(refresh.size);
  const served = models.current;
  if (!served) return;
  metrics.scans.queued(served.queue.counters.waiting);
  metrics.items.pendingTexts(served.catalogue.pendingItems);
  metrics.items.lacking({ withoutRoom: served.withoutRoom.size, unreadable: served.unreadable.size });
  metrics.items.roomLeft(served.roomLeft);
  const recall = served.graph?.search.stats.atStart[0]?.recall[0];
  if (recall !== undefined) metrics.graph.recall(recall);
}
