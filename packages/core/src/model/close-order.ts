// Models that lie in one engine's memory, in the order of opening: the last must close first, for memory is given back from its end.
import { NearkinError } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";

interface Opened {
  readonly id: string;
  readonly name: string;
  readonly engine: Engine;
}

const openModels = new WeakMap<Engine, Opened[]>();

export function hasOpened(model: Opened): void {
  openModels.set(model.engine, [...(openModels.get(model.engine) ?? []), model]);
}

/** Closes a model's scopes. The memory that others may share comes first: if it cannot be given back, nothing has changed. */
export function closeScopes(model: Opened, [shared, ...own]: readonly Scope[]): void {
  const models = openModels.get(model.engine) ?? [];
  try {
    shared.close();
  } catch (cause) {
    if (!(cause instanceof NearkinError) || cause.code !== "SCOPE_CLOSED") throw cause;
    const later = models.slice(models.indexOf(model) + 1).reverse();
    const first =
      later.length > 0
        ? `models opened after it on the same engine are still open; close ${later.map(({ name, id }) => `${name} (${id.slice(0, 8) || "no id"})`).join(", then ")} first`
        : "a scope opened after it on the same engine is still open; close that first";
    throw new NearkinError("SCOPE_CLOSED", `close: the model ${model.name}: ${first}`, { cause });
  }
  for (const scope of own) scope.close();
  openModels.set(
    model.engine,
    models.filter((other) => other !== model),
  );
}
