/** The built-in sample `marquee`: real films, simulated users and ratings. */
export type { Film } from "./films.ts";
export type { Channel, ChannelWeights } from "./parameters.ts";
export {
  type Marquee,
  type MarqueeFilm,
  type MarqueeOptions,
  type MarqueeRatings,
  type MarqueeUser,
  simulateMarquee,
} from "./simulate.ts";
export { writeMarquee } from "./write.ts";
