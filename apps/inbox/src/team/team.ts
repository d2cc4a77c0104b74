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
import type { Access } from '../server/options.ts';
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
  removed,
  rightsOf,
  stranger,
  tooMany,
  turnedOff,
  wrongHost,
} from './identity.ts';
import { createLinkSignIn, linkPath } from './link_sign_in.ts';
import { json, page, redirect, type Ways } from './pages.ts';
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
  /** Which proxies may say from where a request comes: the relay's settings. */
  readonly proxies: Proxies;
  /** Absent: nobody can be invited, and a restart signs everybody out. */
  readonly accounts?: Accounts | undefined;
  /** Sends the links. */
  readonly outbox?: Outbox | undefined;
  /** The folder of the audit log, unless the config names one. */
  readonly auditFolder?: string | undefined;
}

type Head = Pick<RelayRequest, 'method' | 'path' | 'query' | 'headers' | 'peerAddress'>;

/** People who sign in, and what they may do. */
export interface Team {
  /** The member who sent the request; or the answer, if nobody is signed in yet. To be called first, for every request. */
  person(request: RelayRequest): Promise<Member | Answer>;
  /** Whether a `Host` is this inbox's. */
  isOwnHost(host: string): boolean;
  /** Call before the act, and before showing an entry. Rejects with `AuditFailed` if it cannot be recorded. */
  audit(person: Person, what: Audited, about?: AuditedThing): Promise<void>;
  /** Absent without a store. */
  readonly access: Access | undefined;
}

/** How often one client may come back from the provider. */
const clientLimit = { most: 20, withinMs: 60_000 };
/** How often one client may ask for links; those of unknown address together. */
const askLimit = { most: 10, withinMs: 60_000 };
const unknownAskLimit = { most: 120, withinMs: 60_000 };
/** How many links go to one address that one client asks for, so that it cannot keep somebody out; and that all ask for. */
const addressLimit = { most: 3, withinMs: 900_000 };
const addressLimitOfAll = { most: 12, withinMs: 900_000 };
/** Clients of unknown address take turns: with a limit over a time, one that makes up codes could lock out the others. */
const unknownAtOnce = 4;
const unknownWaiting = 64;

/** @param latest The `inbox` of the config as it is now, so that a change holds from the next request on. */
export function createTeam(latest: () => InboxSettings | undefined, effects: TeamEffects): Team {
  const { now, log, proxies, accounts, outbox } = effects;
  const first = latest();
  if (!first) throw new Error('the config has no inbox');
  let last = first;
  const settings = () => {
    last = latest() ?? last;
    return last;
  };
  const limits = () => {
    const { for: forMs, idle: idleMs } = settings().sessions;
    return { forMs, idleMs };
  };
  const sessions = createSessions(now, limits, accounts?.tables);
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
    // A mailbox must not replace the provider that the config asks for.
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

  const memberOf = (identity: Identity, secret: string): Member | undefined => {
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

  // The inbox itself speaks no TLS.
  if (first.url.protocol === 'https:' && !proxies.trustedProxies) unknownBehindProxy();

  /** @param client Its network; `undefined`: it is unknown. */
  const clientOf = (request: Head) => {
    const from = readClient(request, proxies);
    const client = 'address' in from ? clientNetwork(from.address) : undefined;
    if (client === undefined && request.headers[proxies.proxyHeader]) unknownBehindProxy();
    return client;
  };

  /** Signs in somebody for whom the provider or a mail vouches. */
  const enter = async (identity: Identity, { headers }: Head): Promise<Answer> => {
    const { url, sessions: limits } = settings();
    const cookies = cookiesOf(url);
    const answer = (refusal: Refusal) => page(refusal, ways(), [cookies.clear('sign-in')]);
    const { name, subject, email, hasGroupsLeftOut, issuer } = identity;
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
      return answer(
        issuer === byMail ? removed(name) : stranger(name, email !== undefined, hasGroupsLeftOut),
      );
    }
    sessions.end(cookies.read('inbox', headers.cookie) ?? '');
    const secret = sessions.begin(identity, headers['user-agent']);
    return redirect('/', [cookies.write('inbox', secret, limits.for), cookies.clear('sign-in')]);
  };

  /** Lets a client bring a code, which goes to the provider. Returns how to leave. */
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

  /** Asking for links is limited: each sends a mail. */
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

  const signOut = async ({ headers }: Head): Promise<Answer> => {
    const cookies = cookiesOf(settings().url);
    const identity = sessions.end(cookies.read('inbox', headers.cookie) ?? '');
    const cleared = [cookies.clear('inbox')];
    if (!identity) return redirect('/', cleared);
    const { name: who, subject, idToken } = identity;
    // Signing out must always work; a missing line is in the log.
    await record({ who, subject, what: 'signed_out' }).catch(() => undefined);
    accounts?.lost();
    const to = (idToken ? await provider.endAddress(idToken) : undefined)?.href ?? '/';
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
      const { name, email, hasGroupsLeftOut, issuer } = session.identity;
      const refusal =
        issuer === byMail ? removed(name) : stranger(name, email !== undefined, hasGroupsLeftOut);
      return isApi(path) ? inJson(refusal) : page(refusal, { canSignOut: true });
    },
    access: accounts && {
      ...{ accounts, sessions, settings: latest, now },
      secretOf: ({ headers }) => cookiesOf(settings().url).read('inbox', headers.cookie) ?? '',
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

const isApi = (path: string) => path.startsWith('/api/');

const inJson = ({ status, words }: Refusal) => json(status, { error: words });
