import "./skeleton.css";

interface SkeletonProps {
  /** Lines of text that will stand here. @default 1 */
  lines?: number;
  /** A block of this height instead, such as "12rem". */
  height?: string;
}

/** Holds the place of what is on its way, so that nothing moves when it comes. */
export function Skeleton({ lines = 1, height }: SkeletonProps) {
  if (height !== undefined) return <div class="skeleton" style={{ blockSize: height }} aria-hidden="true" />;
  return (
    <div class="skeleton-lines" aria-hidden="true">
      {Array.from({ length: lines }, (_, i) => (
        <div class="skeleton" key={i} style={{ inlineSize: i === lines - 1 && lines > 1 ? "60%" : "100%" }} />
      ))}
    </div>
  );
}
