// Encodes 40 texts in chunks of 4, slowly, into the cache folder that is named, and never gets to the end:  encode-slowly.ts FOLDER
import { encodeAll } from "../encode-all.ts";
import { toyEncoder } from "./toy-encoder.ts";

const texts = Array.from({ length: 40 }, (_, i) => `text ${i}`);
const onText = (text: string) => process.stdout.write(`${text}\n`);
await encodeAll(toyEncoder({ delay: 60, onText }), texts, { cache: process.argv[2], chunkSize: 4 });
