/** Changes of a config that an assistant sees with dots: they carry each secret along, and keep it hidden. */
import { ownPath } from '@form-relay/schema/diagnostics';
import type { WrittenText } from './config_secrets.ts';
import { ConfigView, dot, type Span, secretIn } from './config_view.ts';
import { ToolError } from './owner.ts';

/** A part of a text: new, or a range of the config, which may have dots. */
export type Part = string | Span;

/** The text that parts have in one of the texts of a view. */
export const joined = (parts: readonly Part[], of: string): string =>
  parts.map((part) => (typeof part === 'string' ? part : of.slice(part.from, part.to))).join('');

const lengthOf = (part: Part) => (typeof part === 'string' ? part.length : part.to - part.from);

/**
 * Finds the lines of a text that have dots. A line takes its secret along if it is unchanged but for its indentation and for
 * the mark of a comment. Throws a `ToolError` about dots that stand for nothing, or for several secrets.
 */
export function filled(text: string, shown: string, full: string): readonly Part[] {
  if (!text.includes(dot)) return [text];
  const shownLines = shown.split('\n');
  const fullLines = full.split('\n');
  const hiddenLines = new Set(shownLines.filter((line, index) => line !== fullLines[index]).map(keyOf));
  const isHidden = (key: string) => hiddenLines.has(key) || key.includes(dot.repeat(2));
  const known = occurrences(shownLines, isHidden);
  const secretsOf = (some: readonly Occurrence[]) =>
    new Set(some.map(({ index }) => keyOf(fullLines[index] ?? '')));
  const allSecrets = new Map([...known].map(([key, all]) => [key, secretsOf(all)]));
  const starts = startsOf(shownLines);
  const lines = text.split('\n');
  const asked = occurrences(lines, isHidden);
  const done = new Map<string, number>();
  return lines.flatMap((line, index): Part[] => {
    const end = index === lines.length - 1 ? '' : '\n';
    const key = keyOf(line);
    if (!isHidden(key)) return [line + end];
    const order = done.get(key) ?? 0;
    done.set(key, order + 1);
    const all = known.get(key) ?? [];
    const inOrder = all.length === asked.get(key)?.length ? all[order] : undefined;
    const found =
      allSecrets.get(key)?.size === 1 ? all : meant(all, inOrder, asked.get(key)?.[order]?.above ?? []);
    const [one] = found;
    const count = found === all ? (allSecrets.get(key)?.size ?? 0) : secretsOf(found).size;
    if (!one || count !== 1)
      throw new ToolError(
        `line ${index + 1}: the dots stand for ${count === 0 ? 'a secret' : 'one of several secrets'} that read_config ` +
          'does not show. Leave its line as it is, or name an environment variable that the owner sets',
      );
    const from = (starts[one.index] ?? 0) + placeOf(key, shownLines[one.index] ?? '');
    const at = placeOf(key, line);
    return [line.slice(0, at), { from, to: from + key.length }, line.slice(at + key.length) + end];
  });
}

