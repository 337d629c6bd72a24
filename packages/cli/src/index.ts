/** The library's front door: one package to install, everything `@nearkin/core` offers, and `openModel` for a folder. */
export * from "@nearkin/core";
export { openModel } from "./open-model.ts"; // takes a folder, where core's takes the bytes
