import { isIPv4, isIPv6 } from 'node:net';
import { hostName, parseAddress } from '../../base/address.ts';
import type { LogLevel } from '../../base/effects.ts';
import { maxBodyBytes } from '../../base/http.ts';
import { isWhole, masked, type Network, readNetwork, writeNetwork } from '../../base/networks.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { parseUrl } from '../../base/url.ts';
import { parseDuration } from '../duration.ts';
import { parseSize } from '../size.ts';

/** Parsers for environment variables: each returns the value, or what it expected. */

export function durationMs(text: string): Result<number, string> {
  const ms = parseDuration(text);
  if (ms.ok) return ms;
  const { near, number } = ms.error.params as { readonly near?: string; readonly number?: string };
  const meant = number === undefined ? near : `${number}s`;
  return err(
    `found "${text}"; write a duration such as 30s, 10m or 1h30m${meant ? ` (did you mean ${meant}?)` : ''}`,
  );
}

/** A bare address, or one with a display name. */
export function sender(text: string): Result<string, string> {
  const [, named] = /^[^<>\0-\x1f\x7f-\x9f]*<([^<>]*)>$/.exec(text) ?? [];
  return parseAddress(named ?? text) === undefined
    ? err('expected an address such as forms@example.com or Example <forms@example.com>')
    : ok(text);
}

/** RFC 5321, 4.1.4. */
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

/** Off unless it is 1. */
export const flag = (text: string): Result<boolean, string> =>
  text === '1' || text === '0' ? ok(text === '1') : err('expected 1, or 0 for off');

/** 0 picks a free port. */
export const port = whole({ least: 0, most: 65_535, expected: 'a port from 0 to 65535' });

/** In bytes, with or without a unit. */
export function bytesLimit(text: string): Result<number, string> {
  const size = parseSize(/^\d+$/.test(text) ? `${text}B` : text);
  return size.ok && size.value >= maxBodyBytes
    ? size
    : err(`expected a size of at least ${maxBodyBytes} bytes, which is one body, such as 64MB`);
}

/** AWS's regions, or those of S3-compatible services. */
export const region = (text: string): Result<string, string> =>
  /^[a-z0-9-]+$/.test(text) ? ok(text) : err('expected a region such as eu-central-1');

/** An origin; a trailing slash is allowed. */
export function publicUrl(text: string): Result<string, string> {
  const url = parseUrl(text);
  return url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
    ? ok(url.origin)
    : err('expected an absolute http or https URL without a path, such as https://forms.example.com');
}

/** Addresses and networks; `none` for an empty list. */
export function proxies(text: string): Result<readonly Network[], string> {
  if (text.trim().toLowerCase() === 'none') return ok([]);
  const networks: Network[] = [];
  for (const written of text.split(',').map((part) => part.trim())) {
    if (written === '') continue;
    const network = readNetwork(written);
    if (!network)
      return err(`"${written}" is no address and no network; write such as 10.0.0.1 or 10.0.0.0/8`);
    if (!isWhole(network)) {
      const { address, bits } = network;
      const meant = writeNetwork({ address: masked(address, bits), bits });
      return err(
        `"${written}" is one address of ${meant}; write the network, or the address without /${bits}`,
      );
    }
    if (network.bits === 0) {
      return err(
        `"${written}" is everybody, and then anybody could say to be anybody; name the proxies alone`,
      );
    }
    networks.push(network);
  }
  return networks.length > 0
    ? ok(networks)
    : err('no address in it; unset it, or write such as 127.0.0.1,10.0.0.0/8, or none');
}

export const proxyHeader = oneOf('x-forwarded-for', 'forwarded');

export type LogFormat = 'pretty' | 'json';

export const logFormat = oneOf<LogFormat>('pretty', 'json');

export const logLevel = oneOf<LogLevel>('info', 'warn', 'error');

/** Ignores case. */
function oneOf<Name extends string>(...names: readonly Name[]) {
  const expected = `expected ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  return (text: string): Result<Name, string> => {
    const asked = text.trim().toLowerCase();
    const name = names.find((one) => one === asked);
    return name === undefined ? err(expected) : ok(name);
  };
}

export function origins(text: string): Result<'*' | ReadonlySet<string>, string> {
  const listed = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (listed.length === 0) return err('no origin in it; unset it, or write one such as https://example.com');
  if (listed.includes('*')) return listed.length === 1 ? ok('*') : err('"*" stands alone or not at all');
  const wild = listed.find((part) => part.includes('*'));
  if (wild) {
    return err(
      `"${wild}" would match no page; list each origin, such as https://www.example.com,https://shop.example.com, or write * alone for all`,
    );
  }
  const wrong = listed.find((part) => parseUrl(part)?.origin !== part.toLowerCase());
  return wrong === undefined
    ? ok(new Set(listed.map((part) => part.toLowerCase())))
    : err(`"${wrong}" is not an origin; write only scheme, host and port, such as https://example.com`);
}

/** Whether a value was meant as the ARN of an SSM parameter or a secret in Secrets Manager, despite typos. */
export const looksLikeSecretArn = (value: string): boolean =>
  /^\s*arn:[^:]*:(?:ssm|secrets?-?managers?):/i.test(value);

/**
 * Whether `<name>_ARN` can only mean one of the relay's secrets. Without `KEEP_SECRET`, deliveries are kept
 * unencrypted, so a typo there must be an error.
 */
export const isSecretName = (name: string): boolean =>
  ['FORM_TOKEN_SECRET', 'KEEP_SECRET', 'RECEIPT_SECRET'].includes(name);

/** One of the relay's secrets. Rejects ARNs, which appear in logs and policies and can be guessed. */
export const secretNamed =
  (name: string) =>
  (text: string): Result<string, string> =>
    textsIn(text).some((one) => /^arn:/i.test(one))
      ? err(`this is an ARN, which can be guessed; set ${name}_ARN to it instead, and leave ${name} unset`)
      : ok(text);

/** The items between commas. */
export const textsIn = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
