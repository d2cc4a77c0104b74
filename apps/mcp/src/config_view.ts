/** The config as an assistant sees it: without the owner's secrets. */

import { ownPath } from '@form-relay/schema/diagnostics';
import { maskLine } from '@form-relay/yaml/mask';
import { isLong, maskText, type Written, type WrittenText, writtenIn } from './bounds.ts';
import { ToolError } from './owner.ts';

const dot = '•';

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A config and its visible form, which is empty for text that is not YAML: it may all be secret. */
export class ConfigView {
  #written: { readonly all: Written | undefined } | undefined;
  #shown: string | undefined;
  #safe: string | undefined;

  constructor(readonly full: string) {}

  /** The texts and comments of the config; `undefined` if it is not YAML. */
  get written(): Written | undefined {
    this.#written ??= { all: writtenIn(this.full) };
    return this.#written.all;
  }

  /** The config with each secret replaced by dots, at the same length. Empty if it is not YAML. */
  get shown(): string {
    this.#shown ??= this.written ? masked(this.full, this.written) : '';
    return this.#shown;
  }

  /**
   * The config with each secret replaced by meaningless letters and digits, so that it still loads: a dry run without
   * secrets cannot reveal any. Text that is not YAML is unchanged: it never loads, and its problems quote nothing.
   */
  get safe(): string {
    this.#safe ??= this.written ? placeholders(this.full, this.shown, this.written) : this.full;
    return this.#safe;
  }
}

/** A template without text of its own, except the name of a variable. */
const template = String.raw`\{\{-?\s*(?:env\s+(["'])\w+\1)?[^{}"']*\}\}`;

/**
 * Masks what problems mask, and also paths and queries of outputs' URLs. In comments, masks the path of every
 * URL, and the value of every key whose name suggests a secret.
 */
function masked(text: string, written: Written): string {
  const comments = written.comments.map(spanOf);
  let shown = withoutSecrets(text);
  shown = within(shown, blocksOf(text, comments), withUncommented);
  shown = within(shown, comments, loosely);
  const secrets = written.texts.flatMap((one) => secretIn(one, text) ?? []);
  return within(shown, secrets, hidden);
}

const spanOf = ({ offset, length }: { offset: number; length: number }): Span => ({
  from: offset,
  to: offset + length,
});

const withoutSecrets = (text: string): string => maskText(text).replaceAll(webAddress, withoutTokens);

