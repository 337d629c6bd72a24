// C = α·A·B + β·C by packing into cache-sized panels and one register tile (Goto & van de Geijn, 2008).
// A (m, k) and B (k, n) have any strides, so a transpose is only a swap of two numbers; C (m, n) is row-major.
// A value never depends on the split: k is never divided between workers, and edge tiles do the arithmetic of full ones.
import { int, num, ptr } from "./job";
import { at, fma, RELAXED } from "./simd";

// 16 vector registers: a 6×2 tile of vectors fits only when multiply and add are one instruction; otherwise it spills.
export const MR: i32 = RELAXED ? 6 : 4;
const KC: i32 = 256; // depth of a panel: MR and NR slivers of it stay in L1
const MC: i32 = 96; // rows of a packed block of A: stays in L2 (a multiple of 4 and 6)
const NC: i32 = 1024; // columns of a packed block of B

/** Bytes of private workspace a worker needs: one edge tile, a block of A, a block of B. */
export const GEMM_WORKSPACE: i32 = 1024 + (MC * KC + NC * KC) * 8;

// Columns of the register tile: two vectors.
@inline
function nr<T>(): i32 {
  return <i32>(32 / sizeof<T>());
}

@inline
function addRow<T>(c: usize, alpha: v128, x: v128, y: v128): void {
  v128.store(c, v128.add<T>(v128.mul<T>(alpha, x), v128.load(c)));
  v128.store(c, v128.add<T>(v128.mul<T>(alpha, y), v128.load(c, 16)), 16);
}

@inline
function putRow<T>(c: usize, alpha: v128, x: v128, y: v128): void {
  v128.store(c, v128.mul<T>(alpha, x));
  v128.store(c, v128.mul<T>(alpha, y), 16);
}

// One MR × NR tile: C (+)= α·Σ_q a_q b_qᵀ over packed slivers. `put`: C is overwritten instead of added to.
@inline
function tile<T>(kc: i32, pa: usize, pb: usize, c: usize, ldc: i32, alpha: T, rows: i32, cols: i32, put: bool, edge: usize): void {
  const size = sizeof<T>();
  let c00 = v128.splat<T>(<T>0);
  let c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00, c30 = c00, c31 = c00;
  let c40 = c00, c41 = c00, c50 = c00, c51 = c00;
  const end = pa + <usize>(kc * MR) * size;
  while (pa < end) {
    const b0 = v128.load(pb), b1 = v128.load(pb, 16);
    let a = v128.load_splat<T>(pa);
    c00 = fma<T>(a, b0, c00); c01 = fma<T>(a, b1, c01);
    a = v128.load_splat<T>(pa, 1 * sizeof<T>());
    c10 = fma<T>(a, b0, c10); c11 = fma<T>(a, b1, c11);
    a = v128.load_splat<T>(pa, 2 * sizeof<T>());
    c20 = fma<T>(a, b0, c20); c21 = fma<T>(a, b1, c21);
    a = v128.load_splat<T>(pa, 3 * sizeof<T>());
    c30 = fma<T>(a, b0, c30); c31 = fma<T>(a, b1, c31);
    if (RELAXED) {
      a = v128.load_splat<T>(pa, 4 * sizeof<T>());
      c40 = fma<T>(a, b0, c40); c41 = fma<T>(a, b1, c41);
      a = v128.load_splat<T>(pa, 5 * sizeof<T>());
      c50 = fma<T>(a, b0, c50); c51 = fma<T>(a, b1, c51);
    }
    pa += <usize>MR * size;
    pb += 32;
  }
  if (rows == MR && cols == nr<T>()) {
    const al = v128.splat<T>(alpha), l = <usize>ldc * size;
    if (put) {
      putRow<T>(c, al, c00, c01); c += l;
      putRow<T>(c, al, c10, c11); c += l;
      putRow<T>(c, al, c20, c21); c += l;
      putRow<T>(c, al, c30, c31);
      if (RELAXED) {
        c += l; putRow<T>(c, al, c40, c41);
        c += l; putRow<T>(c, al, c50, c51);
      }
    } else {
      addRow<T>(c, al, c00, c01); c += l;
      addRow<T>(c, al, c10, c11); c += l;
      addRow<T>(c, al, c20, c21); c += l;
      addRow<T>(c, al, c30, c31);
      if (RELAXED) {
        c += l; addRow<T>(c, al, c40, c41);
        c += l; addRow<T>(c, al, c50, c51);
      }
    }
    return;
  }
  // Edge: the same multiply-then-add per element as above, from a spilled tile.
  v128.store(edge, c00, 0); v128.store(edge, c01, 16); v128.store(edge, c10, 32); v128.store(edge, c11, 48);
  v128.store(edge, c20, 64); v128.store(edge, c21, 80); v128.store(edge, c30, 96); v128.store(edge, c31, 112);
  if (RELAXED) {
    v128.store(edge, c40, 128); v128.store(edge, c41, 144); v128.store(edge, c50, 160); v128.store(edge, c51, 176);
  }
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) {
      const p = at<T>(c, i * ldc + j);
      const x = alpha * load<T>(at<T>(edge, i * nr<T>() + j));
      store<T>(p, put ? x : x + load<T>(p));
    }
  }
}

