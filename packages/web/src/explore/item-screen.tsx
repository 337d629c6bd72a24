import { useTitle } from "../app/title.ts";
export function ItemScreen({ id }: { id: string }) {
  useTitle(id);
  return <h1>{id}</h1>;
}
