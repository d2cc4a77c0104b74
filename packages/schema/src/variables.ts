/** Environment variables: each is declared once, with its documentation, its default and its allowed values. */
import { isIPv4, isIPv6 } from 'node:net';
import { hostName, parseAddress } from '@form-relay/base/address';
import { err, ok, type Result } from '@form-relay/base/result';
import { mountPathIn, parseUrl } from '@form-relay/base/url';
import { type EnvUse, either } from './diagnostics.ts';
import { parseDuration } from './duration.ts';
import { parseSize } from './scalars.ts';
import { didYouMean } from './suggestion.ts';

export interface Variable<T> {
  readonly name: string;
  readonly doc: string;
  readonly fallback?: string;
  /** Parses the value, or returns what was expected. */
  readonly read: (text: string) => Result<T, string>;
  /** Whether it holds a secret of the relay, which must not be an ARN. */
  readonly isSecret?: true;
}

export type Variables = Readonly<Record<string, Variable<unknown>>>;
export type VariableValues<V extends Variables> = {
  readonly [K in keyof V]: V[K] extends Variable<infer T> ? T : never;
};

export type Environment = Readonly<Record<string, string | undefined>>;

export interface SettingProblem {
  readonly name: string;
  readonly expected: string;
}

/** A variable that may be unset. */
export function variable<T>(name: string, doc: string, read: Variable<T>['read']): Variable<T | undefined> {
  return { name, doc, read };
}

export const variableWithDefault = <T>(
  name: string,
  fallback: string,
  doc: string,
  read: Variable<T>['read'],
): Variable<T> => ({ name, doc, fallback, read });

/** Reads the variables; empty values count as unset. Or returns everything that is wrong with them. */
export function readVariables<V extends Variables>(
  declared: V,
  env: Environment,
): Result<VariableValues<V>, readonly SettingProblem[]> {
  const problems: SettingProblem[] = [];
  const values = Object.entries(declared).map(([key, { name, fallback, read }]) => {
    const text = (Object.hasOwn(env, name) && env[name]) || fallback;
    const value = text === undefined ? ok(undefined) : read(text);
    if (value.ok) return [key, value.value];
    problems.push({ name, expected: value.error });
    return [key, undefined];
  });
  return problems.length > 0 ? err(problems) : ok(Object.fromEntries(values));
}

export function durationMs(text: string): Result<number, string> {
  const ms = parseDuration(text);
  return ms.ok ? ms : err(`found "${text}"; ${ms.error.problem}${didYouMean(ms.error.suggestion)}`);
}

/** A bare address, or one with a display name. */
export function sender(text: string): Result<string, string> {
  const [, named] = /^[^<>\0-\x1f\x7f-\x9f]*<([^<>]*)>$/.exec(text) ?? [];
  return parseAddress(named ?? text) === undefined
    ? err('expected an address such as forms@example.com or Example <forms@example.com>')
    : ok(text);
}

/** A host name or an address literal (RFC 5321, 4.1.4). */
export function ehloName(text: string): Result<string, string> {
  const [, four = '', six = ''] = /^\[(?:([\d.]+)|IPv6:([\da-f:.]+))\]$/i.exec(text) ?? [];
  const name = isIPv4(four) || isIPv6(six) ? text : hostName(text);
  return name === undefined
    ? err('expected a host name such as forms.example.com, or an address as [192.0.2.1]')
    : ok(name);
}

export const positive = (text: string): Result<number, string> =>
  /^\d+(\.\d+)?$/.test(text) && Number(text) > 0
    ? ok(Number(text))
    : err('expected a number above 0, such as 10');

export const whole =
  ({ least, most = Number.MAX_SAFE_INTEGER, expected }: { least: number; most?: number; expected: string }) =>
  (text: string): Result<number, string> =>
    /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most
      ? ok(Number(text))
      : err(`expected ${expected}`);

export const limit = whole({ least: 1, expected: 'a whole number of at least 1, such as 1000' });

/** A flag: 1, or 0 for off. */
export const flag = (text: string): Result<boolean, string> =>
  text === '1' || text === '0' ? ok(text === '1') : err('expected 1, or 0 for off');

/** A port; 0 picks a free one. */
export const port = whole({ least: 0, most: 65_535, expected: 'a port from 0 to 65535' });

