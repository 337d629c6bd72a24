// The server this page came from.
import { createClient } from "@nearkin/client";
import { authorizedFetch } from "./session.ts";

export const client = createClient({ url: globalThis.location?.origin ?? "http://localhost", fetch: authorizedFetch });
