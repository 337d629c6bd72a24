import { useTitle } from "../app/title.ts";
export function ExploreScreen() {
  useTitle("Explore");
  return <h1>Explore</h1>;
}
