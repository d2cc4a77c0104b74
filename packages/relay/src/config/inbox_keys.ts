import * as v from 'valibot';
import { parseAddress } from '../base/address.ts';
import { err, ok, type Result } from '../base/result.ts';
import { isLoopback } from '../base/url.ts';
import type { Schema } from '../schema/any_schema.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { read, report } from '../schema/issue.ts';
import { optional, optionalBlock, required, section, withDefault } from '../schema/keys.ts';
import { choice, duration, httpUrl, list, name, secretVariable } from '../schema/kinds.ts';
import { nearest } from '../schema/suggestion.ts';

/** An address that sends passwords and cookies over networks must be encrypted. */
const secureUrl = (check: (url: URL) => Finding | undefined): Schema<URL> =>
  v.pipe(
    httpUrl(),
    read((url): Result<URL, Finding> => {
      const isSafe = url.protocol === 'https:' || isLoopback(url.hostname);
      const found = isSafe ? check(url) : finding('inbox_url_unencrypted', []);
      return found ? err(found) : ok(url);
    }),
  );

const signInKeys = {
  issuer: required(
    'The provider’s issuer, as in its `/.well-known/openid-configuration`.',
    secureUrl(({ hostname, pathname }) =>
      // An owner of any other tenant can give any address to an account.
      hostname === 'login.microsoftonline.com' && /^\/(common|organizations|consumers)\b/.test(pathname)
        ? finding('inbox_issuer_of_all_tenants', [])
        : undefined,
    ),
  ),
  client_id: required('The id that the provider gave to the inbox.', name()),
  client_secret_env: required(
    'The environment variable with the secret that belongs to `client_id`.',
    secretVariable(),
  ),
  scope: withDefault('openid email profile', 'What the provider is asked to tell.', name()),
  hosted_domain: optional('Google: only accounts of this Workspace, by `hd` of the signed ID token.', name()),
  groups_claim: withDefault('groups', 'The claim with the names of a person’s groups.', name()),
  verified_claim: withDefault(
    'email_verified',
    'The claim by which the provider vouches for the address. Microsoft Entra: `xms_edov`.',
    choice(['email_verified', 'xms_edov']),
  ),
};

const personKeys = {
  email: optional('The verified address of one person. Letter case does not matter.', address()),
  group: optional('Instead of `email`: a group, exactly as the provider names it.', name()),
  may: required(
    'Rights: to `read` submissions, to `act` on them (deliver, restore, mark), to `erase` them. `act` and `erase` hold for forms that the person may read.',
    list(choice(['read', 'act', 'erase']), { least: 1 }),
  ),
  forms: optional('The names of the forms. Default: all.', list(name(), { least: 1 })),
};

const person = v.pipe(
  section(personKeys, '{email: ada@example.org, may: [read]}'),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { email, group } = dataset.value;
    if ((email === undefined) === (group === undefined))
      addIssue(report(finding('inbox_person_unnamed', [])));
  }),
);

const sessionKeys = {
  for: withDefault('12h', 'How long a sign-in lasts at most.', duration({ leastMs: 60_000, hasDays: true })),
  idle: withDefault(
    '1h',
    'A session that makes no request for so long ends.',
    duration({ leastMs: 60_000, hasDays: true }),
  ),
};

export const inboxKeys = {
  listen: withDefault(
    '127.0.0.1:8090',
    'Where the inbox listens. It never answers on the visitors’ port.',
    listenAddress(),
  ),
  url: required(
    'The address that people open, without a path, such as `https://inbox.example.org`. Requests to another host are rejected.',
    secureUrl(({ href, origin }) => (href === `${origin}/` ? undefined : finding('inbox_url_with_path', []))),
  ),
  sign_in: required(
    'The OpenID Connect provider that people sign in with.',
    section(
      signInKeys,
      '{issuer: https://accounts.google.com, client_id: …, client_secret_env: OIDC_SECRET}',
    ),
  ),
  people: required('Everybody who may use the inbox. Nobody else sees anything.', list(person, { least: 1 })),
  sessions: optionalBlock('How long people stay signed in.', section(sessionKeys, '{for: 12h, idle: 1h}')),
  audit: required(
    'The folder of the audit log: who opened which submission, and every action, without values. It must exist.',
    name(),
  ),
};

const written = section(inboxKeys, '{url: https://inbox.example.org, sign_in: {…}, people: […], audit: …}');

const usualSessions = v.parse(section(sessionKeys), {});

export const inboxSchema = v.pipe(
  written,
  v.transform(({ sessions = usualSessions, ...others }) => ({ ...others, sessions })),
);

/** The inbox of a team, as a config describes it. */
export type InboxSettings = v.InferOutput<typeof inboxSchema>;

/** `127.0.0.1:8090`, `[::1]:8090` or `:8090`, which is all addresses; `undefined` for anything else. */
export function readListen(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, ipv6, name, digits] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]*)):(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  return port <= 65_535 ? { host: ipv6 ?? (name || '::'), port } : undefined;
}

function listenAddress(): Schema<{ readonly host: string; readonly port: number }> {
  return v.pipe(
    name(),
    read((found) => {
      const listen = readListen(found);
      return listen ? ok(listen) : err(finding('inbox_listen_malformed', []));
    }),
  );
}

function address(): Schema<string> {
  return v.pipe(
    name(),
    read((found) => {
      const parsed = parseAddress(found);
      return parsed === undefined ? err(finding('inbox_email_malformed', [])) : ok(parsed);
    }),
  );
}

/** Archives may hold submissions to a form that is gone, so this is no error. */
export const inboxWarnings = (
  { people, url }: InboxSettings,
  forms: ReadonlyMap<string, unknown>,
  namesProxies: boolean,
): readonly Finding[] => [
  // The inbox itself speaks no TLS.
  ...(url.protocol === 'https:' && !namesProxies
    ? [{ ...finding('inbox_proxies_unnamed', ['inbox', 'url']), severity: 'warning' as const }]
    : []),
  ...people.flatMap(({ forms: named = [] }, index) =>
    named.flatMap((form, at): Finding | [] =>
      forms.has(form)
        ? []
        : {
            ...finding('inbox_form_unknown', ['inbox', 'people', index, 'forms', at], {
              form,
              near: nearest(form, [...forms.keys()]),
            }),
            severity: 'warning',
          },
    ),
  ),
];
