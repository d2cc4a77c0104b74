/** "Connect mail": signs in to a mail server, sends a test mail, and has secrets written to `.env`. */

import { createHash, randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { dirname } from 'node:path';
import { domainOf } from '@form-relay/base/address';
import { type Finding, failure } from '@form-relay/base/finding';
import { ok, type Result } from '@form-relay/base/result';
import { withTimeout } from '@form-relay/base/with_timeout';
import {
  accountAt,
  type MailService,
  mailAccounts,
  serviceOfHost,
  serviceOfMailbox,
} from '@form-relay/clients/smtp/mail_services';
import type { FormOutput, RelayRequest, RelayResponse, Services } from '@form-relay/core/index';
import type { Environment } from '@form-relay/core/settings';
import { makeTest } from '@form-relay/dry-run/test_values';
import { inspectConfig, ownServices } from '@form-relay/runtimes/inspect';
import { mailConfig } from '@form-relay/starters/mail_config';
import { json, nothing } from './answers.ts';
import type { ConfigFile, LiveConfig } from './live_config.ts';
import type { Connected, Guessed } from './state.ts';
import { refuseOthers } from './studio_server.ts';

export const connectPath = '/studio/connect/';

/** Writes variables into the `.env` next to the config and into the environment. Returns the path. */
export type SaveSecrets = (values: Readonly<Record<string, string>>) => Promise<Result<string, string>>;

interface ConnectOptions {
  readonly config: LiveConfig;
  readonly file: ConfigFile;
  readonly env: Environment;
  readonly services: Partial<Services>;
  readonly now: () => number;
  /** `undefined` if there is no folder for a `.env`. */
  readonly saveSecrets: SaveSecrets | undefined;
  /** Reloads the config with its new variables. */
  readonly startOver: () => Promise<void>;
}

/** The page's request. `values`: variables typed by the owner, which no answer repeats. */
interface Asked {
  readonly form: string;
  readonly output: number;
  readonly values: Readonly<Record<string, string>>;
  /** Saves them even if the server rejected them. */
  readonly anyway: boolean;
}

/** A slower server could not accept visitors' mails in time either. */
const limitMs = 8_000;

/** Answers `POST /studio/connect/…`. */
export function createConnecting(options: ConnectOptions) {
  const { config, file, env, services, now, saveSecrets, startOver } = options;
  const refusals = new Refusals(now);

  const source = () => ({
    name: file.name,
    ...(file.path !== undefined && { pluginFolder: dirname(file.path) }),
    read: async () => ok(config.text),
    readSibling: file.readSibling,
  });

  /** The output in the current draft, with these variables. */
  const opened = async ({ form, output, values }: Asked, tried: NodeJS.ProcessEnv) => {
    const own = ownServices(tried);
    const { probes } = { ...own, ...services };
    const context = { ...own, ...services, probes, env: own.env };
    const parsed = await inspectConfig(config.text, source(), {
      services: context,
      mailFromAddress: tried.MAIL_FROM_ADDRESS,
    });
    if (!parsed.ok) return 'the config does not load: correct the marked line first';
    const found = parsed.value.forms.get(form);
    const one = found?.outputs[output];
    if (!found || !one || !isMail(one)) return 'the form no longer has this mail output';
    const stray = Object.keys(values).find((name) => !variablesOf(one).has(name));
    return stray === undefined
      ? { form: found, output: one }
      : `the output has no setting ${stray}: choose the provider again`;
  };

  /** Signs in without sending a mail. */
  const signIn = async ({ transport }: FormOutput): Promise<readonly Finding[]> => {
    const subject = transport?.target ?? '';
    const call = { timeoutMs: limitMs, signal: AbortSignal.timeout(limitMs), writes: false };
    const late = () => [
      failure(subject, `not done within ${limitMs / 1000} s`, 'Check the host and port, then try again.'),
    ];
    return withTimeout(limitMs + 500, transport?.probe?.(call) ?? Promise.resolve([]), late);
  };

  const save = async ({ values }: Asked): Promise<Pick<Connected, 'saved' | 'trouble'>> => {
    if (Object.keys(values).length === 0) return {};
    const saved = await saveSecrets?.(values);
    if (!saved?.ok) return { trouble: saved?.error ?? 'the studio has no folder for a .env' };
    await startOver();
    return { saved: Object.keys(values) };
  };

  const check = async (asked: Asked): Promise<Connected> => {
    const found = await opened(asked, { ...env, ...asked.values });
    if (typeof found === 'string') return { findings: [], trouble: found };
    if (asked.anyway) return { findings: [], ...(await save(asked)) };
    const login = loginOf(found.output, asked.values);
    const wait = refusals.wait(login);
    if (wait !== undefined) return { findings: [], trouble: wait };
    const findings = await signIn(found.output);
    const isIn = findings.every(({ level }) => level !== 'failure');
    refusals.note(
      login,
      isIn,
      findings.map(({ says }) => says),
    );
    return { findings: findings.map(shown), ...(isIn ? await save(asked) : { canSave: canSave(asked) }) };
  };

  const test = async (asked: Asked): Promise<Connected> => {
    const found = await opened(asked, { ...env });
    if (typeof found === 'string') return { findings: [], trouble: found };
    const { form, output } = found;
    const login = loginOf(output, {});
    const wait = refusals.wait(login);
    if (wait !== undefined) return { findings: [], trouble: wait };
    const made = await makeTest(
      form,
      { only: new Set([asked.output]) },
      { source: source(), env: { ...env }, services },
    );
    if (!made.ok) return { findings: [], trouble: made.error };
    const [sent] = (await made.value.send()).outputs;
    if (!sent) return { findings: [], trouble: 'the form no longer has this mail output' };
    refusals.note(login, sent.result === 'delivered', [sent.says]);
    const { result, says, remedy, to, target, warnings } = sent;
    const finding = (level: Finding['level'], words: string) => ({ level, subject: target, says: words });
    if (result !== 'delivered') {
      const failed = finding(result === 'failed' ? 'failure' : 'warning', says || 'nothing was sent');
      return { findings: [{ ...failed, ...(remedy && { remedy }) }] };
    }
    const where = to.length > 0 ? ` to ${to.join(', ')}` : '';
    const sentTo = finding('ok', `the test was sent${where}${says === '' ? '' : `: ${says}`}`);
    return { findings: [sentTo, ...warnings.map((text) => finding('warning', text))] };
  };

  const acts: Readonly<Record<string, (asked: Asked) => Promise<Connected>>> = { check, test };

  return async (request: RelayRequest): Promise<RelayResponse> => {
    const name = request.path.slice(connectPath.length);
    const refusal = refuseOthers(request);
    if (refusal) return refusal;
    const sent = jsonIn(request.body);
    if (name === 'guess') return json(await guess(String(sent.address ?? '')));
    const act = Object.hasOwn(acts, name) ? acts[name] : undefined;
    if (!act) return nothing(404);
    return json(await act(askedIn(sent)));
  };
}

const canSave = ({ values }: Asked) => Object.keys(values).length > 0;

/** Copies only these keys, because a finding may have others. */
export const shown = ({ level, subject = '', says, remedy }: Finding): Connected['findings'][number] => ({
  level,
  subject,
  says,
  ...(remedy && { remedy }),
});

export function jsonIn(body: Uint8Array | undefined): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(Buffer.from(body ?? []).toString('utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function askedIn({ form, output, values, anyway }: Readonly<Record<string, unknown>>): Asked {
  const entries = typeof values === 'object' && values !== null ? Object.entries(values) : [];
  return {
    form: String(form ?? ''),
    output: Number(output),
    values: Object.fromEntries(
      entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== ''),
    ),
    anyway: anyway === true,
  };
}

const isMail = ({ transport }: FormOutput): boolean => /^(smtp|ses)$/.test(transport?.protocol ?? '');

/** Variables that an owner may set for a mail output: those it names, and others its provider needs. */
export function variablesOf({ type, templates, transport }: FormOutput): ReadonlySet<string> {
  const host = transport?.target?.replace(/:\d+$/, '') ?? '';
  return new Set([
    ...templates.flatMap(({ template }) => [...template.envNames]),
    ...(type === 'email' ? mailConfig('ses').variables.map(({ name }) => name) : []),
    ...(accountAt(host)?.wantsEhloName ? ['SMTP_EHLO_NAME'] : []),
  ]);
}

interface LoginTried {
  readonly server: string;
  readonly secret: string;
}

const loginOf = ({ transport, templates }: FormOutput, values: Asked['values']): LoginTried => ({
  server: [transport?.target, ...templates.map(({ path, template }) => `${path.at(-1)}=${template.source}`)]
    .filter((part, index) => index === 0 || /^username=/.test(part ?? ''))
    .join(' '),
  secret: JSON.stringify(values),
});

/** Counts consecutive wrong passwords, because providers lock accounts after too many. Stores only hashes. */
class Refusals {
  readonly #now: () => number;
  readonly #salt = randomBytes(16);
  readonly #by = new Map<string, { count: number; at: number; readonly secrets: Set<string> }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  #hash = (text: string) => createHash('sha256').update(this.#salt).update(text).digest('base64url');

  /** Why this login is not tried now. */
  wait({ server, secret }: LoginTried): string | undefined {
    const known = this.#by.get(server);
    if (!known) return undefined;
    if (secret !== '{}' && known.secrets.has(this.#hash(secret)))
      return 'The server has just rejected this password. Check it before you try again.';
    const waitMs = known.count < free ? 0 : Math.min(firstMs * 2 ** (known.count - free), mostMs);
    const leftMs = known.at + waitMs - this.#now();
    if (leftMs <= 0) return undefined;
    return `The server has rejected ${known.count} passwords in a row. To avoid locking the account, the next try waits ${inTime(leftMs)}.`;
  }

  note({ server, secret }: LoginTried, isIn: boolean, says: readonly string[]): void {
    if (isIn) this.#by.delete(server);
    if (isIn || !says.some((text) => text.startsWith('authentication refused'))) return;
    const known = this.#by.get(server) ?? { count: 0, at: 0, secrets: new Set<string>() };
    known.count += 1;
    known.at = this.#now();
    known.secrets.add(this.#hash(secret));
    this.#by.set(server, known);
  }
}

/** The number of attempts without a delay. */
const free = 3;
const firstMs = 30_000;
const mostMs = 15 * 60_000;

const inTime = (ms: number): string => {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
};

/** Detects an address's provider by its domain or its mail servers. */
async function guess(address: string): Promise<Guessed> {
  const domain = domainOf(address).toLowerCase();
  if (!/^[^\s@/]+\.[^\s@/]+$/.test(domain)) return {};
  const known = serviceOfMailbox(domain);
  if (known) return guessedOf(known, domain);
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  const found = await withTimeout(
    3_000,
    resolver.resolveMx(domain).catch(() => []),
    () => [],
  );
  resolver.cancel();
  const servers = found
    .toSorted((one, other) => one.priority - other.priority)
    .map(({ exchange }) => exchange.toLowerCase());
  for (const server of servers) {
    const service = serviceOfHost(server);
    if (service?.accounts) return guessedOf(service, server);
  }
  const own = servers.find((server) => server === domain || server.endsWith(`.${domain}`));
  return own === undefined ? {} : { host: own, port: 587 };
}

/** The service's account on a server with the same top-level domain: `smtp.zoho.eu` for `mx.zoho.eu`. */
function guessedOf({ accounts = {} }: MailService, name: string): Guessed {
  const [account] = Object.keys(accounts);
  if (account === undefined) return {};
  const { host = '', otherHosts = [], port } = mailAccounts[account] ?? {};
  const end = /\.[^.]+$/.exec(name)?.[0] ?? '';
  const hosts = [host, ...otherHosts.map(([, other]) => other)];
  return { account, host: hosts.find((one) => one.endsWith(end)) ?? host, ...(port && { port }) };
}
