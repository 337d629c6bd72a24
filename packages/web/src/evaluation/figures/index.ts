// All that needs Plot, loaded when the first figure is on its way.
export { bandsOptions } from "./bands.ts";
export { draw } from "./draw.ts";
export { reliabilityOptions } from "./reliability.ts";
export { strataOptions } from "./strata.ts";
export { userBarsOptions } from "./users-bars.ts";
