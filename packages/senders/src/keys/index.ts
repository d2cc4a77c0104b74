import { clientNames } from '@form-relay/base/client';
import { clientNetwork } from '@form-relay/base/networks';
import { createRates } from '@form-relay/base/rates';
import { countingPlace } from '@form-relay/capacity/counters/index';
import { check } from '@form-relay/core/command';
import type {
  Diagnostics,
  Form,
  Middleware,
  Outcome,
  Plugin,
  Rate,
  Rates,
  RequestHead,
  Services,
  Submission,
} from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { guard, refused } from '@form-relay/core/submission';
import { array } from '@form-relay/schema/collections';
import { rate, timeInWords } from '@form-relay/schema/duration';
import { secretVariable } from '@form-relay/schema/scalars';
import { optional, withDefault } from '@form-relay/schema/schema';
import { placesFor } from '@form-relay/stores/index';
import messages from './messages.json' with { type: 'json' };
import { offline } from './offline.ts';
import { keyProblems, senderOf } from './sender.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly keys: Keys;
  }
}

/** The servers that may send a form. */
export interface Keys {
  /** The variables that contain their keys. */
  readonly names: readonly string[];
  /** For requests that only servers with a key of the form may send. An `Idempotency-Key` covers everything in `sent`. */
  readonly admit: Middleware;
}

const mostKeys = 20;

/** How many wrong keys of one client are answered with 401 and logged. */
const wrongLimit: Rate = { most: 20, withinMs: 60_000 };

/** Servers send a form with a key and skip the checks for browsers. Each `Idempotency-Key` is answered once. */
export const plugin = (): Plugin => {
  let rates: Rates | undefined;
  const nameOf = clientNames();
  /** The outcome if there were too many earlier requests. */
  const beyond = (name: string, limit: Rate, submission: Submission, ofKey?: string): Outcome | undefined => {
    rates ??= createRates(submission.services.now);
    const taken = rates.take(`${submission.formId}\0${name}`, limit);
    if (!('waitMs' in taken)) return undefined;
    const seconds = Math.max(1, Math.ceil(taken.waitMs / 1_000));
    const with_ = ofKey ? ` with the key in ${ofKey}` : ' with wrong keys';
    return {
      kind: 'rate_limited',
      status: 429,
      message: ofKey ? { code: 'key_limited' } : { code: 'rate_limited', params: { wait: { seconds } } },
      headers: { 'retry-after': String(seconds) },
      by: 'keys',
      code: 'beyond',
      why: `more than ${limit.most} within ${timeInWords(limit.withinMs)}${with_}`,
      isFrequent: true,
    };
  };

  /** Wrong keys count towards their client's limit, so they cannot use up a server's. */
  const refuse = (submission: Submission): Outcome => {
    const { client } = submission;
    const network = 'address' in client ? clientNetwork(client.address) : '';
    if (network !== '') submission.addLogFields({ client: nameOf(network, submission) });
    return beyond(`\0${network}`, wrongLimit, submission) ?? wrongKey;
  };

  const keys = feature({
    name: 'keys',
    // Trusted servers skip the checks for browsers.
    before: ['origin', 'rate_limit', 'form_token'],
    keys: {
      form: {
        keys_env: optional(
          'Environment variables with keys of servers that may send the form: `[KEY_BILLING, KEY_SHOP]`. A server sends `Authorization: Bearer KEY` and skips the checks for browsers (docs/keys.md).',
          array(secretVariable(), { least: 1 }),
        ),
        keys_limit: withDefault(
          '600 per 1m',
          'Limit for each key; `off` for none. `rate_limit` does not apply to keys.',
          rate(),
        ),
      },
    },
    configure: ({ form: { keys_env: names, keys_limit: limit }, sharedBy }, at) => {
      const place = at.in('keys_env');
      if (!names) {
        if (at.in('keys_limit').written !== undefined && place.written === undefined)
          at.in('keys_limit').error('this has no effect without keys; add keys_env, or remove it', {
            aboutKey: true,
          });
        return undefined;
      }
      checkNames(names, place);
      const keep = sharedBy.get('keep');
      if (!place.isWrong && keep && !sharedBy.get('counters') && !countingPlace(keep))
        place.error(
          `a queue cannot look up an Idempotency-Key; set counted_in at the top: ${placesFor('counts')} (docs/counting.md)`,
          { aboutKey: true },
        );
      for (const [index, name] of names.entries()) place.in(index).needsEnv(name);
      const knows = ({ headers: { authorization } }: RequestHead, services: Services) => {
        const key = keyIn(authorization);
        return key !== undefined && senderOf(names, key, services.env) !== undefined;
      };
      const onRequest: Middleware = (next) => (submission) => {
        const { request, services } = submission;
        const key = keyIn(request.headers.authorization);
        if (key === undefined) return next(submission);
        const sender = senderOf(names, key, services.env);
        if (!sender) return refuse(submission);
        submission.isTrusted = true;
        submission.addLogFields({ key: sender.name });
        const late = limit && limit !== 'off' && beyond(sender.name, limit, submission, sender.name);
        if (late) return late;
        submission.trace?.note(`sent with the key in ${sender.name}`);
        const header = request.headers['idempotency-key'];
        if (header === undefined || request.method !== 'POST') return next(submission);
        const idempotencyKey = readIdempotencyKey(header);
        if (idempotencyKey === undefined) return refused(400, 'idempotency_key_malformed');
        if (!submission.form.provided.get('counters')) return refused(400, 'idempotency_unavailable');
        submission.setState(onceUnder, { sender, idempotencyKey });
        return next(submission);
      };
      const beforeValidation: Middleware = (next) => (submission) => {
        const config = submission.getState(onceUnder) as Once | undefined;
        if (!config) return next(submission);
        return import('./answer_once.ts').then(({ answerOnce }) => answerOnce(config, submission, next));
      };
      const isServer = guard(({ isTrusted }) => (isTrusted ? undefined : wrongKey));
      return {
        provides: { names, admit: (next) => onRequest(isServer(beforeValidation(next))) },
        skipsThrottle: (head, { services }) => knows(head, services),
        onRequest,
        beforeValidation,
      };
    },
  });
  return {
    name: 'keys',
    features: [keys, offline],
    checks: [
      check('Environment', async () => ({ probe: (await import('./check.ts')).probeKeys })),
      check('Places', async () => ({ probe: (await import('./check.ts')).probeAnswers })),
    ],
    messages: { en: messages },
    validate: (forms, at) => {
      for (const { id, provided } of forms.values())
        if (provided.get('keys') && !provided.get('counters'))
          at.in('forms', id, 'keys_env').warning(
            'requests with an Idempotency-Key are answered with 400, because there is no store for them; add counted_in or keep at the top (docs/retries.md)',
            { aboutKey: true },
          );
    },
    start: ({ forms, services }) => warnOfKeys(forms, services),
  };
};

