/** The config as an assistant sees it: without the secrets that its owner wrote into it. */
import { maskLine, writtenTexts } from '@form-relay/relay/config';
import { CommandFailed } from '../command_failed.ts';

const dot = '•';

/** A template that holds no text of its own, but for the name of a variable. */
const template = String.raw`\{\{-?\s*(?:env\s+(["'])\w+\1)?[^{}"']*\}\}`;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The text with each secret as so many dots: those that problems hide, and paths and queries of outputs' addresses. */
export function masked(text: string): string {
  let start = 0;
  const lines = text.split('\n').map((line) => {
    const shown = maskLine(text, start, line).replaceAll(/https?:\/\/[^\s"'<>]+/gi, withoutTokens);
    start += line.length + 1;
    return shown;
  });
  return within(lines.join('\n'), secretSpans(text), (part) =>
    part.replaceAll(new RegExp(`${template}|[^\\s/?]`, 'g'), (one) => (one.length > 1 ? one : dot)),
  );
}

/** Elsewhere than in outputs, such as in comments: parts of an address that look like tokens. */
const withoutTokens = (url: string) =>
  url.replaceAll(/(?<=\/)(?:[A-Za-z0-9]{20,}|[\w-]{40,})(?=[/?#]|$)|(?<=[?&][\w.-]+=)[^&#{}]{8,}/g, (token) =>
    dot.repeat(token.length),
  );

/** Keys whose addresses submissions and alerts go to: knowing such an address is often enough to write to it. */
const delivering = ['outputs', 'alerts', 'heartbeat'];
const secretName = /key|token|secret|passw|pwd|credential/i;

const secretSpans = (text: string): readonly Span[] =>
  writtenTexts(text).flatMap(({ path, value, place: { offset, length }, isSecret }) => {
    const to = offset + length;
    if (isSecret || (path.at(-2) === 'static' && secretName.test(String(path.at(-1)))))
      return [{ from: offset, to }];
    if (!/^\s*[a-z][a-z\d+.-]*:\/\//i.test(value) || !path.some((key) => delivering.includes(String(key))))
      return [];
    const host = /^\s*["']?[a-z][a-z\d+.-]*:\/\/[^\s/?#"']*/i.exec(text.slice(offset, to))?.[0] ?? '';
    return [{ from: offset + host.length, to }];
  });

/** A text with some of its parts replaced by others of the same length. */
function within(text: string, spans: readonly Span[], replace: (part: string) => string): string {
  let shown = '';
  let done = 0;
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    if (from < done) continue;
    shown += text.slice(done, from) + replace(text.slice(from, to));
    done = to;
  }
  return shown + text.slice(done);
}

/**
 * The text with each secret replaced by letters and digits that mean nothing, so that it loads as it did: a dry run that never
 * had a secret cannot show it (D207).
 */
export function standIns(text: string): string {
  const shown = masked(text);
  const written = writtenTexts(text).map(({ place }) => ({
    from: place.offset,
    to: place.offset + place.length,
  }));
  const spans = written.length > 0 ? written : [{ from: 0, to: text.length }];
  return within(
    text,
    spans.flatMap((span) => hiddenIn(text, shown, span)),
    meaningless,
  );
}

/** The parts of a span that are shown as dots. */
function hiddenIn(text: string, shown: string, { from, to }: Span): readonly Span[] {
  if (text.slice(from, to) === shown.slice(from, to)) return [];
  return [...shown.slice(from, to).matchAll(/•[•\s/?]*/g)].map(({ 0: dots, index }) => ({
    from: from + index,
    to: from + index + dots.length,
  }));
}

const meaningless = (secret: string): string =>
  secret.replaceAll(
    new RegExp(
      `${template}|whsec_|-----[A-Z ]+-----|"\\w+"\\s*:|([A-Z]|[a-z\\d](?==))|(\\d)|[a-z!$%^*()~;<>]|[^\\0-\x7f]`,
      'g',
    ),
    (one, _quote, capital, digit) => {
      if (one.length > 1) return one;
      if (capital) return 'A';
      return digit ? '0' : 'a';
    },
  );

/**
 * Puts what `full` has back into a text that was made from `shown`, which is `full` with dots. A line takes its secret along if
 * it is unchanged but for its indentation. Throws a `CommandFailed` about dots that stand for nothing, or for several secrets.
 */
export function filled(text: string, shown: string, full: string): string {
  if (!text.includes(dot)) return text;
  const shownLines = shown.split('\n');
  const fullLines = full.split('\n');
  const hidden = new Set(
    shownLines.filter((line, index) => line !== fullLines[index]).map((line) => line.trim()),
  );
  const isHidden = (line: string) => hidden.has(line) || line.includes(dot.repeat(2));
  const known = occurrences(shownLines, isHidden);
  const lines = text.split('\n');
  const asked = occurrences(lines, isHidden);
  return lines
    .map((line, index) => {
      const key = line.trim();
      if (!isHidden(key)) return line;
      const all = known.get(key) ?? [];
      const order = (asked.get(key) ?? []).findIndex((one) => one.index === index);
      const { above } = asked.get(key)?.[order] ?? { above: [] };
      const secretsOf = (some: readonly Occurrence[]) =>
        new Set(some.map((one) => fullLines[one.index]?.trim()));
      const inOrder = all.length === asked.get(key)?.length ? all[order] : undefined;
      const isSame = inOrder?.above.join('\n') === above.join('\n');
      const best = isSame && inOrder ? [inOrder] : all.length > mostAlike ? all : likest(all, above);
      const secrets = secretsOf(
        inOrder && best.includes(inOrder) && all.length <= mostAlike ? [inOrder] : best,
      );
      const [secret] = secrets;
      if (secrets.size === 1 && secret !== undefined) return line.replace(key, () => secret);
      throw new CommandFailed(
        `line ${index + 1}: the dots stand for ${secrets.size === 0 ? 'a secret' : 'one of several secrets'} that read_config ` +
          'does not show. Leave its line as it is, or name an environment variable that the owner sets',
      );
    })
    .join('\n');
}

interface Occurrence {
  readonly index: number;
  /** The lines before it, which tell it from others that look the same. */
  readonly above: readonly string[];
}

/** Lines with dots by what they say. */
function occurrences(
  lines: readonly string[],
  isHidden: (line: string) => boolean,
): ReadonlyMap<string, readonly Occurrence[]> {
  const found = new Map<string, Occurrence[]>();
  for (const [index, line] of lines.entries()) {
    const key = line.trim();
    if (!isHidden(key)) continue;
    const before = found.get(key) ?? [];
    const above = lines.slice((before.at(-1)?.index ?? -1) + 1, index).map((one) => one.trim());
    found.set(key, [...before, { index, above: above.slice(-mostAbove) }]);
  }
  return found;
}

/** Such as a host and a username. Lines further up belong to other outputs. */
const mostAbove = 3;

/** Comparing more lines that look the same would take long. */
const mostAlike = 100;

/** Those that have most lines above them in common with these. */
function likest(all: readonly Occurrence[], above: readonly string[]): readonly Occurrence[] {
  const scores = all.map((one) => shared(one.above, above));
  return all.filter((_, index) => scores[index] === Math.max(...scores));
}

const shared = (one: readonly string[], other: readonly string[]): number =>
  new Set(one.filter((line) => other.includes(line))).size;

export interface Edit {
  readonly old: string;
  readonly new: string;
}

/**
 * Replaces texts that each stand in one place of `shown`, in `full`, which has secrets where `shown` has dots. Throws a
 * `CommandFailed` about those that do not.
 */
export function edited(shown: string, full: string, edits: readonly Edit[]): string {
  const breaks = shown.includes('\r\n') ? '\r\n' : '\n';
  const inItsBreaks = (text: string) => text.replaceAll(/\r?\n/g, breaks);
  return edits.reduce(
    (before, edit, index) => {
      const old = inItsBreaks(edit.old);
      const parts = before.shown.split(old);
      const [start = '', end = ''] = parts;
      if (parts.length !== 2) {
        const often =
          parts.length === 1 ? 'is not in the config' : `is in the config ${parts.length - 1} times`;
        throw new CommandFailed(
          `edits[${index}]: "old" ${often}; it must be there exactly once, with its spaces and line breaks`,
        );
      }
      const text = inItsBreaks(edit.new);
      const secrets = before.full.slice(start.length, start.length + old.length);
      return {
        shown: start + text + end,
        full:
          before.full.slice(0, start.length) +
          filled(text, old, secrets) +
          before.full.slice(start.length + old.length),
      };
    },
    { shown, full },
  ).full;
}
