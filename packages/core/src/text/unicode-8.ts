// Classes of characters as of Unicode 8.0 (2015), by which the published tokenizer of BERT's vocabularies goes. JavaScript's own \p{…} know
// later versions, each engine another: a text would have other pieces, and so another vector, from one browser to the next.

/**
 * The inside of a character class. A range is its distance from the end of the one before and, after a dot, how many characters follow its
 * first; in base 36.
 */
export function characters(ranges: string): string {
  let next = 0;
  let set = "";
  for (const range of ranges.trim().split(/\s+/)) {
    const [distance, more = "0"] = range.split(".");
    const first = next + Number.parseInt(distance, 36);
    const last = first + Number.parseInt(more, 36);
    set += `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`;
    next = last + 1;
  }
  return set;
}

/** Accents and other marks that take no room (Mn): 1 567. */
export const NONSPACING_MARKS = `
  lc.33 7n.4 7d.18 1 1.1 1.1 1 20.a 1c.k g 2t.6 2.5 2.1 1.3 z u.q 2j.a 1m.8 y.3 1.8 1.2 1.4 17.2 3r.v 1j 1 4.7 4 3.6 a.1 t 1m 4.3 8
  k.1 t.1 1l 4.1 4.1 2.2 3 u.1 3 b.1 1l 4.4 1.1 4 k.1 t 1m 2 1.3 8 8 b.1 u 1p c 1e 1p.2 5.2 1.3 7.1 b.1 t 1m 2 6 5.1 k.1 t 1r.3 8
  k.1 2u 7.2 1 2i 2.6 c.7 2q 2.5 1.1 b.5 22.1 r 1 1 1j.d 1.4 1.1 5.a 1.z 9 2u.3 1.5 1.1 2.1 p.1 4.2 g.3 d 2.1 6 f jj.2 qa.2 t.2 t.1
  u.1 1s.1 1.6 8 2.a 9 19.2 4b 3a.2 4.1 9 6.2 63.1 2 1m 1.6 1 1 2.7 6.9 2 1c.d 1u.3 1c 1.4 1 5 14.8 c.1 w.3 2.1 1.2 1k 1.1 3 1.2
  1m.7 2.1 48.2 1.c 1.6 4 6 3.1 5i.1h 6.3 k0.c 4 3.b 2da.2 3x 2o.v fe.3 2z.1 n9w 4.9 w.1 28.1 7k 3 4 p.1 4d r.h 1g.7 p.a 1a.2 1c 2.3
  2 14 1v.5 2.1 2.1 c 8 1b 1f 1.2 2.1 5.1 1 16.1 8 6m 2 4 fn4 kh.f g.f r1 6a 45.4 1ae.2 1.1 5.3 14.2 4 4l.1 10a 1i.e 1k.2 1d.3 2.1
  1x.2 10.4 1.7 1q c.1 1g.8 b.2 2q.2 2 1.1 4n 3.7 l.1 1m 3 11.6 3.4 8u.5 1 4.1 1.1 6m.3 6.1 1.1 r.1 2d.7 2 1.1 2y 1 2.5 1 2t.2 2.3
  1.4 gjo.4 1n.6 uw.3 f7u.1 43s.2 h.7 2.6 u.3 44.2 1iz.1i 4.1d 8 e m.4 1.e 2sg.6 gzl5.6n
`;

/** Punctuation of all kinds (P): 717. */
export const PUNCTUATION = `
  x.2 1.5 1.3 a.1 3.1 q.2 1 r 1 z 5 3 a.1 3 3 ji 8 cy.5 15.1 1f 1 2 2 18.1 k.1 1.1 d 2.1 22.3 2u 17.d 6h.2 1i.e v 79.1 a an lf 2i
  a.1 4o.e 1 11.3 1z 22.4 4.1 33.5 4r h0.8 47 h8.1 18.1 26.2 1z.1 4d.2 1.2 11.a 8p.1 60.1 3k.6 1.5 4s.6 4b.3 1n.4 1q.1 1s.7 b n0.n
  8.j 1.c 1.b u.1 e.1 hl.3 t.1 u5.d 27.1 v.9 b7.l 1r.3 w.1 l7.3 1.1 34 3z.1a 1.i ce.2 4.9 2.b g c 2q 2i mwy.1 7h.2 2r a 37.5 ak.3
  2e.1 14.2 1 1d.1 1b 2p.c g.1 3g.3 3i.1 g.1 6x g2a.1 5s.9 m.y 1.d 1 4 1.1 45.2 1.5 1.3 a.1 3.1 q.2 1 r 1 1.6 be.2 ik 1c bi kn 5j v
  7k.8 12 34.6 1u.6 2h.3 x6.6 31.1 1.3 3i.3 1c.1 27.4 3 d 1.2 2g.5 2z f0 6y.m 2x.2 6w.2 2lt.4 dtl.1 3p 1t.4 8 g2i 5wn.4
`;

/** Characters that only direct the layout (Cf): 150. */
export const FORMAT = `
  4t 11u.5 m 5c 1d 3cu 1ks.4 q.4 1d.4 1.9 17yn 6x.2 3b5 xya.3 43z.7 h406 u.2n
`;