// Plain exported functions, never inlined: inside the loops below V8 would run out of registers (30 instead of 54 GFLOP/s).
export function tile_f32(kc: i32, pa: usize, pb: usize, c: usize, ldc: i32, alpha: f32, rows: i32, cols: i32, put: bool, edge: usize): void {
  tile<f32>(kc, pa, pb, c, ldc, alpha, rows, cols, put, edge);
}
export function tile_f64(kc: i32, pa: usize, pb: usize, c: usize, ldc: i32, alpha: f64, rows: i32, cols: i32, put: bool, edge: usize): void {
  tile<f64>(kc, pa, pb, c, ldc, alpha, rows, cols, put, edge);
}

// B's block as slivers of NR columns, zero-padded.
function packB<T>(kc: i32, nc: i32, b0: usize, rsb: i32, csb: i32, packed: usize): void {
  const NR = nr<T>();
  for (let j = 0; j < nc; j += NR) {
    const w = min(NR, nc - j);
    let p = at<T>(packed, j * kc), b = at<T>(b0, j * csb);
    if (w == NR && csb == 1) {
      for (let q = 0; q < kc; q++) {
        v128.store(p, v128.load(b));
        v128.store(p, v128.load(b, 16), 16);
        p += 32;
        b = at<T>(b, rsb);
      }
    } else {
      for (let q = 0; q < kc; q++) {
        let t = 0;
        for (; t < w; t++) store<T>(at<T>(p, t), load<T>(at<T>(b, t * csb)));
        for (; t < NR; t++) store<T>(at<T>(p, t), <T>0);
        p += 32;
        b = at<T>(b, rsb);
      }
    }
  }
}

// A's block as slivers of MR rows, zero-padded.
function packA<T>(kc: i32, mc: i32, a0: usize, rsa: i32, csa: i32, packed: usize): void {
  const size = sizeof<T>();
  for (let i = 0; i < mc; i += MR) {
    const h = min(MR, mc - i);
    let p = at<T>(packed, i * kc), a = at<T>(a0, i * rsa);
    if (h == MR) {
      const r = <usize>rsa * size, s = <usize>csa * size;
      for (let q = 0; q < kc; q++) {
        store<T>(p, load<T>(a));
        store<T>(p, load<T>(a + r), sizeof<T>());
        store<T>(p, load<T>(a + 2 * r), 2 * sizeof<T>());
        store<T>(p, load<T>(a + 3 * r), 3 * sizeof<T>());
        if (RELAXED) {
          store<T>(p, load<T>(a + 4 * r), 4 * sizeof<T>());
          store<T>(p, load<T>(a + 5 * r), 5 * sizeof<T>());
        }
        p += <usize>MR * size;
        a += s;
      }
    } else {
      for (let q = 0; q < kc; q++) {
        let t = 0;
        for (; t < h; t++) store<T>(at<T>(p, t), load<T>(at<T>(a, t * rsa)));
        for (; t < MR; t++) store<T>(at<T>(p, t), <T>0);
        p += <usize>MR * size;
        a = at<T>(a, csa);
      }
    }
  }
}

