/** The library's front door: one package to install, everything `@nearkin/core` offers. */
export * from "@nearkin/core";
