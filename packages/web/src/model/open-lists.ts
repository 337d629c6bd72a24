// The lists of a model that need not be the one that answers: it is downloaded, asked in a worker of its own, and closed again.
import type { ModelInfo } from "@nearkin/client";
import { downloadModel, listModelFiles } from "../api/model-files.ts";
import { openHere } from "../engine/open-here.ts";
import type { CatalogueLists } from "../engine/similarity.ts";

const PLACES = 10;
const MOST_ITEMS = 5000; // of a catalogue that a page compares whole: every item with every other

/** Whether a page should do this with a model. */
export const isSmall = ({ items, id }: Pick<ModelInfo, "items" | "id">): boolean =>
  id !== null && items !== null && items <= MOST_ITEMS;

export async function listsOf(model: string): Promise<CatalogueLists> {
  const opened = await openHere(await downloadModel(await listModelFiles(model)));
  try {
    return await opened.calls.lists(PLACES);
  } finally {
    opened.close();
  }
}
