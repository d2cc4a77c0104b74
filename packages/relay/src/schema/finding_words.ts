/**
 * The words of findings, for people alone: code reads a finding's `code` and `params`. `tsdown.config.ts` loads this file when
 * there is something to say.
 */
import type { RecipientProblem } from '../base/client_error.ts';
import { sizeInWords } from '../base/files.ts';
import { type CodeIn, fill, type ParamsIn, textsOf } from '../base/fill.ts';
import { composed } from './composed_findings.ts';
import phrases from './finding_phrases.json' with { type: 'json' };
import table from './finding_words.json' with { type: 'json' };
import { inUnits, meant, oneOf, secret, shown } from './said_values.ts';

export type { KeyHome, Neighbour } from './composed_findings.ts';

const texts = textsOf(table);

export type NamedCheck = keyof typeof phrases.checks;

/** The parameters that are not text. */
interface Types {
  readonly all: number;
  readonly check: NamedCheck;
  readonly column: number;
  readonly count: number;
  readonly drop: number;
  readonly dropped: number;
  readonly each: number;
  readonly endings: readonly string[];
  readonly example: number;
  readonly format: number;
  /** The value in the config, which may be a secret. */
  readonly found: unknown;
  readonly from: number | string;
  readonly functions: readonly string[];
  readonly isDash: boolean;
  readonly joined: string | undefined;
  readonly lacks: keyof typeof phrases.lacks;
  readonly languages: readonly string[];
  readonly least: number;
  readonly leastBytes: number;
  readonly leastMs: number;
  readonly line: number;
  readonly max: number | string;
  readonly min: number | string;
  readonly minFillSeconds: number;
  readonly most: number;
  readonly mostMs: number;
  readonly names: readonly string[];
  /** The name that was probably meant. */
  readonly near: string | undefined;
  readonly nodes: number;
  /** From 0; `undefined` if the function takes only one value. */
  readonly place: number | undefined;
  readonly points: number;
  readonly problem: RecipientProblem;
  readonly room: number;
  readonly seconds: number;
  readonly status: number;
  readonly step: number;
  readonly store: keyof typeof phrases.elsewhere;
  readonly ttlMs: number;
  readonly value: number | string;
  readonly what: keyof typeof phrases.on_cloudflare;
  readonly words: number;
}

const forms = {
  found: shown,
  near: meant,
  or: oneOf,
  list: (all: readonly string[]) => all.join(', '),
  size: sizeInWords,
  duration: inUnits,
  check: (check: NamedCheck) => phrases.checks[check],
  endings: (all: readonly string[]) => all.map((ending) => `.${ending}`).join(', '),
  joined: (joined: string | undefined) => joined ?? 'a@example.com, b@example.com',
  lacks: (lacks: Types['lacks']) => phrases.lacks[lacks],
  place: (at: number | undefined) => (at === undefined ? '' : ` as its ${['first', 'second'][at]} value`),
  problem: (problem: RecipientProblem) => phrases.seal_key_problems[problem],
  store: (store: Types['store']) => phrases.elsewhere[store],
  what: (what: Types['what']) => phrases.on_cloudflare[what],
};

type ParamsByCode = { [Key in keyof typeof table as CodeIn<Key>]: ParamsIn<Key, Types> } & {
  [Code in keyof typeof composed]: Parameters<(typeof composed)[Code]>[0];
};

export type FindingCode = keyof ParamsByCode;

/** Codes whose words take no parameters. */
export type PlainCode = Exclude<keyof typeof table, `${string}(${string})`>;

/** The `params` of a finding with this code; optional if its words take none. */
export type FindingArgs<C extends FindingCode> =
  Record<never, never> extends ParamsByCode[C] ? [params?: ParamsByCode[C]] : [params: ParamsByCode[C]];

/**
 * A finding in words.
 *
 * @param isSecret Whether the value may be a secret, as in `headers: "Authorization: Bearer hunter2"`: then it is not quoted.
 */
export function say(
  { code, params }: { readonly code: FindingCode; readonly params: object },
  isSecret = false,
): string {
  const { found } = params as { readonly found?: unknown };
  const isHidden = isSecret && typeof found === 'string' && found !== '';
  const quoted = isHidden ? { ...params, found: secret } : params;
  const text = texts.get(code);
  if (text !== undefined) return fill(text, quoted, forms);
  return (composed[code as keyof typeof composed] as (params: object) => string)(quoted);
}
