import "./icon.css";

/** Drawn on a grid of 24, with lines of 1.75. */
const paths = {
  explore: "M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13ZM15.3 15.3 20 20",
  you: "M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8ZM4.5 20c.8-3.6 3.7-5.5 7.5-5.5s6.7 1.9 7.5 5.5",
  studio: "M4 20l1-4.5L16 4.5a1.8 1.8 0 0 1 2.5 0l1 1a1.8 1.8 0 0 1 0 2.5L8.5 19 4 20ZM14 6.5l3.5 3.5",
  model: "M12 3.5 19.5 7.8v8.4L12 20.5l-7.5-4.3V7.8L12 3.5ZM4.5 7.8 12 12l7.5-4.2M12 12v8.5",
  evaluation: "M4 20h16M6.5 16.5v-5M12 16.5v-12M17.5 16.5V9",
  down: "M6 10l6 6 6-6",
  close: "M6 6l12 12M18 6 6 18",
  tune: "M4 7h9M17 7h3M4 17h3M11 17h9M13 5v4M17 5v4M7 15v4M11 15v4",
  copy: "M9 9h10v10H9zM15 9V5H5v10h4",
  check: "M5 12.5 10 17.5 19 7",
  system: "M4 5.5h16v10.5H4zM9 20h6M12 16v4",
  light:
    "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8ZM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4",
  dark: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z",
} as const;

export type IconName = keyof typeof paths;

/** A picture beside a word, or in place of one that is said otherwise. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
