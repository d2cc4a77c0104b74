/** Config changes made by the card "Connect your mail". */

import { freeName } from '../../../edit/form_edits.ts';
import { type Action, isEqual, type Json, listOf, mapOf, type Path } from '../../../edit/model.ts';
import type { Guessed } from '../../../src/state.ts';
import { held } from '../settings/places.ts';
import { type Output, outputsIn, type Recipe, variablesOf, variablesToSet } from './recipes.ts';

/** Keys that the provider determines; the card shows them under "Server and login". */
export const loginKeys = ['host', 'port', 'tls', 'username', 'password', 'auth', 'oauth2', 'from'];

/** The card is shown only for mail outputs. */
export const isMailOutput = ({ type }: Output): boolean => type === 'smtp' || type === 'email';

/** An address or host from an example, which reaches nobody. */
export const isExample = (text: unknown): boolean =>
  typeof text !== 'string' || /^$|^you@|(?:^|[@.])example\.(?:com|net|org)$|\.invalid$/i.test(text);

export const addressIn = (from: unknown): string =>
  /<([^<>]*)>\s*$/.exec(String(from ?? ''))?.[1] ?? String(from ?? '');

interface SecretInput {
  readonly name: string;
  readonly is?: string | undefined;
  readonly from?: string | undefined;
  /** Whether the config lacks the variable. */
  readonly isNew: boolean;
  /** Whether the value is not secret, such as a region. */
  readonly isOpenly: boolean;
}

const openly = /^(MAIL_FROM_ADDRESS|AWS_REGION|AWS_ACCESS_KEY_ID|SMTP_USERNAME|SMTP_EHLO_NAME)$|_CLIENT_ID$/;

export function secretsOf(path: Path, output: Output, provider: Recipe | undefined): readonly SecretInput[] {
  const named = variablesToSet(output, provider).map(({ name = '', is, from }) => ({
    name,
    is,
    from,
    isNew: false,
    isOpenly: openly.test(name),
  }));
  const isWithout =
    output.type === 'smtp' && output.auth !== 'oauth2' && variablesOf(output.password ?? '').length === 0;
  if (!isWithout || output.username === undefined) return named;
  const documented = provider?.variables?.find(({ name }) => name === 'SMTP_PASSWORD');
  const name = freeVariable(path, output);
  return [
    ...named.filter((one) => one.name !== 'SMTP_PASSWORD'),
    { ...documented, name, isNew: true, isOpenly: false },
  ];
}

export const labelOf = (name: string, is: string | undefined) =>
  (is ?? (name.includes('PASSWORD') ? 'Password' : name.includes('USERNAME') ? 'User name' : name))
    .replaceAll('`', '')
    .replace(/^(?:an?|the) /, '')
    .replace(/^./, (first) => first.toUpperCase());

export const envOf = (name: string) => `{{ env "${name}" }}`;

/** A variable name that no output with another login uses. */
function freeVariable(path: Path, { host, username }: Output): string {
  const others = Object.entries(mapOf(held(['forms']))).flatMap(([id, form]) =>
    listOf(mapOf(form).outputs)
      .map(mapOf)
      .filter((_, index) => !(id === path[1] && index === path[3])),
  );
  return freeName('SMTP_PASSWORD', (name) =>
    others.some((one) => (one.host !== host || one.username !== username) && variablesOf(one).includes(name)),
  );
}

/** Sets the sender, and replaces example addresses and the previous address. */
export function addressing(path: Path, output: Output, address: string): readonly Action[] {
  const { from, username, to, type } = output;
  const before = addressIn(from);
  const set = (isMeant: boolean, key: string, value: Json): readonly Action[] =>
    isMeant ? [{ do: 'set', path: [...path, key], value }] : [];
  const isLinked =
    typeof username === 'string' && username.includes('@') && (username === before || isExample(username));
  const sender = String(from ?? '').replace(/^[^<]*$|(?<=<)[^<>]*(?=>\s*$)/, () => address);
  return [
    ...set(type !== 'email' || from !== undefined, 'from', sender),
    ...set(isLinked, 'username', address),
    ...set(isExample(to), 'to', address),
  ];
}

/** Replaces the keys of the previous provider by those of the new one. */
export function choosing(
  path: Path,
  output: Output,
  chosen: Recipe | undefined,
  address: string,
  { host, port }: Guessed = {},
): readonly Action[] {
  const theirs = chosen && outputsIn(chosen)[0];
  const isOwnHost = chosen?.hosts?.includes(host ?? '') === true;
  const other: Output = {
    type: 'smtp',
    host: host ?? (isExample(output.host) ? 'smtp.example.com' : String(output.host)),
    port: port ?? 587,
    tls: 'required',
    username: address,
    password: envOf('SMTP_PASSWORD'),
  };
  const made: Output = theirs ? { ...theirs, ...(isOwnHost && host && { host }) } : other;
  const keys = ['type', 'host', 'port', 'tls', 'username', 'password', 'auth', 'oauth2'];
  const mine = variablesOf(output.password ?? '')[0];
  const values: Record<string, Json | undefined> = Object.fromEntries(keys.map((key) => [key, made[key]]));
  if (typeof values.username === 'string' && values.username.includes('@') && !isExample(address))
    values.username = address;
  if (values.password !== undefined)
    values.password = envOf(
      mine ?? freeVariable(path, { host: values.host ?? '', username: values.username ?? '' }),
    );
  // Amazon SES takes its sender from a variable.
  if (made.type === 'email') values.from = undefined;
  else if (output.from === undefined)
    values.from = isExample(address) ? (made.from ?? 'website@example.com') : address;
  return Object.entries(values).flatMap(([key, value]): readonly Action[] => {
    if (value === undefined) return key in output ? [{ do: 'remove', path: [...path, key] }] : [];
    return isEqual(value, output[key]) ? [] : [{ do: 'set', path: [...path, key], value }];
  });
}

export const tokenUrl = (tenant: string) =>
  `https://login.microsoftonline.com/${encodeURIComponent(tenant || 'TENANT_ID')}/oauth2/v2.0/token`;

/** The tenant id in a Microsoft URL; `undefined` for other logins. */
export function tenantOf({ oauth2 }: Output): string | undefined {
  const url = String(mapOf(oauth2).token_url ?? '');
  return /^https:\/\/login\.microsoftonline\.com\/([^/]+)\//.exec(url)?.[1];
}
