import type { Environment } from '../../../src/settings.ts';
import type { SinkAnswer, SunkRequest } from '../http_sink.ts';

/** Anything. */
export type Json = ReturnType<typeof JSON.parse>;

/** A chat as its manual has it: what it takes, and what people read of it. */
export interface ChatService {
  readonly type: string;
  /** Each way to address it: YAML keys that send to a server at `origin`. */
  readonly ways: Readonly<Record<string, (origin: string) => string>>;
  readonly env?: Environment;
  /** Answers as the service does: takes what its rules allow, and refuses all else. */
  answer(request: SunkRequest): SinkAnswer;
  /** What people read of a request that it took. */
  read(request: SunkRequest): Shown;
  /** What it answers when it did not take a message, by way. */
  readonly refusals: Readonly<Record<string, readonly Refusal[]>>;
}

interface Refusal {
  readonly name: string;
  readonly answer: SinkAnswer;
  /** The reason in the log. */
  readonly says: string;
  /** At least so long, before another try; `undefined` where there is none. */
  readonly waitsMs?: number;
}

export interface Shown {
  readonly title: string;
  readonly entries: readonly (readonly [label: string, value: string])[];
  readonly footer: readonly string[];
  /** What of it rings somebody, leads somewhere, or is markup. Nothing, if all is well. */
  readonly alive: readonly string[];
}

/** The rules that a request breaks. */
export class Rules {
  readonly broken: string[] = [];

  /** Holds `is` to a rule. */
  hold(is: boolean, rule: string): void {
    if (!is) this.broken.push(rule);
  }

  /** A text of at least one character, and at most so many. */
  text(value: unknown, most: number, rule: string): void {
    this.hold(typeof value === 'string' && value.trim() !== '' && value.length <= most, rule);
  }

  /** No keys but these. */
  keys(value: object, known: readonly string[], rule: string): void {
    for (const key of Object.keys(value)) this.hold(known.includes(key), `${rule}: ${key}`);
  }

  /** A JSON object, sent as such. */
  static jsonOf(
    { headers, bytes, method }: SunkRequest,
    expected = 'POST',
  ): Record<string, Json> | undefined {
    if (method !== expected || !/^application\/json\b/.test(headers['content-type'] ?? '')) return undefined;
    try {
      return JSON.parse(bytes.toString('utf8'));
    } catch {
      return undefined;
    }
  }
}

/** `Label: value`, or the label with indented lines below it. */
export function entryOf(line: string): readonly [string, string] {
  const block = /^([^\n]*?):\n((?: {4}[^\n]*(?:\n|$)|\n)+)$/.exec(line);
  if (block) return [block[1] ?? '', (block[2] ?? '').replaceAll(/^ {4}/gm, '')];
  const at = line.indexOf(': ');
  return [line.slice(0, at), line.slice(at + 2)];
}

/** Markdown in which whatever could be markup stands behind a backslash; `alive` is what does not. */
export function withoutEscapes(markdown: string): {
  readonly text: string;
  readonly alive: readonly string[];
} {
  const bare = markdown.replaceAll(/\\[^0-9A-Za-z\s]/g, '');
  return {
    text: markdown.replaceAll(/\\([^0-9A-Za-z\s])/g, '$1'),
    alive: bare.match(/[*_~`|<>#@[\]\\]|:(?=\w)|^\s*(?:\d+[.)]|[-+]) /gm) ?? [],
  };
}
