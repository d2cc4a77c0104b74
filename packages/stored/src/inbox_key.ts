/** The top-level key `inbox`: who may sign in to the inbox of a team, and where it listens (docs/inbox-team.md). */

import { parseAddress } from '@form-relay/base/address';
import { type Finding, warning } from '@form-relay/base/finding';
import { isLoopback } from '@form-relay/base/url';
import type { CheckContext } from '@form-relay/core/command';
import { outputExtension } from '@form-relay/core/extensions';
import type { OutputForm, Parsed, Plugin, Schema, Transport } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { array, object } from '@form-relay/schema/collections';
import { duration, httpUrl, name, oneOf, secretVariable, textSchema } from '@form-relay/schema/scalars';
import { optional, optionalBlock, required, schemaLike, withDefault } from '@form-relay/schema/schema';
import { nearest } from '@form-relay/schema/suggestion';

interface InboxLinks {
  /** The URL that opens a submission, after signing in. */
  linkTo(id: string): string;
}

declare module '@form-relay/core/plugin' {
  interface Shared {
    readonly inbox: InboxSettings;
  }
  interface Provided {
    /** Set in forms whose submissions the inbox shows. */
    readonly inbox: InboxLinks;
  }
}

/** A URL that must be encrypted unless it is local, because passwords and cookies are sent to it. */
const secureUrl = (problemOf: (url: URL) => string | undefined): Schema<URL> =>
  schemaLike(httpUrl(), (value, at) => {
    const url = httpUrl()(value, at);
    if (!url) return undefined;
    const isSafe = url.protocol === 'https:' || isLoopback(url.hostname);
    const problem = isSafe
      ? problemOf(url)
      : 'over http://, others could read who signs in and what they see; write https:// (http:// is only for this machine, such as http://127.0.0.1:8090)';
    return problem === undefined ? url : at.error(problem);
  });

const listenAddress = textSchema(
  (text, at) =>
    readListen(text) ?? at.error('expected an address of this machine and a port, such as 127.0.0.1:8090'),
);

const emailAddress = textSchema(
  (text, at) => parseAddress(text) ?? at.error('expected one address, such as ada@example.org'),
);

const signInKeys = {
  issuer: required(
    'Issuer of the provider, as in its `/.well-known/openid-configuration`.',
    secureUrl(({ hostname, pathname }) =>
      // With these issuers, the admin of any other tenant can give an account any address.
      hostname === 'login.microsoftonline.com' && /^\/(common|organizations|consumers)\b/.test(pathname)
        ? "this lets accounts of every tenant sign in; use your own tenant's id: https://login.microsoftonline.com/TENANT-ID/v2.0"
        : undefined,
    ),
  ),
  client_id: required('Client id of the inbox at the provider (`inbox`).', name()),
  client_secret_env: required('Environment variable with the secret of `client_id`.', secretVariable()),
  scope: withDefault('openid email profile', 'Scopes to request from the provider.', name()),
  hosted_domain: optional(
    'Google: accepts only accounts of this Workspace (`example.com`), by the `hd` claim of the ID token.',
    name(),
  ),
  groups_claim: withDefault('groups', 'Claim with the names of a person’s groups.', name()),
  verified_claim: withDefault(
    'email_verified',
    'Claim that marks the address as verified. Microsoft Entra: `xms_edov`.',
    oneOf(['email_verified', 'xms_edov']),
  ),
};

const personKeys = {
  email: optional('The verified address of one person. Letter case does not matter.', emailAddress),
  group: optional('Instead of `email`: a group, exactly as the provider names it.', name()),
  may: required(
    'Rights: to `read` submissions, to `act` on them (deliver, restore, mark, label, answer), to `erase` them. `act` and `erase` apply to forms that the person may read. `manage` includes all rights for all forms, and managing people.',
    array(oneOf(['read', 'act', 'erase', 'manage']), { least: 1 }),
  ),
  forms: optional('The names of the forms. Default: all.', array(name(), { least: 1 })),
};

const person = object(personKeys, '{email: ada@example.org, may: [read]}', ({ may }, at) => {
  const isWritten = (key: string) => at.in(key).written !== undefined;
  if (isWritten('email') === isWritten('group')) at.error('expected either email or group');
  if (may?.includes('manage') && isWritten('forms'))
    at.in('forms').error('people who manage the inbox see all forms; remove forms');
});

const sessionKeys = {
  for: withDefault('12h', 'Maximum lifetime of a session.', duration({ leastMs: 60_000, hasDays: true })),
  idle: withDefault(
    '1h',
    'Idle time after which a session ends.',
    duration({ leastMs: 60_000, hasDays: true }),
  ),
};

const usualSessions = { for: 12 * 3_600_000, idle: 3_600_000 };
/** Without a provider, sessions last longer, because each sign-in needs a mail. */
const sessionsByMail = { for: 30 * 86_400_000, idle: 7 * 86_400_000 };