/** The sending server, and the key whose response it wants only once. */
export interface Once {
  readonly sender: { readonly name: string; readonly key: string };
  /** Without quotes. */
  readonly idempotencyKey: string;
  /** How long the response is stored, in milliseconds. Default: a day. */
  readonly forMs?: number;
}

const onceUnder = Symbol('answered once under');

const wrongKey: Outcome = {
  kind: 'key_refused',
  status: 401,
  message: { code: 'key_refused' },
  headers: { 'www-authenticate': 'Bearer' },
  by: 'keys',
  code: 'wrong',
  why: 'unknown key',
};

function checkNames(names: readonly string[], at: Diagnostics): void {
  if (names.length > mostKeys) at.error(`a form can have at most ${mostKeys} keys`);
  const { written } = at;
  const all: readonly unknown[] = Array.isArray(written) ? written : [];
  for (const [index, name] of all.entries())
    if (all.indexOf(name) < index && names.includes(String(name)))
      at.in(index).error('this variable is already in the list; remove it');
}

function warnOfKeys(forms: ReadonlyMap<string, Form>, { env, log }: Services): void {
  const names = new Set([...forms.values()].flatMap(({ provided }) => provided.get('keys')?.names ?? []));
  for (const { name, reason } of keyProblems([...names], env))
    log('error', 'key_unusable', { variable: name, reason: `${name} ${reason}` });
}

/**
 * The key in a request (RFC 6750, 2.1), right or wrong. Schemes other than Bearer are for a proxy in front of
 * the relay, and are ignored here.
 */
function keyIn(authorization: string | undefined): string | undefined {
  const found = authorization === undefined ? null : /^bearer(?:$| +(.*)$)/is.exec(authorization);
  return found ? (found[1] ?? '') : undefined;
}

/**
 * Reads an `Idempotency-Key` header: a quoted string (RFC 9651, 3.3.3), as the IETF draft requires, or the bare text
 * that most clients send. 1 to 255 printable ASCII characters. Both forms of a text are the same key.
 *
 * @returns `undefined` if it is malformed.
 */
export function readIdempotencyKey(header: string): string | undefined {
  const text = header.trim();
  const key = text.startsWith('"') ? unquoted(text) : text;
  return key !== undefined && /^[\x20-\x7e]{1,255}$/.test(key) ? key : undefined;
}

/** Quotes and backslashes inside must be escaped, and nothing may follow the closing quote. */
function unquoted(text: string): string | undefined {
  const [, inside] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text) ?? [];
  return inside?.replaceAll(/\\(.)/g, '$1');
}
