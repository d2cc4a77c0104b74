/** Changes of the config by the card "Connect your mail". */

import type { Action, Json, Path } from '../../../edit/model.ts';
import type { Guessed } from '../../../src/state.ts';
import { isMap, listOf } from '../../schema_nodes.ts';
import { config } from '../../store.ts';
import { type Output, outputsIn, type Recipe, variablesOf, variablesToSet } from './recipes.ts';

/** Keys that a provider decides; the card has them in "Server and login". */
export const loginKeys = ['host', 'port', 'tls', 'username', 'password', 'auth', 'oauth2', 'from'];

/** For no mail output, the card is absent. */
export const isMailOutput = ({ type }: Output): boolean => type === 'smtp' || type === 'email';

/** An address or a host of an example, which reaches nobody. */
export const isExample = (text: unknown): boolean =>
  typeof text !== 'string' || /^$|^you@|(?:^|[@.])example\.(?:com|net|org)$|\.invalid$/i.test(text);

export const addressIn = (from: unknown): string =>
  /<([^<>]*)>\s*$/.exec(String(from ?? ''))?.[1] ?? String(from ?? '');

interface SecretInput {
  readonly name: string;
  readonly is?: string | undefined;
  readonly from?: string | undefined;
  /** The config does not name it yet. */
  readonly isNew: boolean;
  /** Nothing that others may not see, such as a region. */
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

/** A name that no output with another login has. */
function freeVariable(path: Path, { host, username }: Output): string {
  const { forms } = isMap(config.value.value) ? config.value.value : { forms: {} };
  const others = Object.entries(isMap(forms) ? forms : {}).flatMap(([id, form]) =>
    listOf(isMap(form) ? form.outputs : []).filter(
      (one, index) => !(id === path[1] && index === path[3]) && isMap(one),
    ),
  ) as readonly Output[];
  const isTaken = (name: string) =>
    others.some((one) => (one.host !== host || one.username !== username) && variablesOf(one).includes(name));
  let name = 'SMTP_PASSWORD';
  for (let count = 2; isTaken(name); count += 1) name = `SMTP_PASSWORD_${count}`;
  return name;
}

/** The sender, and all that was an example or the same address. */
export function addressing(path: Path, output: Output, address: string): readonly Action[] {
  const { from, username, to, type } = output;
  const before = addressIn(from);
  const set = (key: string, value: Json): Action => ({ do: 'set', path: [...path, key], value });
  const isLinked =
    typeof username === 'string' && username.includes('@') && (username === before || isExample(username));
  return [
    ...(type === 'email' && from === undefined
      ? []
      : [
          set(
            'from',
            String(from ?? '').includes('<') ? String(from).replace(/<[^<>]*>\s*$/, `<${address}>`) : address,
          ),
        ]),
    ...(isLinked ? [set('username', address)] : []),
    ...(isExample(to) ? [set('to', address)] : []),
  ];
}

/** The keys of a provider, in place of those of the one before. */
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
  // The sender of Amazon SES is a variable.
  if (made.type === 'email') values.from = undefined;
  else if (output.from === undefined)
    values.from = isExample(address) ? (made.from ?? 'website@example.com') : address;
  return Object.entries(values).flatMap(([key, value]): readonly Action[] => {
    if (value === undefined) return key in output ? [{ do: 'remove', path: [...path, key] }] : [];
    return JSON.stringify(value) === JSON.stringify(output[key])
      ? []
      : [{ do: 'set', path: [...path, key], value }];
  });
}

export const tokenUrl = (tenant: string) =>
  `https://login.microsoftonline.com/${encodeURIComponent(tenant || 'TENANT_ID')}/oauth2/v2.0/token`;

/** The id in an address of Microsoft's; `undefined` for other logins. */
export function tenantOf({ oauth2 }: Output): string | undefined {
  const url = isMap(oauth2) ? String(oauth2.token_url ?? '') : '';
  return /^https:\/\/login\.microsoftonline\.com\/([^/]+)\//.exec(url)?.[1];
}
