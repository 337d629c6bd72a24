// d_c(a, b) = (1 − cos_c(a, b)) / s_c, s_c its median over pairs. Each is half a squared distance of unit vectors (for the
// year, in the space of its Gaussian kernel), so v·exp(−½ Σ_c h_c d_c) is positive semi-definite for h ≥ 0 (Schoenberg).
// n films, p channels.
import type { Engine, FloatArray, Matrix, Scope } from "@nearkin/core";
import type { Film } from "./films.ts";
import { type Channel, type ChannelWeights, PARAMETERS } from "./parameters.ts";
import { plotTerms } from "./plot-terms.ts";
import { portableExp } from "./portable.ts";

/** d_c for every pair of films, row-major (n, n), by channel. */
export interface FilmDistances {
  n: number;
  channels: Record<Channel, Float64Array>;
}

/** A metric on the films: t = Σ_c h_c d_c. */
export interface Metric {
  distances: FilmDistances;
  weights: ChannelWeights;
}

export function filmDistances(engine: Engine, films: readonly Film[]): FilmDistances {
  return {
    n: films.length,
    channels: {
      genres: scaled(cosinesOfSets(engine, films, "genres")),
      plot: scaled(cosinesOfPlots(engine, films)),
      director: scaled(cosinesOfSets(engine, films, "directors")),
      country: scaled(cosinesOfSets(engine, films, "countries")),
      year: scaled(similarityOfYears(films)),
    },
  };
}

/** scale·t from one film to films 0, 1, … into `out`, as many as it holds. */
export function totalDistances(out: FloatArray, { distances, weights: h }: Metric, film: number, scale = 1): void {
  const { genres, plot, director, country, year } = distances.channels;
  for (let j = 0, i = film * distances.n; j < out.length; j++, i++) {
    out[j] =
      scale *
      (h.genres * genres[i] + h.plot * plot[i] + h.director * director[i] + h.country * country[i] + h.year * year[i]);
  }
}

/** cos = |A ∩ B| / √(|A|·|B|). */
function cosinesOfSets(
  engine: Engine,
  films: readonly Film[],
  field: "genres" | "directors" | "countries",
): Float64Array {
  const names = [...new Set(films.flatMap((film) => film[field]))];
  const column = new Map(names.map((name, j) => [name, j]));
  const values = new Float64Array(films.length * names.length);
  films.forEach((film, i) => {
    for (const name of film[field]) values[i * names.length + (column.get(name) ?? 0)] = 1;
  });
  using scope = engine.scope();
  return cosines(gram(engine, scope, scope.matrix(films.length, names.length).write(values))).read();
}

/**
 * Cosines of the rows of G⁴, G the cosines of the centred TF-IDF rows. Two short plots rarely share a word, but their
 * words meet in third plots; powers of G follow those paths and so favour its leading factors, as latent semantic analysis does.
 */
function cosinesOfPlots(engine: Engine, films: readonly Film[]): Float64Array {
  const n = films.length;
  const terms = plotTerms(films.map((film) => film.plot));
  using scope = engine.scope();
  const X = unitRows(scope.matrix(n, terms.columns).write(terms.values));
  let G = cosines(gram(engine, scope, centredColumns(X)));
  for (let k = 0; k < PARAMETERS.distance.plotSquarings; k++) G = gram(engine, scope, G); // G², G⁴, G⁸ = (G⁴)(G⁴)ᵀ
  return cosines(G).read();
}

/** exp(−½ (Δ/τ)²): decades apart is far, and centuries apart no farther. */
function similarityOfYears(films: readonly Film[]): Float64Array {
  const n = films.length;
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const gap = (films[i].year - films[j].year) / PARAMETERS.distance.yearScale;
      out[i * n + j] = portableExp(-0.5 * gap * gap);
    }
  }
  return out;
}

function gram(engine: Engine, scope: Scope, X: Matrix): Matrix {
  const G = scope.matrix(X.rows, X.rows);
  engine.syrk(G, X);
  return G;
}

/** G_ij / √(G_ii·G_jj), in place. */
function cosines(G: Matrix): Matrix {
  const n = G.rows;
  const values = G.read();
  const norms = Float64Array.from({ length: n }, (_, i) => Math.sqrt(values[i * n + i]));
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) values[i * n + j] /= norms[i] * norms[j];
  return G.write(values);
}

function unitRows(X: Matrix): Matrix {
  const values = X.read();
  for (let i = 0; i < X.rows; i++) {
    const row = values.subarray(i * X.cols, (i + 1) * X.cols);
    let square = 0;
    for (const x of row) square += x * x;
    for (let j = 0; j < row.length; j++) row[j] /= Math.sqrt(square);
  }
  return X.write(values);
}

function centredColumns(X: Matrix): Matrix {
  const values = X.read();
  for (let j = 0; j < X.cols; j++) {
    let sum = 0;
    for (let i = 0; i < X.rows; i++) sum += values[i * X.cols + j];
    for (let i = 0; i < X.rows; i++) values[i * X.cols + j] -= sum / X.rows;
  }
  return X.write(values);
}

/** (1 − cos) / median over pairs; 0 on the diagonal and never below it. */
function scaled(cosine: Float64Array): Float64Array {
  const n = Math.sqrt(cosine.length);
  const pairs = new Float64Array((n * (n - 1)) / 2);
  let at = 0;
  for (let i = 1; i < n; i++) for (let j = 0; j < i; j++) pairs[at++] = 1 - cosine[i * n + j];
  pairs.sort();
  const median = pairs[pairs.length >> 1];
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      out[i * n + j] = Math.max(0, 1 - cosine[i * n + j]) / median;
      out[j * n + i] = out[i * n + j];
    }
  }
  return out;
}
