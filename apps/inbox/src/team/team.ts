import { type Proxies, readClient } from '@form-relay/base/client';
import { clientNetwork } from '@form-relay/base/networks';
import { createRates } from '@form-relay/base/rates';
import { parseUrl } from '@form-relay/base/url';
import type { RelayRequest } from '@form-relay/core/http/request';
import type { Log } from '@form-relay/core/services';
import type { InboxSettings } from '@form-relay/stored/inbox_key';
import {
  type Answer,
  type Audited,
  type AuditedThing,
  AuditFailed,
  createGate,
  createOnset,
  type Member,
  type Person,
} from '../gate.ts';
import { isForged } from '../server/answer.ts';
import { createAuditLog } from './audit.ts';
import type { Identity } from './identity.ts';
import {
  callbackPath,
  createProvider,
  type Failure,
  type ProviderEffects,
  pageHeaders,
  signInPage,
} from './provider.ts';
import {
  busy,
  forged,
  notBegun,
  type Refusal,
  type Rights,
  refusalOf,
  rightsOf,
  stranger,
  tooMany,
  turnedOff,
  wrongHost,
} from './rights.ts';
import { cookiesOf, createSealedCookie, createSessions, pendingMs } from './sessions.ts';

export interface TeamEffects extends ProviderEffects {
  readonly log: Log;
  /** Which proxies may say from where a request comes: the relay's settings. */
  readonly proxies: Proxies;
}

/** A request without its body, which a sign-in never reads. */
export type TeamRequest = Pick<RelayRequest, 'method' | 'path' | 'query' | 'headers' | 'peerAddress'>;

/** People who sign in, and what they may do. */
export interface Team {
  /** The member who sent the request; or the answer, if nobody is signed in yet. To be called first, for every request. */
  person(request: TeamRequest): Promise<Member | Answer>;
  /** Whether a `Host` is this inbox's. */
  isOwnHost(host: string): boolean;
  /** Call before the act, and before showing an entry. Rejects with `AuditFailed` if it cannot be recorded. */
  audit(person: Person, what: Audited, about?: AuditedThing): Promise<void>;
}

/** How often one client may come back from the provider. */
const clientLimit = { most: 20, withinMs: 60_000 };
/** Clients of unknown address take turns: with a limit over a time, one that makes up codes could lock out the others. */
const unknownAtOnce = 4;
const unknownWaiting = 64;