/** A size in bytes, with or without a unit. `least`: the maximum size of one body. */
export const bytesLimit =
  (least: number) =>
  (text: string): Result<number, string> => {
    const size = parseSize(/^\d+$/.test(text) ? `${text}B` : text);
    return size.ok && size.value >= least
      ? size
      : err(`expected a size of at least ${least} bytes, the maximum of one body, such as 64MB`);
  };

/** A region of AWS or of an S3-compatible service. */
export const region = (text: string): Result<string, string> =>
  /^[a-z0-9-]+$/.test(text) ? ok(text) : err('expected a region such as eu-central-1');

/** An origin, optionally with the path below which a proxy serves the relay; a trailing slash is allowed. */
export function publicUrl(text: string): Result<string, string> {
  const url = parseUrl(text);
  const path = url && /^https?:$/.test(url.protocol) ? mountPathIn(url.pathname) : undefined;
  if (!url || path === undefined || url.href !== url.origin + url.pathname)
    return err(
      'expected an absolute http or https URL, such as https://forms.example.com or https://www.example.com/forms',
    );
  return /\/api\/v1(\/|$)/.test(path)
    ? err('expected an address without /api/v1, which the relay adds')
    : ok(url.origin + path);
}

/** Accepts one of several names, in any case. */
export function nameOf<Name extends string>(...names: readonly Name[]) {
  return (text: string): Result<Name, string> => {
    const name = names.find((one) => one === text.trim().toLowerCase());
    return name === undefined ? err(`expected ${either(names)}`) : ok(name);
  };
}

export function origins(text: string): Result<'*' | ReadonlySet<string>, string> {
  const listed = textsIn(text);
  if (listed.length === 0) return err('no origin found; unset it, or write one such as https://example.com');
  if (listed.includes('*')) return listed.length === 1 ? ok('*') : err('"*" cannot be combined with origins');
  const wild = listed.find((part) => part.includes('*'));
  if (wild)
    return err(
      `"${wild}" would match no page; list each origin, such as https://www.example.com,https://shop.example.com, or write only * for all`,
    );
  const wrong = listed.find((part) => parseUrl(part)?.origin !== part.toLowerCase());
  return wrong === undefined
    ? ok(new Set(listed.map((part) => part.toLowerCase())))
    : err(`"${wrong}" is not an origin; write only scheme, host and port, such as https://example.com`);
}

/** A secret of the relay. Rejects ARNs, which appear in logs and policies and can be guessed. */
export const ownSecret = (text: string): Result<string, string> =>
  textsIn(text).some((one) => /^arn:/i.test(one))
    ? err('this is an ARN, which can be guessed; set it to the secret itself (docs/deploy/aws.md)')
    : ok(text);

/** A variable that holds one or more secrets of the relay. */
export const variableWithSecret = (name: string, doc: string): Variable<string | undefined> => ({
  ...variable(name, doc, ownSecret),
  isSecret: true,
});

/** Splits a list at its commas; drops empty items. */
export const textsIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** The environment variables that a config reads. The config loads without them, though some of its forms fail. */
interface Uses {
  readonly env: readonly EnvUse[];
}

export const neededIn = ({ env }: Uses): readonly EnvUse[] => env.filter(({ isNeeded }) => isNeeded);

/** The names of required variables that are not set. An empty value counts as unset. */
export const unsetIn = (
  config: Uses,
  { env }: { env(name: string): string | undefined },
): readonly string[] => [...new Set(neededIn(config).flatMap(({ name }) => (env(name) ? [] : name)))];

/** A shorter secret could be found by trying, given a token. */
const leastLength = 16;
const leastDifferent = 6;
const placeholders = ['changeme', 'secret', 'password', 'placeholder', 'example', 'replace'];

/** Why a secret is guessable, without revealing it. `undefined` if it looks random. */
export function weaknessOf(secret: string): string | undefined {
  if (secret.trim() === '') return 'is only white space';
  if (secret.length < leastLength)
    return `has ${secret.length} ${secret.length === 1 ? 'character' : 'characters'}, which can be guessed`;
  if (new Set(secret).size < leastDifferent) return 'repeats a few characters, which can be guessed';
  const letters = secret.toLowerCase().replaceAll(/[^a-z]/g, '');
  return placeholders.some((word) => letters.includes(word)) ? 'looks like a placeholder' : undefined;
}
