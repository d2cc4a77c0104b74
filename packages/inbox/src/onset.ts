/** So many are remembered; a flood of new ones makes older ones begin anew. */
const mostNames = 10_000;
const quietMs = 60_000;

/** Says of each event whether it begins something, such as a limit that refuses: nothing of its name came for a minute. */
export function createOnset(now: () => number): (name: string) => boolean {
  const latest = new Map<string, number>();
  return (name) => {
    const last = latest.get(name) ?? -Infinity;
    if (latest.size >= mostNames) latest.clear();
    latest.set(name, now());
    return Math.abs(now() - last) > quietMs;
  };
}