const webAddress = /https?:\/\/[^\s"'<>]+/gi;

/** For URLs outside outputs: masks parts that look like tokens. */
const withoutTokens = (url: string) =>
  url.replaceAll(/(?<=\/)(?:[A-Za-z0-9]{20,}|[\w-]{40,})(?=[/?#]|$)|(?<=[?&][\w.-]+=)[^&#{}]{8,}/g, (token) =>
    dot.repeat(token.length),
  );

const hidden = (part: string): string =>
  part.replaceAll(new RegExp(`${template}|[^\\s/?]`, 'g'), (one) => (one.length > 1 ? one : dot));

const secretName = 'key|token|secret|passw|pwd|credential';

/** A URL: scheme and host, then the rest. */
const anyAddress =
  /([a-z][a-z\d+.-]{0,30}:(?:\\?\/){2}[^\s/?#"'<>\\]*)((?:\{\{[^\n]{0,200}?\}\}|[^\s"'<>])*)/gi;
const secretValue = new RegExp(
  `((?<![\\w-])[\\w-]{0,64}?(?:${secretName})[\\w-]{0,64}["']?[ \\t]*:)(["' \\t].*)`,
  'gi',
);

const loosely = (part: string): string =>
  part
    .replaceAll(anyAddress, (_, host: string, rest: string) => host + hidden(rest))
    .replaceAll(secretValue, (_, key: string, value: string) => key + hidden(value));

/** Merges adjacent comment lines into spans that start at the first line. */
function blocksOf(text: string, comments: readonly Span[]): readonly Span[] {
  const blocks: Span[] = [];
  for (const { from, to } of comments) {
    const start = text.lastIndexOf('\n', from) + 1;
    if (text.slice(start, from).trim() !== '') continue;
    const last = blocks.at(-1);
    const isBelow = last !== undefined && /^\r?\n$/.test(text.slice(last.to, start));
    if (last && isBelow) blocks[blocks.length - 1] = { from: last.from, to };
    else blocks.push({ from: start, to });
  }
  return blocks;
}

/** Masks in a block of comments what would be masked if it were uncommented, such as headers of an output. */
function withUncommented(block: string): string {
  return withDotsOf(block, withoutSecrets(block.replaceAll(/^([ \t]*)#/gm, '$1 ')));
}

const withDotsOf = (text: string, shown: string): string =>
  text.replaceAll(/./gs, (one, index: number) => (shown[index] === dot ? dot : one));

/** Keys whose URLs receive submissions and alerts: knowing such a URL is often enough to post to it. */
const delivering = ['outputs', 'alerts'];
const isSecretName = new RegExp(secretName, 'i');

/** Whether a text must be hidden, and from which offset; URLs are shown up to the host. */
function secretIn({ path, value, place, isSecret }: WrittenText, text: string): Span | undefined {
  const { from, to } = spanOf(place);
  const own = ownPath(path);
  const isStatic = own.at(-2) === 'static' && isSecretName.test(String(own.at(-1)));
  if (isSecret || isStatic) return { from, to };
  if (!/^\s*[a-z][a-z\d+.-]*:\/\//i.test(value) || !own.some((key) => delivering.includes(String(key))))
    return undefined;
  const host = /^\s*["']?[a-z][a-z\d+.-]*:\/\/[^\s/?#"']*/i.exec(text.slice(from, to))?.[0] ?? '';
  return { from: from + host.length, to };
}

/** Replaces parts of a text by others of the same length. */
function within(text: string, spans: readonly Span[], replace: (part: string) => string): string {
  let shown = '';
  let done = 0;
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    if (to <= done) continue;
    const start = Math.max(from, done);
    shown += text.slice(done, start) + replace(text.slice(start, to));
    done = to;
  }
  return shown + text.slice(done);
}

/** Only in texts and comments: dots may also cover YAML syntax, such as braces. */
function placeholders(text: string, shown: string, { texts, comments }: Written): string {
  const hiddenIn = ({ from, to }: Span, mask: (part: string) => string): readonly Span[] => {
    const part = text.slice(from, to);
    if (part === shown.slice(from, to)) return [];
    return [...mask(part).matchAll(/•[•\s/?]*/g)].map(({ 0: dots, index }) => ({
      from: from + index,
      to: from + index + dots.length,
    }));
  };
  const spans = [
    ...texts.flatMap((one) => hiddenIn(spanOf(one.place), (part) => maskedText(one, part, text))),
    ...comments.map(spanOf).flatMap((span) => hiddenIn(span, () => shown.slice(span.from, span.to))),
  ];
  return within(text, spans, meaningless);
}

/**
 * A text with its own dots. A header's whole line is masked, but other texts on that line must still load: a
 * mapping needs its names.
 */
function maskedText(one: WrittenText, part: string, text: string): string {
  const secret = secretIn(one, text);
  const from = secret && secret.from - one.place.offset;
  const shown = from === undefined ? part : part.slice(0, from) + hidden(part.slice(from));
  const under = (key: string | number) =>
    part.replaceAll(/[^\r\n]+/g, (line) =>
      maskLine(`${key}: ${line}`).slice(-line.length).replaceAll(webAddress, withoutTokens),
    );
  return ownPath(one.path).reduce<string>((all, key) => withDotsOf(all, under(key)), shown);
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

// Applies an assistant's changes to a config whose secrets it sees as dots. Everything that no edit names stays, including secrets.

/** A draft in three forms of the same length: as written, as shown to the assistant, and for dry runs. */
export type Draft = Pick<ConfigView, 'full' | 'shown' | 'safe'>;

export interface Edit {
  readonly old: string;
  readonly new: string;
}

/** Replaces the whole config. Throws a `ToolError` if the text has dots in place of secrets. */
export function replaced(text: string, view: ConfigView): Draft {
  refuseDots('text', text, view);
  return { full: text, shown: text, safe: text };
}

/** Applies edits whose old text occurs exactly once in the shown config. Throws a `ToolError` otherwise. */
export function edited(edits: readonly Edit[], view: ConfigView): Draft {
  const breaks = view.shown.includes('\r\n') ? '\r\n' : '\n';
  const inItsBreaks = (text: string) => text.replaceAll(/\r?\n/g, breaks);
  let draft: Draft = { full: view.full, shown: view.shown, safe: view.safe };
  for (const [index, edit] of edits.entries()) {
    const [old, text] = [inItsBreaks(edit.old), inItsBreaks(edit.new)];
    refuseDots(`edits[${index}]: "new"`, text, view);
    const found = draft.shown.split(old);
    if (found.length !== 2) {
      const often =
        found.length === 1 ? 'is not in the config' : `is in the config ${found.length - 1} times`;
      throw new ToolError(
        `edits[${index}]: "old" ${often}; this text must occur exactly once, including its spaces and line breaks`,
      );
    }
    const at = found[0]?.length ?? 0;
    const change = (of: string) => of.slice(0, at) + text + of.slice(at + old.length);
    draft = { full: change(draft.full), shown: change(draft.shown), safe: change(draft.safe) };
  }
  refuseShown(draft, view);
  return draft;
}

function refuseDots(what: string, text: string, { shown, full }: ConfigView): void {
  if (shown !== full && text.includes(dot))
    throw new ToolError(
      `${what} has dots, which stand for secrets that read_config does not show. Leave them out of edits: text outside the edits stays`,
    );
}

/**
 * Throws a `ToolError` if a secret would be revealed or change its meaning: each must remain a value of the
 * same key, or be masked in a comment. Text that is not YAML is allowed, because it never loads.
 */
function refuseShown({ full, shown }: Draft, view: ConfigView): void {
  const made = new ConfigView(full);
  if (!view.written || !made.written) return;
  const kinds = kindsIn(view.written, view.full);
  const { value, texts } = made.written;
  const moved = texts.find((one) =>
    [...kinds].some(([secret, own]) => one.value.includes(secret) && !own.has(kindOf(one.path, value))),
  );
  let at = moved?.place.offset;
  for (let index = 0; index < full.length && at === undefined; index += 1)
    if (shown[index] === dot && full[index] !== dot && made.shown[index] !== dot) at = index;
  if (at === undefined) return;
  throw new ToolError(
    `line ${full.slice(0, at).split('\n').length}: the secret behind the dots would be shown there, or get another meaning. Leave its line ` +
      'under the same key of an output of the same type, comment it out with "# ", or name an environment variable that the owner sets',
  );
}

/** For each secret, the places where it is allowed. */
function kindsIn({ value, texts }: Written, full: string): ReadonlyMap<string, ReadonlySet<string>> {
  const kinds = new Map<string, Set<string>>();
  for (const one of texts) {
    // The part of a URL after its host.
    const secret = secretIn(one, full) && one.value.replace(/^\s*[a-z][a-z\d+.-]*:\/\/[^\s/?#]*/i, '');
    if (secret !== undefined && isLong(secret))
      kinds.set(secret, (kinds.get(secret) ?? new Set()).add(kindOf(one.path, value)));
  }
  return kinds;
}

/** A path without the form's name, and with output types instead of indexes. */
function kindOf(path: WrittenText['path'], top: unknown): string {
  let value = top;
  const keys = path.map((key) => {
    value = (value as Readonly<Record<string, unknown>>)[key];
    return typeof key === 'number' ? String((value as { type?: unknown } | null)?.type) : key;
  });
  return JSON.stringify(ownPath(keys));
}
