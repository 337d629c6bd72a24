// By what items are compared on this screen: whose metric, moved by which sliders. It stands in the address, in the words of the API.
import type { SimilarQuestion } from "../engine/similarity.ts";

/** What was chosen; nothing else is in the address. */
export interface Chosen {
  /** Whose metric; null: the one that all share. */
  readonly user: string | null;
  /** Weights that were moved, by channel. */
  readonly weights: Readonly<Record<string, number>>;
  /** null: the user's own, or 0. */
  readonly popularity: number | null;
  /** How much what the user met lately counts, in units of what the model chose for it; null: 1. */
  readonly history: number | null;
  readonly diversity: number;
  /** Items of the list. */
  readonly k: number;
}

/** A metric before anything is moved. */
export interface StartingMetric {
  readonly weights: Readonly<Record<string, number>>;
  readonly popularity: number;
  /** Ids of what the user met, the last one last; empty where it cannot count. */
  readonly met: readonly string[];
}

export const FEW = 12; // items of a list to begin with
export const MOST = 96;
export const HIGHEST = 4; // times the learned weight

/** Reads the query. What makes no sense is left out: an old link still leads somewhere. */
export function readChosen(query: URLSearchParams, channels: readonly string[]): Chosen {
  const k = Number(query.get("k"));
  return {
    user: query.get("user") || null,
    weights: readWeights(query.get("weights") ?? "", channels),
    popularity: readNumber(query.get("popularity"), -10, 10),
    history: readNumber(query.get("history"), 0, 10),
    diversity: readNumber(query.get("diversity"), 0, 1) ?? 0,
    k: Number.isInteger(k) && k >= 1 && k <= MOST ? k : FEW,
  };
}

/** The changes of the query that say it; null where nothing needs to be said. */
export function printChosen({
  user,
  weights,
  popularity,
  history,
  diversity,
  k,
}: Chosen): Record<string, string | null> {
  return {
    user,
    weights: printWeights(weights) || null,
    popularity: popularity === null ? null : String(popularity),
    history: history === null ? null : String(history),
    diversity: diversity === 0 ? null : String(diversity),
    k: k === FEW ? null : String(k),
  };
}

/** `plot:2.1,genres:0.3`, as the API takes it. */
const printWeights = (weights: Readonly<Record<string, number>>): string =>
  Object.entries(weights)
    .map(([channel, weight]) => `${channel}:${weight}`)
    .join(",");

function readWeights(text: string, channels: readonly string[]): Record<string, number> {
  const entries = text.split(",").flatMap((entry): [string, number][] => {
    const end = entry.lastIndexOf(":"); // a channel's name may hold one
    const channel = entry.slice(0, end);
    const weight = readNumber(entry.slice(end + 1), -1e6, 1e6);
    return weight !== null && channels.includes(channel) ? [[channel, weight]] : [];
  });
  return Object.fromEntries(entries);
}

function readNumber(text: string | null, least: number, most: number): number | null {
  const value = text === null || text.trim() === "" ? Number.NaN : Number(text);
  return value >= least && value <= most ? value : null;
}

/** What the engine is asked: the weights of the start with those that were moved, every channel of them. */
export function questionOf(chosen: Chosen, start: StartingMetric): SimilarQuestion {
  const factor = chosen.history ?? 1;
  return {
    ...(start.met.length > 0 && factor !== 0 ? { history: { items: start.met, factor } } : {}),
    weights: { ...start.weights, ...chosen.weights },
    popularity: chosen.popularity ?? start.popularity,
    diversity: chosen.diversity,
    k: chosen.k,
  };
}

/** Whether no channel counts, so that no item is nearer than another. */
export const countsNothing = ({ weights }: Pick<SimilarQuestion, "weights">): boolean =>
  Object.values(weights).every((weight) => weight === 0);

/** What a slider's 1× stands for: the learned weight, or a typical one where nothing was learned. */
export function unitOf(channel: string, learned: Readonly<Record<string, number>>): number {
  if (learned[channel] > 0) return learned[channel];
  const weights = Object.values(learned).filter((weight) => weight > 0);
  return weights.length > 0 ? weights.reduce((sum, weight) => sum + weight, 0) / weights.length : 1;
}

/** The weight of a slider's place, short enough for an address; the API gets the same number. */
export const weightAt = (multiple: number, unit: number): number => Number((multiple * unit).toPrecision(4));

/** Whether anything was moved. */
export const isMoved = ({ weights, popularity, history, diversity }: Chosen): boolean =>
  Object.keys(weights).length > 0 || popularity !== null || history !== null || diversity !== 0;