/** @param latest The `inbox` of the config as it is now, so that a change holds from the next request on. */
export function createTeam(latest: () => InboxSettings | undefined, effects: TeamEffects): Team {
  const { now, log, proxies } = effects;
  const first = latest();
  if (!first) throw new Error('the config has no inbox');
  let last = first;
  const settings = () => {
    last = latest() ?? last;
    return last;
  };
  const provider = createProvider(settings, effects);
  const sessions = createSessions(now, () => {
    const { for: forMs, idle: idleMs } = settings().sessions;
    return { forMs, idleMs };
  });
  const sealed = createSealedCookie(now);
  const records = createAuditLog(() => settings().audit, now);
  const attempts = createRates(now);
  const isOnset = createOnset(now);
  const unknown = createGate(unknownAtOnce, unknownWaiting);
  const host = () => settings().sign_in.issuer.host;

  const rights = ({ email, groups, issuer }: Identity) => {
    const { sign_in, people } = settings();
    if (!latest() || new URL(issuer).href !== sign_in.issuer.href) return undefined;
    return rightsOf(people, { email, groups });
  };

  const record = async (line: Parameters<typeof records.write>[0]) => {
    try {
      await records.write(line);
    } catch (error) {
      log('error', 'audit_failed', { reason: (error as NodeJS.ErrnoException).code ?? 'unknown' });
      throw new AuditFailed();
    }
  };

  const memberOf = (identity: Identity, secret: string): Member | undefined => {
    const own = rights(identity);
    if (!own) return undefined;
    const { name, subject } = identity;
    const isStill = () => {
      const now = rights(identity);
      return sessions.look(secret) !== undefined && now !== undefined && sameForms(own, now);
    };
    return { ...own, name, subject, canSignOut: true, isStill };
  };

  const loggedAt = new Map<string, number>();
  /** Anybody can fail to sign in, so each reason is logged at most once a minute. */
  const failed = (failure: Failure | 'stranger' | 'too_many') => {
    if (Math.abs(now() - (loggedAt.get(failure) ?? -Infinity)) < 60_000) return;
    loggedAt.set(failure, now());
    const missing = failure === 'secret_missing' && { variable: settings().sign_in.client_secret_env };
    log('warn', 'sign_in_failed', { provider: host(), reason: failure, ...missing });
  };

  let isProxyLogged = false;
  const unknownBehindProxy = () => {
    if (isProxyLogged) return;
    isProxyLogged = true;
    const reason = proxies.trustedProxies
      ? 'a proxy that TRUSTED_PROXIES does not name, or that does not say whom it speaks for, is in front of the inbox'
      : 'a proxy is in front of the inbox, and TRUSTED_PROXIES is not set';
    log('warn', 'inbox_clients_unknown', { reason });
  };

  const tooOften = async (client = 'a client whose address is unknown') => {
    failed('too_many');
    const line = { who: client, subject: '', what: 'limited', limit: 'sign_in' } as const;
    if (isOnset(client)) await record(line).catch(() => undefined);
  };

  // The inbox itself speaks no TLS.
  if (first.url.protocol === 'https:' && !proxies.trustedProxies) unknownBehindProxy();

  const begin = async (): Promise<Answer> => {
    const begun = await provider.begin();
    if (!begun.ok) {
      failed(begun.error);
      return page(refusalOf(begun.error, host()), host());
    }
    const { address, pending } = begun.value;
    const cookie = cookiesOf(settings().url).write('sign-in', sealed.seal(pending), pendingMs);
    return redirect(address.href, [cookie]);
  };

  const finish = async (request: TeamRequest): Promise<Answer> => {
    const { url, sessions: limits } = settings();
    const cookies = cookiesOf(url);
    const answer = (refusal: Refusal) => page(refusal, host(), [cookies.clear('sign-in')]);
    const pending = sealed.open(cookies.read('sign-in', request.headers.cookie) ?? '');
    if (!pending || new URLSearchParams(request.query).get('state') !== pending.state) {
      return answer(notBegun);
    }
    // The provider gets a request only from here on.
    const from = readClient(request, proxies);
    const client = 'address' in from ? clientNetwork(from.address) : undefined;
    if (client === undefined && request.headers[proxies.proxyHeader]) unknownBehindProxy();
    const mayAsk =
      client === undefined ? await unknown.enter() : !('waitMs' in attempts.take(client, clientLimit));
    if (!mayAsk) {
      await tooOften(client);
      return page(client === undefined ? busy : tooMany, host());
    }
    const found = await provider.finish(request.query, pending).finally(() => {
      if (client === undefined) unknown.leave();
    });
    if (!found.ok) {
      failed(found.error);
      return answer(refusalOf(found.error, host()));
    }
    const identity = found.value;
    const { name, subject, email, hasGroupsLeftOut } = identity;
    const isMember = rights(identity) !== undefined;
    try {
      await record({
        who: name,
        subject,
        what: isMember ? 'signed_in' : 'refused',
        ...(!isMember && { why: 'no rights' }),
      });
    } catch {
      return answer({ status: 503, words: new AuditFailed().message });
    }
    if (!isMember) {
      failed('stranger');
      return answer(stranger(name, email !== undefined, hasGroupsLeftOut));
    }
    sessions.end(cookies.read('inbox', request.headers.cookie) ?? '');
    const secret = sessions.begin(identity);
    return redirect('/', [cookies.write('inbox', secret, limits.for), cookies.clear('sign-in')]);
  };

  const signOut = async ({ headers }: TeamRequest): Promise<Answer> => {
    const cookies = cookiesOf(settings().url);
    const identity = sessions.end(cookies.read('inbox', headers.cookie) ?? '');
    const cleared = [cookies.clear('inbox')];
    if (!identity) return redirect('/', cleared);
    const { name: who, subject, idToken } = identity;
    // Signing out must always work; a missing line is in the log.
    await record({ who, subject, what: 'signed_out' }).catch(() => undefined);
    const to = (await provider.endAddress(idToken))?.href ?? '/';
    return headers.accept?.includes('text/html')
      ? redirect(to, cleared)
      : json(200, { to }, { 'set-cookie': cleared });
  };

  return {
    async person(request) {
      const { method, path, headers } = request;
      const refuse = (refusal: Refusal) => (isApi(path) ? inJson(refusal) : page(refusal));
      const { url } = settings();
      if (!isForHost(headers.host, url)) return refuse(wrongHost);
      if (isForged(request, (origin) => origin === url.origin)) return refuse(forged);
      if (!latest()) return refuse(turnedOff);
      if (path === callbackPath && method === 'GET') return finish(request);
      if (path === '/sign-in' && method === 'POST') return begin();
      if (path === '/api/sign-out' && method === 'POST') return signOut(request);
      const secret = cookiesOf(url).read('inbox', headers.cookie) ?? '';
      const session = sessions.use(secret);
      if (!session) {
        const unauthorized = { status: 401, words: 'Sign in to see what came in.' };
        return isApi(path) ? inJson(unauthorized) : page(unauthorized, host());
      }
      const member = memberOf(session.identity, secret);
      if (member) return member;
      const { name, email, hasGroupsLeftOut } = session.identity;
      const refusal = stranger(name, email !== undefined, hasGroupsLeftOut);
      return isApi(path) ? inJson(refusal) : page(refusal, undefined, [], true);
    },
    isOwnHost: (host) => isForHost(host, settings().url),
    audit: (person, what, about = {}) =>
      record({
        who: person.name,
        subject: person.subject ?? '',
        what,
        ...about,
      }),
  };
}

/** A foreign name can lead to this address, too (DNS rebinding). */
const isForHost = (host = '', url: URL): boolean =>
  /^[\w.:[\]-]+$/.test(host) && parseUrl(`${url.protocol}//${host}`)?.host === url.host;

/** Whether somebody may read the same forms as before. */
const sameForms = ({ forms: one }: Rights, { forms: other }: Rights): boolean =>
  one === other || (one?.size === other?.size && [...(one ?? [])].every((form) => other?.has(form)));

const isApi = (path: string) => path.startsWith('/api/');

const page = (
  { status, words }: Refusal,
  provider?: string,
  cookies: readonly string[] = [],
  canSignOut = false,
): Answer => ({
  status,
  headers: { ...pageHeaders, ...(cookies.length > 0 && { 'set-cookie': cookies }) },
  body: signInPage(words, { provider, canSignOut }),
});

const json = (status: number, value: object, headers: Answer['headers'] = {}): Answer => ({
  status,
  headers: {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  },
  body: JSON.stringify(value),
});

const inJson = ({ status, words }: Refusal) => json(status, { error: words });

const redirect = (to: string, cookies: readonly string[]): Answer => ({
  status: 303,
  headers: { ...pageHeaders, location: to, 'set-cookie': cookies },
  body: '',
});
