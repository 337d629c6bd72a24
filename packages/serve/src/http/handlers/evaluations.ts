// Results of evaluations, and the pages beside them.
import type { ResultsFolder } from "../../results/folder.ts";
import { ApiError } from "../api-error.ts";
import type { Handlers, ServerContext } from "../context.ts";
import { OwnAnswer } from "../own-answer.ts";

export const evaluationHandlers: Handlers<"listEvaluations" | "getEvaluation" | "getReport"> = {
  listEvaluations: async ({ results }) => ({
    evaluations: (await results?.list()) ?? [],
    folder: results !== undefined,
  }),

  getEvaluation: (context, { params }) => folderOf(context).get(params.name),

  getReport: async (context, { params }) => {
    const { html, policy } = await folderOf(context).report(params.name);
    // a sandboxed page has an origin of its own: browsers show none that asks for more walls beside that
    return new OwnAnswer(html, {
      "content-security-policy": policy,
      "cross-origin-opener-policy": "unsafe-none",
      "origin-agent-cluster": "?0",
    });
  },
};

function folderOf({ results }: ServerContext): ResultsFolder {
  if (results) return results;
  throw new ApiError("UNKNOWN_RESULT", "this server was given no folder of results; start it with --results <folder>");
}
