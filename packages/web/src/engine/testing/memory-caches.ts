import type { KeptIn } from "../kept-model.ts";

/** A browser's store in memory. `room`: how many responses it takes. */
export function memory(room = Infinity) {
  const caches = new Map<string, Map<string, Response>>();
  const at = {
    async open(name: string) {
      const entries = caches.get(name) ?? new Map<string, Response>();
      caches.set(name, entries);
      return {
        async put(key: string, response: Response) {
          if (entries.size >= room) throw new DOMException("full", "QuotaExceededError");
          entries.set(key, response);
        },
        match: async (key: string) => entries.get(key)?.clone(),
      };
    },
    delete: async (name: string) => caches.delete(name),
  };
  return { at: at as unknown as KeptIn, caches };
}
