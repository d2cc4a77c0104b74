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
  type Person,
} from '../gate.ts';
import { isForged, json, type Request, refuse } from '../server/answer.ts';
import type { InboxOptions } from '../server/options.ts';
import type { Outbox } from '../store/outbox.ts';
import { createAuditLog } from './access.ts';
import type { Accounts } from './accounts.ts';
import {
  busy,
  byMail,
  forged,
  type Identity,
  identityOfMail,
  noWay,
  type Refusal,
  rightsOf,
  tooMany,
  turnedOff,
  withoutRights,
  wrongHost,
} from './identity.ts';
import { createLinkSignIn, linkPath } from './link_sign_in.ts';
import { page, redirect, type Ways } from './pages.ts';
import {
  callbackPath,
  createProvider,
  createProviderSignIn,
  type Failure,
  type ProviderEffects,
} from './provider.ts';
import { cookiesOf, createSessions } from './sessions.ts';

export interface TeamEffects extends ProviderEffects {
  readonly log: Log;
  /** The relay's trusted proxies, whose client addresses are believed. */
  readonly proxies: Proxies;
  /** Absent: nobody can be invited, and a restart signs everybody out. */
  readonly accounts?: Accounts | undefined;
  readonly outbox?: Outbox | undefined;
  /** The default folder of the audit log. */
  readonly auditFolder?: string | undefined;
}

/** How many times one client may return from the provider. */
const clientLimit = { most: 20, withinMs: 60_000 };
/** How many times one client may ask for links; clients without an address share a limit. */
const askLimit = { most: 10, withinMs: 60_000 };
const unknownAskLimit = { most: 120, withinMs: 60_000 };
/** Links to one address: requested by one client, which must not lock the person out, and by all. */
const addressLimit = { most: 3, withinMs: 900_000 };
const addressLimitOfAll = { most: 12, withinMs: 900_000 };
/** Clients without an address take turns: with a rate limit, made-up codes could lock out all others. */
const unknownAtOnce = 4;
const unknownWaiting = 64;

