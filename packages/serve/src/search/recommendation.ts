// The id of a list that was given out. Feedback names it, and all that is to be known of the list then is in the id itself, signed: nothing is
// written when a list is read.
import { createHmac, type KeyObject, randomFillSync, timingSafeEqual } from "node:crypto";
import { NearkinError } from "@nearkin/core";

const MAC_BYTES = 12;
const OWN_BYTES = 6; // that tell lists of the same millisecond apart
const DRAWN = 512; // of them at once: asking for few random bytes takes as long as asking for many

/** What an id tells. */
export interface Recommendation {
  /** ms since 1970 */
  readonly time: number;
  readonly model: string;
  /** What made it: "similar", "because", … */
  readonly kind: string;
  /** Whose metric ranked it. */
  readonly metric: "user" | "given" | "base";
}

const KINDS = ["similar", "because"] as const;
const METRICS = ["user", "given", "base"] as const;

export class Recommendations {
  readonly #secrets: () => readonly KeyObject[];
  readonly #drawn = Buffer.alloc(DRAWN * OWN_BYTES);
  #taken = DRAWN;

  /** The first secret signs, all are accepted. */
  constructor(secrets: () => readonly KeyObject[]) {
    this.#secrets = secrets;
  }

  /** The first 16 characters of a model's id tell it apart. */
  create({ time, model, kind, metric }: Recommendation): string {
    const code = `${KINDS.indexOf(kind as (typeof KINDS)[number])}${METRICS.indexOf(metric)}`;
    const payload = `${time.toString(36)}.${model.slice(0, 16)}.${code}.${this.#own()}`;
    return `${payload}.${macOf(payload, this.#secrets()[0])}`;
  }

  read(id: string): Recommendation {
    const end = id.lastIndexOf(".");
    const [time, model, code] = id.split(".");
    const given = Buffer.from(id.slice(end + 1));
    const isOurs = (secret: KeyObject) => {
      const mac = Buffer.from(macOf(id.slice(0, end), secret));
      return mac.length === given.length && timingSafeEqual(mac, given);
    };
    if (end < 0 || !this.#secrets().some(isOurs)) {
      throw new NearkinError("BAD_ARGUMENT", "recommendation: expected an id that a list of this server came with");
    }
    return {
      time: Number.parseInt(time, 36),
      model,
      kind: KINDS[Number(code[0])],
      metric: METRICS[Number(code[1])],
    };
  }

  #own(): string {
    if (this.#taken === DRAWN) {
      randomFillSync(this.#drawn);
      this.#taken = 0;
    }
    const at = this.#taken++ * OWN_BYTES;
    return this.#drawn.toString("base64url", at, at + OWN_BYTES);
  }
}

function macOf(payload: string, secret: KeyObject): string {
  return createHmac("sha256", secret).update(payload).digest().subarray(0, MAC_BYTES).toString("base64url");
}