/** The words of a line, without its indentation and the mark of a comment. */
const keyOf = (line: string): string => line.trim().replace(/^#\s*/, '');

const placeOf = (key: string, line: string): number => line.trimEnd().length - key.length;

function startsOf(lines: readonly string[]): readonly number[] {
  let start = 0;
  return lines.map((line) => {
    const from = start;
    start += line.length + 1;
    return from;
  });
}

interface Occurrence {
  readonly index: number;
  /** The lines before it, which tell it from others that look the same. */
  readonly above: readonly string[];
}

/** Lines with dots by what they say. */
function occurrences(
  lines: readonly string[],
  isHidden: (key: string) => boolean,
): ReadonlyMap<string, readonly Occurrence[]> {
  const found = new Map<string, Occurrence[]>();
  for (const [index, line] of lines.entries()) {
    const key = keyOf(line);
    if (!isHidden(key)) continue;
    const before = found.get(key) ?? [];
    const from = Math.max((before.at(-1)?.index ?? -1) + 1, index - mostAbove);
    before.push({ index, above: lines.slice(from, index).map(keyOf) });
    found.set(key, before);
  }
  return found;
}

/** Such as a host and a username. Lines further up belong to other outputs. */
const mostAbove = 3;

/** Comparing more lines that look the same would take long. */
const mostAlike = 100;

/** Finds the lines with the most lines above them in common, among those that look the same. */
function meant(
  all: readonly Occurrence[],
  inOrder: Occurrence | undefined,
  above: readonly string[],
): readonly Occurrence[] {
  const isSame = inOrder?.above.join('\n') === above.join('\n');
  if (inOrder && isSame) return [inOrder];
  if (all.length > mostAlike) return all;
  const scores = all.map((one) => one.above.filter((line) => above.includes(line)).length);
  const highest = Math.max(...scores);
  const best = all.filter((_, index) => scores[index] === highest);
  return inOrder && best.includes(inOrder) ? [inOrder] : best;
}

export interface Edit {
  readonly old: string;
  readonly new: string;
}

/** Replaces texts that each stand in one place of `shown`. Throws a `ToolError` about those that do not. */
export function edited(shown: string, full: string, edits: readonly Edit[]): readonly Part[] {
  const breaks = shown.includes('\r\n') ? '\r\n' : '\n';
  const inItsBreaks = (text: string) => text.replaceAll(/\r?\n/g, breaks);
  let parts: readonly Part[] = [{ from: 0, to: shown.length }];
  for (const [index, edit] of edits.entries()) {
    const old = inItsBreaks(edit.old);
    const found = joined(parts, shown).split(old);
    if (found.length !== 2) {
      const often =
        found.length === 1 ? 'is not in the config' : `is in the config ${found.length - 1} times`;
      throw new ToolError(
        `edits[${index}]: "old" ${often}; it must be there exactly once, with its spaces and line breaks`,
      );
    }
    const from = found[0]?.length ?? 0;
    const before = sliced(parts, from, from + old.length);
    const text = inItsBreaks(edit.new);
    // More dots than before are those of another place, which an earlier edit may have removed.
    const after =
      dotsIn(text) > dotsIn(old)
        ? filled(text, shown, full)
        : filled(text, old, joined(before, full)).flatMap((part) =>
            typeof part === 'string' ? part : sliced(before, part.from, part.to),
          );
    parts = [...sliced(parts, 0, from), ...after, ...sliced(parts, from + old.length, Infinity)];
  }
  return parts;
}

const dotsIn = (text: string): number => text.split(dot).length;

/** Parts of a part of the text. */
function sliced(parts: readonly Part[], from: number, to: number): readonly Part[] {
  let start = 0;
  return parts.flatMap((part): Part[] => {
    const first = Math.max(0, from - start);
    const last = Math.min(lengthOf(part), to - start);
    start += lengthOf(part);
    if (first >= last) return [];
    return [
      typeof part === 'string' ? part.slice(first, last) : { from: part.from + first, to: part.from + last },
    ];
  });
}

/**
 * Throws a `ToolError` if a secret would be shown or would get another meaning, however the text was made: each stays a
 * value of the same key, or moves into a comment that hides it. A text that is not YAML may pass, since it never loads.
 */
export function refuseShown(parts: readonly Part[], view: ConfigView): void {
  const made = new ConfigView(joined(parts, view.full));
  if (made.full === view.full || !made.written) return;
  const before = placesIn(view);
  const after = placesIn(made);
  let at = 0;
  for (const part of parts) {
    if (typeof part !== 'string') {
      for (let from = part.from; from < part.to; from += 1) {
        if (view.shown[from] !== dot || view.full[from] === dot) continue;
        const to = at + from - part.from;
        const isHidden = made.shown[to] === dot;
        const place = after(to);
        const isKept = isHidden && (place === 'comment' || isLike(before(from), place));
        if (!isKept) throw new ToolError(refusalOf(made.full, to));
      }
    }
    at += lengthOf(part);
  }
}

function refusalOf(text: string, at: number): string {
  const line = text.slice(0, at).split('\n').length;
  return (
    `line ${line}: the secret behind the dots would be shown there, or get another meaning. Leave its line under the same key ` +
    'of an output of the same type, comment out whole lines with "# ", or name an environment variable that the owner sets'
  );
}

/** The comment or the text that a character belongs to; `undefined` for YAML's own marks. */
type Place = 'comment' | Text | undefined;

interface Text {
  /** Its paths without the names of forms, and with types of outputs in place of numbers. Anchors give it several. */
  readonly kinds: Set<string>;
  /** Whether it is a secret that goes to a server alone. */
  isForServers: boolean;
}

function placesIn({ full, written }: ConfigView): (offset: number) => Place {
  const places: Place[] = [undefined, 'comment'];
  const at = new Uint32Array(full.length);
  const texts = new Map<number, Text>();
  for (const one of written?.texts ?? []) {
    const { offset, length } = one.place;
    const text = texts.get(offset) ?? { kinds: new Set(), isForServers: true };
    if (!texts.has(offset)) {
      at.fill(places.length, offset, offset + length);
      texts.set(offset, text);
      places.push(text);
    }
    text.kinds.add(kindOf(one.path, written?.value));
    text.isForServers &&=
      forServers.includes(String(ownPath(one.path)[0])) && secretIn(one, full) !== undefined;
  }
  for (const { offset, length } of written?.comments ?? []) at.fill(1, offset, offset + length);
  return (offset) => places[at[offset] ?? 0];
}

const forServers = ['outputs', 'alerts'];

function kindOf(path: WrittenText['path'], top: unknown): string {
  let value = top;
  const keys = path.map((key) => {
    value = (value as Readonly<Record<string, unknown>>)[key];
    return typeof key === 'number' ? String((value as { type?: unknown } | null)?.type) : key;
  });
  return JSON.stringify(ownPath(keys));
}

function isLike(before: Place, after: Place): boolean {
  if (before === undefined || after === undefined || after === 'comment') return before === after;
  if (before === 'comment') return after.isForServers;
  return [...after.kinds].every((kind) => before.kinds.has(kind));
}
