// Whether the server is well, and what it can do.
import { openApi } from "@nearkin/client/contract";
import { DEAD_AFTER } from "../../store/replicas.ts";
import { ApiError } from "../api-error.ts";
import type { Handlers, ServerContext } from "../context.ts";
import { docsFiles } from "../docs/page.ts";

const document = openApi();

export const systemHandlers: Handlers<"health" | "ready" | "metrics" | "openApi" | "docs"> = {
  health: ({ version, started }) => ({ status: "ok", version, uptime: (performance.now() - started) / 1000 }),

  ready: async ({ models, store, lifecycle, replicas }) => {
    const { ready, reasons } = lifecycle.readiness();
    if (!ready) throw new ApiError("NOT_READY", reasons.join("; "), { headers: { "retry-after": "1" } });
    await store.ping();
    const unseen = replicas ? performance.now() - replicas.synced : 0; // ms
    if (unseen > DEAD_AFTER) {
      // a database that answers and cannot be written to, or is locked: what is in memory grows old
      const message = `what other servers have changed was last seen ${Math.round(unseen / 1000)} s ago`;
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

/** What is as it is when somebody looks. */
function measureNow({ metrics, models, refresh, replicas }: ServerContext): void {
  if (replicas) metrics.replicas.age((performance.now() - replicas.synced) / 1000);
  metrics.users.queued(refresh.size);
  const served = models.current;
  if (!served) return;
  metrics.scans.queued(served.queue.counters.waiting);
  metrics.items.pendingTexts(served.catalogue.pendingItems);
  const recall = served.graph?.search.stats.atStart[0]?.recall[0];
  if (recall !== undefined) metrics.graph.recall(recall);
}
