/** Where the built page lies: index.html, and everything it loads under assets/. The same from the source as from dist/. */
export const pageFolder = new URL("../dist/", import.meta.url);