const inboxKeys = {
  listen: withDefault(
    '127.0.0.1:8090',
    'Address and port of the inbox, separate from the port for visitors.',
    listenAddress,
  ),
  url: required(
    'Public address of the inbox, without a path, such as `https://inbox.example.org`. Requests to other hosts are rejected.',
    secureUrl(({ href, origin }) =>
      href === `${origin}/`
        ? undefined
        : 'the inbox needs a host of its own; write only scheme, host and port, such as https://inbox.example.org',
    ),
  ),
  sign_in: optionalBlock(
    'OpenID Connect provider for signing in, instead of a link by mail. Invited people can use both.',
    object(signInKeys, '{issuer: https://accounts.google.com, client_id: …, client_secret_env: OIDC_SECRET}'),
  ),
  people: optional(
    'People who may use the inbox, besides invited ones: `[{email: ada@example.org}]`.',
    array(person, { least: 1 }),
  ),
  sessions: optionalBlock(
    'Lifetime of sessions. Default without `sign_in`: `{for: 30d, idle: 7d}`.',
    object(sessionKeys, '{for: 12h, idle: 1h}'),
  ),
  audit: optional(
    'Existing folder (`/var/log/inbox`) for the audit log of opened submissions and actions, without values. Default: a folder in `store`.',
    name(),
  ),
  store: optional(
    'Folder for labels, notes and replies. Back it up. Default: a folder in `$XDG_DATA_HOME/form-relay` or `~/.local/share/form-relay`.',
    name(),
  ),
};

/** The inbox of a team, as configured. */
export type InboxSettings = Parsed<typeof inboxKeys> & { readonly sessions: Parsed<typeof sessionKeys> };

const inbox = feature({
  name: 'inbox',
  keys: {
    top: {
      inbox: optionalBlock(
        'Serves submissions to a team that signs in (docs/inbox-team.md).',
        object(inboxKeys, '{url: https://inbox.example.org}'),
      ),
    },
  },
  configureTop: ({ inbox }, at, { forms, services }) => {
    if (!inbox) return undefined;
    const place = at.in('inbox');
    // The inbox itself does not support TLS.
    if (inbox.url?.protocol === 'https:' && !services.env('TRUSTED_PROXIES'))
      place
        .in('url')
        .warning(
          'the inbox is behind an HTTPS proxy, but TRUSTED_PROXIES is not set; set it where the relay runs, or all sign-ins share one limit (docs/inbox-team.md)',
        );
    // This is only a warning, because archives may hold submissions of a removed form.
    for (const [index, { forms: named = [] }] of (inbox.people ?? []).entries())
      for (const [position, form] of named.entries())
        if (!forms.has(form))
          place
            .in('people', index, 'forms', position)
            .warning(`this config has no form "${form}"; the right applies only to its stored submissions`, {
              suggestion: nearest(form, [...forms.keys()]),
            });
    return { ...inbox, sessions: inbox.sessions ?? (inbox.sign_in ? usualSessions : sessionsByMail) };
  },
  configure: ({ shared, outputTypes }) => {
    // The inbox shows only archived submissions.
    const isShown = outputTypes.some((type) => type === 'folder' || type === 's3');
    if (!shared || !isShown) return undefined;
    return { provides: { linkTo: (id) => new URL(`/?open=${encodeURIComponent(id)}`, shared.url).href } };
  },
});

/** Adds a link to the inbox to mails to the owner. */
const inboxLink = outputExtension({
  name: 'inbox_link',
  types: ['smtp', 'email'],
  keys: {},
  configure: ({ provided }) => {
    const inbox = provided.get('inbox');
    return inbox && { wrapTransport: (inner, { form }) => withLink(inner, inbox, form) };
  },
});

const withLink = (inner: Transport, { linkTo }: InboxLinks, { locale }: OutputForm): Transport => ({
  ...inner,
  send: (delivery, call) => {
    const { mail, requestId } = delivery;
    // A mail sent by a feature goes to someone other than the owner.
    if (mail?.to) return inner.send(delivery, call);
    const line = `${locale.translate({ code: 'mail_inbox' })}: ${linkTo(requestId)}`;
    const note = mail?.note === undefined ? line : `${mail.note}\n${line}`;
    return inner.send({ ...delivery, mail: { ...mail, note } }, call);
  },
});

/** Reports a missing TRUSTED_PROXIES. The inbox does not support TLS, so an https URL means that there is a proxy. */
function proxiesFound({ config, services, settings }: CheckContext): readonly Finding[] {
  const name = 'TRUSTED_PROXIES';
  const isOnHttps = config?.shared.get('inbox')?.url.protocol === 'https:';
  // Another check reports a malformed value.
  if (!isOnHttps || settings.trustedProxies || services.env(name)) return [];
  return [
    warning(
      name,
      'not set; inbox.url is https, so a proxy seems to be in front of the inbox, and all sign-ins share one limit',
      'Set it where the relay runs, to the networks of your proxies, such as 127.0.0.1 or 10.0.0.0/8.',
    ),
  ];
}

export const plugin: Plugin = {
  name: 'inbox',
  features: [inbox],
  outputExtensions: [inboxLink],
  messages: { en: { mail_inbox: 'Open in the inbox' } },
  checks: [{ name: 'Environment', probe: async (context) => proxiesFound(context) }],
};

/** Parses `127.0.0.1:8090`, `[::1]:8090`, or `:8090` for all addresses; `undefined` for anything else. */
export function readListen(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, ipv6, name, digits] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]*)):(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  return port <= 65_535 ? { host: ipv6 ?? (name || '::'), port } : undefined;
}
