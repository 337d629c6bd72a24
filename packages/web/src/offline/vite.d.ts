// What vite makes of imports and of import.meta.
declare module "*?worker&url" {
  /** Where the bundled worker lies. */
  const address: string;
  export default address;
}

interface ImportMeta {
  readonly env: { readonly PROD: boolean };
}
