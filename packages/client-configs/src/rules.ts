/** The rules for clients' configs: which keys they may have, and which keys the operator sets for them. */
import { posix, resolve, sep } from 'node:path';
import { fail } from '@form-relay/base/client_error';
import { ok } from '@form-relay/base/result';
import { clientOf } from '@form-relay/base/url';
import { type ParseResult, type PluginSources, parseConfig } from '@form-relay/config/parse';
import type { ConfigSource } from '@form-relay/config/source';
import type { Config } from '@form-relay/core/config';
import type { OutputContext } from '@form-relay/core/outputs/output';
import { feature, type Plugin } from '@form-relay/core/plugin';
import type { Services } from '@form-relay/core/services';
import { array, object } from '@form-relay/schema/collections';
import type { Diagnostics } from '@form-relay/schema/diagnostics';
import { boolean, name } from '@form-relay/schema/scalars';
import { isMap, optional, optionalBlock, type Parsed, withDefault } from '@form-relay/schema/schema';
import { type Client, isOwnVariable, operatorFile } from './folder.ts';
import type { Shares } from './index.ts';

declare module '@form-relay/core/plugin' {
  interface Shared {
    clients: Partial<Parsed<typeof clientKeys>> & {
      /** By client: the reason why its config does not load. */
      readonly broken?: ReadonlyMap<string, string>;
    };
  }
}

const clientKeys = {
  folder: optional(
    'Folder with a subfolder for each client’s `folder` outputs: `acme` may use `/srv/archives/acme` and everything in it. Default: clients have no folder.',
    name(),
  ),
  bucket: optional(
    'Bucket with a prefix for each client’s `s3` outputs (`acme-forms`). Default: clients have no bucket.',
    name(),
  ),
  variables: optional(
    'Environment variables that every client may read, such as `[SMTP_PASSWORD]`.',
    array(name(), { least: 1 }),
  ),
  ses: withDefault(
    false,
    'Whether clients may send mail as any sender that the relay’s Amazon SES has verified (`email` outputs).',
    boolean(),
  ),
};

/** The operator's keys about clients, and each client's share of the limits. */
export const clientsFeature = (shares: Shares) =>
  feature({
    name: 'clients',
    keys: {
      top: {
        clients: optionalBlock(
          `Settings for all clients of CONFIG_DIR. Allowed only in \`${operatorFile}\` (docs/clients.md).`,
          object(clientKeys, '{folder: /srv/archives}'),
        ),
      },
    },
    configureTop: ({ clients }, at, { forms }) => {
      if (Object.values(clients ?? {}).some(Boolean) && forms.size > 0)
        at.in('clients').warning(`this is allowed only in ${operatorFile} in CONFIG_DIR (docs/clients.md)`);
      return clients;
    },
    configure: ({ formId }) => {
      const client = clientOf(formId);
      return client ? { onRequest: (next) => shares.limit(client, next) } : undefined;
    },
  });

/** Keys that only the operator may set, for all clients together. */
const operators = ['plugins', 'keep', 'counted_in', 'alerts', 'inbox', 'cache_ttl', 'clients'];

/** The operator's file: its keys for all clients, all texts in them, and its settings for clients. */
export interface Operator {
  readonly keys: Readonly<Record<string, unknown>>;
  readonly texts: ReadonlySet<string>;
  readonly settings: Partial<Parsed<typeof clientKeys>>;
}

/** Reads the operator's file, which has no forms, as a config. */
export const asOperator: Omit<ClientRules, 'env'> = {
  rewrite: {
    document: (read) =>
      isMap(read) ? { clients: {}, forms: {}, ...read } : (read ?? asOperator.rewrite.document({})),
    path: (path) => path,
  },
  check: (config, at) => {
    if (isMap(config) && isMap(config.forms) && Object.keys(config.forms).length > 0)
      at.in('forms').error(`forms belong to clients; move them to CLIENT.yaml beside ${operatorFile}`);
  },
  sendsBySes: true,
  says: () => true,
};

export function operatorOf(read: unknown, config: Config): Operator {
  const { clients, alerts, cache_ttl, forms, inbox, ...keys } = isMap(read) ? read : {};
  const own = {
    ...keys,
    ...(isMap(inbox) && { inbox: { url: inbox.url } }),
    // Clients need to know only that there are alerts.
    ...(alerts !== undefined && { alerts: null }),
  };
  return { keys: own, texts: new Set(textsIn(own)), settings: config.shared.get('clients') ?? {} };
}

const textsIn = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];

/** How a client's config is read. */
export interface ClientRules {
  readonly rewrite: NonNullable<PluginSources['rewrite']>;
  readonly env: Services['env'];
  /** Reports keys and values that a client may not use. */
  check(config: unknown, at: Diagnostics): void;
  readonly sendsBySes: boolean;
  /** Whether the client's own file contains the key of a problem. */
  says(path: string): boolean;
}

