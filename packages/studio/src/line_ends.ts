/** Line ends and the BOM of a file, which no page has: editors in browsers have line feeds alone. */

/** With line feeds alone, and without a BOM. */
export const plainText = (text: string): string => text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');

/** `typed`, with line feeds alone, as the file would have it: each line that it has, too, keeps its own end. */
export function asInFile(typed: string, file: string): string {
  const mark = file.startsWith('\uFEFF') ? '\uFEFF' : '';
  const ends = file.match(/\r\n?|\n/g) ?? [];
  const usual = mostFrequent(ends);
  if (ends.every((end) => end === usual)) return mark + typed.replaceAll('\n', usual);
  const before = plainText(file).split('\n');
  const after = typed.split('\n');
  const origins = originsOf(before, after);
  let end = usual;
  const lines = after.map((line, index) => {
    if (index === after.length - 1) return line;
    // A new line ends as the one above it does.
    end = ends[origins[index] ?? -1] ?? end;
    return line + end;
  });
  return mark + lines.join('');
}

function mostFrequent(ends: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const end of ends) counts.set(end, (counts.get(end) ?? 0) + 1);
  const [first] = [...counts].toSorted(([, one], [, other]) => other - one);
  return first?.[0] ?? '\n';
}

/** The largest part, in pairs of lines, that is compared pair by pair. */
const mostPairs = 4_000_000;

/**
 * For each line of `after`, the index of the same line in `before`; `undefined` for a line that is new. Lines keep their
 * order. Lines that stand once in both are matched first (patience diff), then what is left between them.
 */
export function originsOf(before: readonly string[], after: readonly string[]): (number | undefined)[] {
  const origins: (number | undefined)[] = after.map(() => undefined);
  const match = (range: readonly [number, number, number, number]): void => {
    let [from, to, start, stop] = range;
    while (from < to && start < stop && before[from] === after[start]) {
      origins[start] = from;
      from += 1;
      start += 1;
    }
    while (from < to && start < stop && before[to - 1] === after[stop - 1]) {
      to -= 1;
      stop -= 1;
      origins[stop] = to;
    }
    if (from === to || start === stop) return;
    const anchors = anchorsOf(before.slice(from, to), after.slice(start, stop));
    if (anchors.length === 0) {
      if ((to - from) * (stop - start) > mostPairs) return;
      for (const [old, now] of longestCommon(before.slice(from, to), after.slice(start, stop)))
        origins[start + now] = from + old;
      return;
    }
    let [old, now] = [from, start];
    for (const [nextOld, nextNow] of anchors) {
      match([old, from + nextOld, now, start + nextNow]);
      origins[start + nextNow] = from + nextOld;
      [old, now] = [from + nextOld + 1, start + nextNow + 1];
    }
    match([old, to, now, stop]);
  };
  match([0, before.length, 0, after.length]);
  return origins;
}

type Pair = readonly [before: number, after: number];

/** Lines that stand once in both, as many as have the same order. */
function anchorsOf(before: readonly string[], after: readonly string[]): readonly Pair[] {
  const [olds, nows] = [placesOf(before), placesOf(after)];
  const pairs: Pair[] = [];
  for (const [line, now] of nows) {
    const old = olds.get(line);
    if (now !== undefined && old !== undefined) pairs.push([old, now]);
  }
  // The longest rising sequence: `tails` holds, for each length, the one that ends lowest.
  const tails: number[] = [];
  const previous: number[] = [];
  pairs.forEach(([old], index) => {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tails[middle] ?? 0]?.[0] ?? 0) < old) low = middle + 1;
      else high = middle;
    }
    previous[index] = tails[low - 1] ?? -1;
    tails[low] = index;
  });
  const rising: Pair[] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) rising.unshift(pairs[at] as Pair);
  return rising;
}

/** Where each line stands; `undefined` for one that stands more than once. */
function placesOf(lines: readonly string[]): ReadonlyMap<string, number | undefined> {
  const places = new Map<string, number | undefined>();
  lines.forEach((line, index) => {
    places.set(line, places.has(line) ? undefined : index);
  });
  return places;
}

/** The longest common subsequence, by its table. */
function longestCommon(before: readonly string[], after: readonly string[]): readonly Pair[] {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (old: number, now: number) => lengths[old * width + now] ?? 0;
  for (let old = before.length - 1; old >= 0; old -= 1)
    for (let now = after.length - 1; now >= 0; now -= 1)
      lengths[old * width + now] =
        before[old] === after[now] ? at(old + 1, now + 1) + 1 : Math.max(at(old + 1, now), at(old, now + 1));
  const pairs: Pair[] = [];
  for (let old = 0, now = 0; old < before.length && now < after.length; ) {
    if (before[old] === after[now]) {
      pairs.push([old, now]);
      old += 1;
      now += 1;
    } else if (at(old + 1, now) >= at(old, now + 1)) old += 1;
    else now += 1;
  }
  return pairs;
}
