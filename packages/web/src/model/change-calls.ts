// Asking the server to check a model, and to change to it.
import { client } from "../api/client.ts";
import { problemOf } from "../api/problem.ts";
import type { ChangeKind, ChangeState } from "./change.ts";

/** Whether a model could be served; changes nothing. */
export async function checkChange(model: string): Promise<ChangeState> {
  try {
    const [{ valid, problems, warnings }, { added }] = await Promise.all([
      client.models.validate(model),
      client.index.get(),
    ]);
    return valid ? { name: "ready", warnings, added } : { name: "refused", problems };
  } catch (error) {
    return { name: "failed", problem: problemOf(error) };
  }
}

export async function makeChange(kind: ChangeKind, model: string): Promise<ChangeState> {
  try {
    await (kind === "activate" ? client.models.activate(model) : client.models.rollback());
    return { name: "done" };
  } catch (error) {
    return { name: "failed", problem: problemOf(error) };
  }
}