/** As `part` of gemm: all of C. */
export const FULL: i32 = -1;

/** The product itself. `part` ≥ 0: row 0 of C is row `part` of a symmetric matrix and only columns ≤ its row are needed. */
export function gemm<T>(m: i32, n: i32, k: i32, alpha: T, A: usize, rsa: i32, csa: i32, B: usize, rsb: i32, csb: i32, beta: T, C: usize, ldc: i32, ws: usize, part: i32): void {
  const NR = nr<T>();
  const overwrite = beta == <T>0 && k > 0;
  if (!overwrite && beta != <T>1) {
    for (let i = 0; i < m; i++) {
      const c = at<T>(C, i * ldc);
      const w = part >= 0 ? min(n, part + i + 1) : n;
      if (beta == <T>0) memory.fill(c, 0, <usize>w * sizeof<T>());
      else for (let j = 0; j < w; j++) store<T>(at<T>(c, j), beta * load<T>(at<T>(c, j)));
    }
  }
  const packedA = ws + 1024, packedB = packedA + <usize>(MC * KC) * sizeof<T>();
  for (let jc = 0; jc < n; jc += NC) {
    const nc = min(NC, n - jc);
    for (let pc = 0; pc < k; pc += KC) {
      const kc = min(KC, k - pc);
      const put = overwrite && pc == 0;
      packB<T>(kc, nc, at<T>(B, pc * rsb + jc * csb), rsb, csb, packedB);
      for (let ic = 0; ic < m; ic += MC) {
        const mc = min(MC, m - ic);
        if (part >= 0 && jc > part + ic + mc - 1) continue;
        packA<T>(kc, mc, at<T>(A, ic * rsa + pc * csa), rsa, csa, packedA);
        for (let j = 0; j < nc; j += NR) {
          if (part >= 0 && jc + j > part + ic + mc - 1) break;
          const w = min(NR, nc - j);
          for (let i = 0; i < mc; i += MR) {
            const h = min(MR, mc - i);
            if (part >= 0 && jc + j > part + ic + i + h - 1) continue;
            const a = at<T>(packedA, i * kc), b = at<T>(packedB, j * kc), c = at<T>(C, (ic + i) * ldc + jc + j);
            if (sizeof<T>() == 4) tile_f32(kc, a, b, c, ldc, <f32>alpha, h, w, put, ws);
            else tile_f64(kc, a, b, c, ldc, <f64>alpha, h, w, put, ws);
          }
        }
      }
    }
  }
}

// Fields: m n k α · A rsa csa · B rsb csb · β · C ldc · workspace · part
function gemmJob<T>(job: usize): void {
  gemm<T>(
    int(job, 0), int(job, 1), int(job, 2), <T>num(job, 3),
    ptr(job, 4), int(job, 5), int(job, 6),
    ptr(job, 7), int(job, 8), int(job, 9),
    <T>num(job, 10), ptr(job, 11), int(job, 12), ptr(job, 13), int(job, 14),
  );
}
export function gemm_f32(job: usize): void {
  gemmJob<f32>(job);
}
export function gemm_f64(job: usize): void {
  gemmJob<f64>(job);
}

// Copies the lower triangle onto the upper one, in squares that fit the cache. Fields: n · C ldc
function mirror<T>(job: usize): void {
  const n = int(job, 0);
  const C = ptr(job, 1);
  const ldc = int(job, 2);
  const S = 16;
  for (let ib = 0; ib < n; ib += S) {
    for (let jb = 0; jb <= ib; jb += S) {
      const i1 = min(ib + S, n);
      for (let i = ib; i < i1; i++) {
        const j1 = min(jb + S, i);
        for (let j = jb; j < j1; j++) store<T>(at<T>(C, j * ldc + i), load<T>(at<T>(C, i * ldc + j)));
      }
    }
  }
}
export function mirror_f32(job: usize): void {
  mirror<f32>(job);
}
export function mirror_f64(job: usize): void {
  mirror<f64>(job);
}