export function rulesOf(client: Client, operator: Operator, env: Services['env']): ClientRules {
  const { prefix } = client;
  const { keys, texts, settings } = operator;
  const mayRead = (name: string) => name.startsWith(prefix) || settings.variables?.includes(name) === true;
  let written: Readonly<Record<string, unknown>> = {};
  return {
    rewrite: {
      document: (read) => {
        if (!isMap(read)) return read;
        written = read;
        const { forms } = read;
        const own = Object.fromEntries(Object.entries(read).filter(([key]) => !operators.includes(key)));
        return {
          ...keys,
          ...own,
          clients: {},
          ...(isMap(forms) && {
            forms: Object.fromEntries(
              Object.entries(forms).map(([id, form]) => [`${client.name}/${id}`, form]),
            ),
          }),
        };
      },
      path: ([place, id, ...rest]) =>
        place === 'forms' && id !== undefined
          ? [place, String(id).slice(client.name.length + 1), ...rest]
          : [place, id, ...rest].filter((step) => step !== undefined),
    },
    env: (name) =>
      mayRead(name) || isOwnVariable(name) || [...texts].some((text) => text.includes(name))
        ? env(name)
        : undefined,
    check: (config, at) => {
      for (const key of operators)
        if (key in written)
          at.in(key).error(`the operator sets this for all clients, in ${operatorFile} (docs/clients.md)`);
      const reported = new Set<string>();
      for (const { name, path, isNeeded } of at.report.env) {
        const here = at.fromTop(...path);
        // The relay's own variables are those that a feature needs without being told. A template may write a name with escapes.
        const isNamed = !isNeeded || textsIn(here.written).some((text) => text.includes(name));
        const isWritten = String(path[0]) in written && isNamed;
        if (!isWritten || mayRead(name) || reported.has(`${name} ${path}`)) continue;
        reported.add(`${name} ${path}`);
        here.error(`the client ${client.name} may not read ${name}; its variables begin with ${prefix}`);
      }
      checkFiles(client, operator, config, written, at);
    },
    sendsBySes: settings.ses === true,
    says: (path) => String(path.split(/[.[]/, 1)) in written,
  };
}

/** Allows archives only in the client's own part of the operator's places, and fonts only in the client's folder. */
function checkFiles(
  { name, folder }: Client,
  { settings }: Operator,
  config: unknown,
  written: Readonly<Record<string, unknown>>,
  at: Diagnostics,
): void {
  const { forms } = isMap(config) ? config : {};
  for (const [id, form] of isMap(forms) ? Object.entries(forms) : []) {
    if (/\/|^\.{1,2}$/.test(id.slice(name.length + 1)))
      at.in('forms', id).error(
        "the name of a client's form must not contain a slash; the address is client/form",
      );
    const { outputs } = isMap(form) ? form : {};
    for (const [index, output] of Array.isArray(outputs) ? outputs.entries() : []) {
      const here = at.in('forms', id, 'outputs', index);
      const { type, path, bucket, prefix } = isMap(output) ? output : {};
      const root = settings.folder && resolve(settings.folder, name);
      if (type === 'folder' && !(root && isBelow(resolve(String(path)), root, sep)))
        here.in('path').error(ownPart(root, 'folder', 'folder: /srv/archives'));
      const own = settings.bucket && `bucket: ${settings.bucket}, prefix: ${name}`;
      const isOwn =
        bucket === settings.bucket && isBelow(posix.join('/', String(prefix ?? '')), `/${name}`, '/');
      if (type === 'email' && !settings.ses)
        here
          .in('type')
          .error(
            `a client must use its own mail server (type: smtp), unless the operator sets clients: {ses: true} in ${operatorFile}`,
          );
      if (type === 's3' && !(own && isOwn))
        here.in('bucket').error(ownPart(own, 'part of the bucket', 'bucket: NAME'));
    }
  }
  const { fonts } = isMap(written.pdf) ? written.pdf : {};
  for (const [index, font] of Array.isArray(fonts) ? fonts.entries() : [])
    if (!(folder && isBelow(resolve(String(font)), folder, sep)))
      at.in('pdf', 'fonts', index).error(
        `a client may read only files in its own folder; the operator can set fonts for all clients in ${operatorFile}`,
      );
}

const isBelow = (path: string, folder: string, separator: string): boolean =>
  path === folder || path.startsWith(folder + separator);

const ownPart = (own: string | undefined, what: string, key: string): string =>
  own
    ? `a client may archive only in its own ${what}; write ${own}, or one inside it`
    : `clients cannot have archives unless the operator sets clients: {${key}} in ${operatorFile}`;

/** Makes the parser for the configs of a folder, with the relay's plug-ins and sources. */
export const parserOf =
  (plugins: readonly Plugin[], context: Omit<OutputContext, 'form'>, sources: PluginSources): ParseOne =>
  async (text, { name, pluginFolder: folder, readSibling }, rules) => {
    const { rewrite, env = context.services.env } = rules;
    const checkPlatform = async (config: unknown, at: Diagnostics) => {
      rules.check(config, at);
      await sources.checkPlatform?.(config, at);
    };
    const own = { ...sources, plugins: { ...sources.plugins, folder }, checkPlatform, rewrite };
    // Mails can be sent by keys other than outputs, so SES itself is blocked.
    const ses: Services['ses'] = rules.sendsBySes
      ? context.services.ses
      : () => Promise.reject(fail('the operator does not allow clients to send through Amazon SES'));
    const services = { ...context.services, env, ses };
    const read = await parseConfig(text, name, plugins, { ...context, services }, own, readSibling);
    if (!read.ok) return read;
    const warnings = async () => (await read.value.warnings()).filter(({ path }) => rules.says(path));
    return ok({ ...read.value, warnings });
  };

/** `rules`: the rules for a client, or those for the operator, who may read any variable. */
export type ParseOne = (
  text: string,
  source: Omit<ConfigSource, 'read'>,
  rules: Omit<ClientRules, 'env'> & Partial<ClientRules>,
) => Promise<ParseResult>;
