// Drafts as the metric sees them: through the towers all at once, into the columns of lifted rows.
// q drafts, e embedding columns, p channels
import { NearkinError } from "../errors.ts";
import type { Engine } from "../linalg/engine.ts";
import { type Ensemble, embed } from "../metric/embed.ts";
import type { RowScaling } from "../rank/layout.ts";
import type { EmbeddedDraft } from "./answers.ts";
import type { ReadDrafts } from "./draft.ts";
import { scaleEmbeddings } from "./scaling.ts";

const AT_ONCE = 256; // drafts: inputs and activations of all towers are in memory

/** (q) Each is, bit for bit, what it would be alone; or what is wrong with it. The bits are those of one engine: others round otherwise. */
export function embedDrafts(
  engine: Engine,
  { inputs, drafts }: ReadDrafts,
  { scaling, ...ensemble }: Omit<Ensemble, "inputs"> & { scaling: RowScaling },
): (EmbeddedDraft | NearkinError)[] {
  const e = scaling.centres.length;
  const p = ensemble.config.channels.length;
  const exact = new Float64Array(inputs.itemCount * e);
  const masked = new Uint8Array(inputs.itemCount * p);
  for (let from = 0; from < inputs.itemCount; from += AT_ONCE) {
    using scope = engine.scope();
    const rows = Int32Array.from({ length: Math.min(AT_ONCE, inputs.itemCount - from) }, (_, i) => from + i);
    const found = embed(engine, scope, { ...ensemble, inputs }, rows);
    exact.set(scaleEmbeddings(scaling, found.Z.read()), from * e);
    masked.set(found.masked, from * p);
  }
  return drafts.map((draft) => {
    if (draft instanceof NearkinError) return draft;
    const own = exact.slice(draft.row * e, (draft.row + 1) * e);
    return {
      embedding: Float32Array.from(own),
      exact: own,
      masked: masked.slice(draft.row * p, (draft.row + 1) * p),
      index: -1,
      missing: draft.missing,
    };
  });
}
