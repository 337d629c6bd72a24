// Keys in memory, for tests that need no database.
import type { KeyRecord, KeyStore, NewKey } from "../keys.ts";

export class MemoryKeyStore implements KeyStore {
  readonly records = new Map<string, KeyRecord>();
  /** How often the store was asked for a key. */
  reads = 0;
  /** Each touch, in order. */
  readonly touches: { id: string; time: number }[] = [];
  /** Set to make every call fail, as where the database is gone. */
  failure: Error | undefined;
  /** Set to keep answers of `get` back until the promise resolves. */
  gate: Promise<void> | undefined;

  async get(id: string): Promise<KeyRecord | null> {
    this.reads++;
    if (this.failure) throw this.failure;
    const record = this.records.get(id) ?? null;
    await this.gate;
    return record;
  }

  async getAll(ids: readonly string[]): Promise<readonly KeyRecord[]> {
    this.reads++;
    if (this.failure) throw this.failure;
    return ids.flatMap((id) => this.records.get(id) ?? []);
  }

  async list(): Promise<readonly KeyRecord[]> {
    return [...this.records.values()];
  }

  async create(key: NewKey): Promise<KeyRecord> {
    if (this.failure) throw this.failure;
    const record = { ...key, created: Date.now(), revoked: null, lastUsed: null };
    this.records.set(key.id, record);
    return record;
  }

  async revoke(id: string): Promise<boolean> {
    const record = this.records.get(id);
    if (record === undefined || record.revoked !== null) return false;
    this.records.set(id, { ...record, revoked: Date.now() });
    return true;
  }

  async touch(uses: ReadonlyMap<string, number>): Promise<void> {
    if (this.failure) throw this.failure;
    for (const [id, time] of uses) {
      this.touches.push({ id, time });
      const record = this.records.get(id);
      if (record) this.records.set(id, { ...record, lastUsed: time });
    }
  }
}