/** @param latest The current `inbox` settings, so that a change applies from the next request. */
export function createTeam(
  latest: () => InboxSettings | undefined,
  effects: TeamEffects,
): Pick<InboxOptions, 'person' | 'isOwnHost' | 'access'> & Required<Pick<InboxOptions, 'audit'>> {
  const { now, log, proxies, accounts, outbox } = effects;
  const first = latest();
  if (!first) throw new Error('the config has no inbox');
  let last = first;
  const settings = () => {
    last = latest() ?? last;
    return last;
  };
  const sessions = createSessions(now, () => settings().sessions, accounts?.tables);
  const records = createAuditLog(() => settings().audit ?? effects.auditFolder ?? '', now);
  const attempts = createRates(now);
  const isOnset = createOnset(now);
  const unknown = createGate(unknownAtOnce, unknownWaiting);
  const host = () => settings().sign_in?.issuer.host ?? 'The provider';
  const ways = (): Ways => ({
    provider: settings().sign_in?.issuer.host,
    hasLinks: accounts !== undefined && outbox?.carrier() !== undefined,
  });

  const rights = ({ email, groups, issuer }: Identity) => {
    const { sign_in, people = [] } = settings();
    const isByMail = issuer === byMail;
    if (!latest() || (!isByMail && new URL(issuer).href !== sign_in?.issuer.href)) return undefined;
    const invited = email === undefined ? undefined : accounts?.find(email);
    // Signing in by mail must not bypass the provider that the config requires.
    const named = isByMail && sign_in ? [] : people;
    return rightsOf([...named, ...(invited ? [invited] : [])], { email, groups });
  };

  const record = async (line: Parameters<typeof records.write>[0]) => {
    try {
      await records.write(line);
    } catch (error) {
      log('error', 'audit_failed', { reason: (error as NodeJS.ErrnoException).code ?? 'unknown' });
      throw new AuditFailed();
    }
  };

  const memberOf = (identity: Identity, secret: string): Person | undefined => {
    const own = rights(identity);
    if (!own) return undefined;
    const { name, subject } = identity;
    const isStill = () => {
      const now = rights(identity);
      return sessions.look(secret) !== undefined && now?.print === own.print;
    };
    return { ...own, name, subject, canSignOut: true, isStill };
  };

  const loggedAt = new Map<string, number>();
  /** Anybody can fail to sign in, so each reason is logged at most once a minute. */
  const failed = (failure: Failure | 'stranger' | 'too_many') => {
    if (Math.abs(now() - (loggedAt.get(failure) ?? -Infinity)) < 60_000) return;
    loggedAt.set(failure, now());
    const missing = failure === 'secret_missing' && { variable: settings().sign_in?.client_secret_env };
    log('warn', 'sign_in_failed', { provider: host(), reason: failure, ...missing });
  };

  let isProxyLogged = false;
  const unknownBehindProxy = () => {
    if (isProxyLogged) return;
    isProxyLogged = true;
    const reason = proxies.trustedProxies
      ? "a proxy in front of the inbox is not listed in TRUSTED_PROXIES, or does not send the client's address"
      : 'a proxy is in front of the inbox, and TRUSTED_PROXIES is not set';
    log('warn', 'inbox_clients_unknown', { reason });
  };

  const tooOften = async (client = 'an unknown client address') => {
    failed('too_many');
    const line = { who: client, subject: '', what: 'limited', limit: 'sign_in' } as const;
    if (isOnset(client)) await record(line).catch(() => undefined);
  };

  // The inbox itself does not serve TLS.
  if (first.url.protocol === 'https:' && !proxies.trustedProxies) unknownBehindProxy();

  /** @param client The client's network; `undefined` if it is unknown. */
  const clientOf = (request: Request) => {
    const from = readClient(request, proxies);
    const client = 'address' in from ? clientNetwork(from.address) : undefined;
    if (client === undefined && request.headers[proxies.proxyHeader]) unknownBehindProxy();
    return client;
  };

  /** Signs in a person who was authenticated by the provider or a mail. */
  const enter = async (identity: Identity, { headers }: Request): Promise<Answer> => {
    const { url, sessions: limits } = settings();
    const cookies = cookiesOf(url);
    const answer = (refusal: Refusal) => page(refusal, ways(), [cookies.clear('sign-in')]);
    const { name, subject } = identity;
    const isMember = rights(identity) !== undefined;
    try {
      const outcome = isMember
        ? ({ what: 'signed_in' } as const)
        : ({ what: 'refused', why: 'no rights' } as const);
      await record({ who: name, subject, ...outcome });
    } catch {
      return answer({ status: 503, words: new AuditFailed().message });
    }
    if (!isMember) {
      failed('stranger');
      return answer(withoutRights(identity));
    }
    sessions.end(cookies.read('inbox', headers.cookie) ?? '');
    const secret = sessions.begin(identity, headers['user-agent']);
    return redirect('/', [cookies.write('inbox', secret, limits.for), cookies.clear('sign-in')]);
  };

  /** Admits a client with a code for the provider. Returns a function that releases the slot. */
  const admit = async (request: RelayRequest): Promise<(() => void) | Answer> => {
    const client = clientOf(request);
    if (client === undefined ? await unknown.enter() : !('waitMs' in attempts.take(client, clientLimit)))
      return client === undefined ? unknown.leave : () => {};
    await tooOften(client);
    return page(client === undefined ? busy : tooMany, ways());
  };
  const provider = createProvider(settings, effects);
  const byProvider = createProviderSignIn({
    ...{ provider, now, ways, host, admit, enter, failed },
    cookies: () => cookiesOf(settings().url),
  });

  const byLink =
    accounts &&
    createLinkSignIn({
      accounts,
      outbox,
      url: () => settings().url,
      cookies: () => cookiesOf(settings().url),
      ways,
      isKnown: (email) => rights(identityOfMail(email)) !== undefined,
      waitMs: (email, request) => {
        const own = attempts.take(`link ${email} ${clientOf(request)}`, addressLimit);
        const taken = 'waitMs' in own ? own : attempts.take(`link ${email}`, addressLimitOfAll);
        return 'waitMs' in taken ? taken.waitMs : 0;
      },
      enter,
      failed: (why) => log('warn', 'sign_in_failed', { reason: 'mail_failed', why }),
    });

  /** Asking for links is rate-limited, because each sends a mail. */
  const openLink = async (request: RelayRequest): Promise<Answer | undefined> => {
    if (!byLink) return undefined;
    if (request.method === 'POST') {
      const client = clientOf(request);
      const taken = attempts.take(`ask ${client}`, client === undefined ? unknownAskLimit : askLimit);
      if ('waitMs' in taken) {
        await tooOften(client);
        return page(client === undefined ? busy : tooMany);
      }
    }
    return byLink(request);
  };

  const signOut = async ({ headers }: Request): Promise<Answer> => {
    const cookies = cookiesOf(settings().url);
    const identity = sessions.end(cookies.read('inbox', headers.cookie) ?? '');
    const cleared = [cookies.clear('inbox')];
    if (!identity) return redirect('/', cleared);
    const { name: who, subject, idToken } = identity;
    // Signing out must always work; the log reports a missing audit line.
    await record({ who, subject, what: 'signed_out' }).catch(() => undefined);
    accounts?.lost();
    const to = (idToken ? await provider.endAddress(idToken) : undefined)?.href ?? '/';
    return headers.accept?.includes('text/html')
      ? redirect(to, cleared)
      : json({ to }, 200, { 'set-cookie': cleared });
  };

  return {
    /** The person who sent the request, or the answer that asks for signing in. Call this first. */
    async person(request: RelayRequest): Promise<Person | Answer> {
      const { method, path, headers } = request;
      const reject = (refusal: Refusal) => (isApi(path) ? inJson(refusal) : page(refusal));
      const { url } = settings();
      if (!isForHost(headers.host, url)) return reject(wrongHost);
      if (isForged(request, (origin) => origin === url.origin)) return reject(forged);
      if (!latest()) return reject(turnedOff);
      if (path === callbackPath && method === 'GET') return byProvider.finish(request);
      if (path === '/sign-in' && method === 'POST' && settings().sign_in) return byProvider.begin();
      if (path === linkPath) {
        const answer = await openLink(request);
        if (answer) return answer;
      }
      if (path === '/api/sign-out' && method === 'POST') return signOut(request);
      const secret = cookiesOf(url).read('inbox', headers.cookie) ?? '';
      const session = sessions.use(secret);
      if (!session) {
        const { provider, hasLinks } = ways();
        const canSignIn = provider !== undefined || hasLinks;
        const unauthorized = canSignIn ? { status: 401, words: 'Sign in to read submissions.' } : noWay;
        return isApi(path) ? inJson(unauthorized) : page(unauthorized, ways());
      }
      const member = memberOf(session.identity, secret);
      if (member) return member;
      const refusal = withoutRights(session.identity);
      return isApi(path) ? inJson(refusal) : page(refusal, { canSignOut: true });
    },
    /** Absent without a store. */
    access: accounts && {
      ...{ accounts, sessions, settings: latest, now },
      secretOf: ({ headers }: Request) => cookiesOf(settings().url).read('inbox', headers.cookie) ?? '',
    },
    isOwnHost: (host: string) => isForHost(host, settings().url),
    /** Call before acting or showing an entry. Rejects with `AuditFailed` if writing the line fails. */
    audit: (person: Person, what: Audited, about: AuditedThing = {}) =>
      record({ who: person.name, subject: person.subject ?? '', what, ...about }),
  };
}

/** A foreign host name can resolve to this address, too (DNS rebinding). */
const isForHost = (host = '', url: URL): boolean =>
  /^[\w.:[\]-]+$/.test(host) && parseUrl(`${url.protocol}//${host}`)?.host === url.host;

const isApi = (path: string) => path.startsWith('/api/');

const inJson = ({ status, words }: Refusal) => refuse(status, words);
