// Models that can be served, and the index that is searched.
import type { RouteAnswer } from "@nearkin/client/contract";
import { decodeModel } from "@nearkin/core";
import type { ModelFolder } from "../../models/folders.ts";
import { readFolder } from "../../models/model-folder.ts";
import { measureIndex } from "../../search/measure.ts";
import type { Handlers, ServerContext } from "../context.ts";

type Info = RouteAnswer<"getModel">;

export const modelHandlers: Handlers<
  "listModels" | "getModel" | "activateModel" | "rollbackModel" | "validateModel" | "getIndex" | "measureIndex"
> = {
  listModels: async (context) => ({
    models: (await context.models.list()).map((folder) => infoOf(context, folder)),
    active: context.models.current?.model.id ?? null,
    previous: await context.models.previous(),
  }),

  getModel: async (context, { params }) => infoOf(context, await context.models.find(params.id)),

  activateModel: async (context, { params }) => {
    const { folder, previous } = await counted(context, "activated", context.models.activate(params.id));
    return { model: infoOf(context, folder), previous };
  },

  rollbackModel: async (context) => {
    const { folder, previous } = await counted(context, "rolled_back", context.models.rollback());
    return { model: infoOf(context, folder), previous };
  },

  validateModel: async ({ models }, { params }) => {
    const { path, folder, id, problems } = await models.find(params.id);
    const bad = { id, folder, valid: false, warnings: [] };
    if (problems.length > 0) return { ...bad, problems: [...problems] };
    try {
      const parts = await decodeModel(readFolder(path));
      const active = models.current;
      const names = new Set(parts.ensemble.channels.map(({ name }) => name));
      const lost = active ? Object.keys(active.model.weights).filter((name) => !names.has(name)) : [];
      const ids = new Set<string>(parts.catalogue.ids);
      const gone = active ? active.model.items.ids.ids.filter((item) => !ids.has(item)).length : 0;
      const warnings = [
        ...(lost.length > 0 ? [`channels of the active model that it has not: ${lost.join(", ")}`] : []),
        ...(gone > 0 ? [`items of the active model that it has not: ${gone}`] : []),
        ...(active?.model.personalizes && !parts.personal ? ["it knows nothing of how users differ"] : []),
        ...(active?.model.predictsRatings && !parts.posterior ? ["it cannot predict ratings"] : []),
      ];
      return { id, folder, valid: true, problems: [], warnings };
    } catch (error) {
      return { ...bad, problems: [(error as Error).message] };
    }
  },

  getIndex: ({ models }) =>
    models.with(({ catalogue, graph }) => {
      const info = graph?.index.info;
      const recall = graph?.search.stats.atStart[0]?.recall[0] ?? null; // the base metric, the fewest candidates
      return {
        kind: info?.state === "ready" ? ("graph" as const) : ("exact" as const),
        items: catalogue.size,
        added: catalogue.put.size,
        pending: catalogue.pendingItems,
        building: info?.state === "building",
        graph: info
          ? { nodes: info.rows, bytes: info.bytes, seconds: info.seconds ?? 0, recall, measured: null }
          : null,
      };
    }),

  measureIndex: ({ models }, { body: { queries, k } }) => models.with((served) => measureIndex(served, { queries, k })),
};

function infoOf({ models }: ServerContext, folder: ModelFolder): Info {
  const { path: _, channels, problems, ...rest } = folder;
  const current = models.current;
  const active = current !== undefined && current.path === folder.path && current.model.id === folder.id;
  return {
    ...rest,
    active,
    channels: [...channels],
    fields: active ? current.catalogue.fieldNames : [],
    unreadable: active ? current.unreadable.size : 0,
    problems: [...problems],
  };
}

async function counted<T>(
  { metrics }: ServerContext,
  outcome: "activated" | "rolled_back",
  swap: Promise<T>,
): Promise<T> {
  try {
    const swapped = await swap;
    metrics.models.swapped(outcome);
    return swapped;
  } catch (error) {
    metrics.models.swapped("refused");
    throw error;
  }
}
