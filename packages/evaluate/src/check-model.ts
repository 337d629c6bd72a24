// Whether a model may be measured on a dataset.
import { type Model, NearkinError } from "@nearkin/core";
import type { Dataset } from "@nearkin/data";

/** A model that saw other data, or started from one that did, may have seen the test items: its figures would mean nothing. */
export function checkModel({ name, parts }: Model, { folder, manifest }: Dataset): void {
  const { fromDatasets = [], selection } = parts.notes as { fromDatasets?: string[]; selection?: unknown };
  const refuse = (why: string) =>
    new NearkinError("BAD_ARGUMENT", `the model ${name} was not trained on ${folder}: ${why}`);
  if (parts.dataset.id !== manifest.id) {
    throw refuse(
      selection
        ? "it is a refit on all data, test items included; evaluate the model of the split that it was chosen by"
        : "it may have been trained on the test items; prepare and train again, or name the dataset that it was trained on",
    );
  }
  if (fromDatasets.some((id) => id !== manifest.id)) {
    throw refuse("it started from a model of other data, which may have had the test items; train it without --from");
  }
}
