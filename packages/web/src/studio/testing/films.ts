// A form to test with.
import type { StudioForm } from "../form.ts";

export const films: StudioForm = {
  fields: [
    { kind: "text", channel: "plot", label: "Plot", field: "plot", encoded: true },
    { kind: "list", channel: "genres", label: "Genres", field: "genres", terms: ["Drama", "War", "Comedy"] },
    { kind: "list", channel: "director", label: "Director", field: "directors", terms: ["Ann", "Bob"] },
    { kind: "number", channel: "year", label: "Year", field: "year", range: ["1920", "2023"] },
    { kind: "date", channel: "release", label: "Release", field: "release", range: undefined },
    { kind: "place", channel: "place", label: "Place", field: undefined },
  ],
  following: ["taste"],
  untypable: [],
};
