import { ClientError, failed } from '../../../../test/support/failed.ts';
import { failed as ofOutput } from '../../../more-outputs/src/failures.ts';
import {
  type DeliveryError,
  hostAfter,
  mayPass,
  nextAttempt,
  nextTry,
  reasonOf,
} from '../../src/retry_policy.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const keptAt = 1_700_000_000_000;
const first = () => 0;

/** The ages, in minutes, at which a delivery that always fails is tried. */
function triesUntil(ageMs: number, random = first, rule = {}): number[] {
  const ages: number[] = [];
  for (let now = keptAt; now - keptAt < ageMs; ) {
    now = nextTry(keptAt, now, random, rule);
    ages.push((now - keptAt) / minute);
  }
  return ages;
}

describe('when a delivery is tried', () => {
  test('after 1, 5 and 15 minutes, 1, 3, 6 and 12 hours, then daily', () =>
    expect(triesUntil(3 * day)).toEqual([1, 5, 15, 60, 180, 360, 720, 1_440, 2_880, 4_320]));

  test('not before the server’s Retry-After, but within a day', () => {
    const wait = (retryAfterMs: number) => nextTry(keptAt, keptAt, first, { retryAfterMs }) - keptAt;
    expect(wait(0)).toBe(minute);
    expect(wait(10_000)).toBe(minute);
    expect(wait(2 * hour)).toBe(2 * hour);
    expect(wait(Number.MAX_SAFE_INTEGER)).toBe(day);
    expect(wait(Infinity)).toBe(day);
  });
});

test('a delivery that could not be tried waits a tenth of its age, at least a minute', () => {
  const wait = (age: number) => nextAttempt(keptAt, keptAt + age, first) - keptAt - age;
  expect([0, 5 * minute, 10 * hour, 5 * day, 100 * day].map(wait)).toEqual([
    minute,
    minute,
    hour,
    12 * hour,
    day,
  ]);
});

const status = (status: number) => failed('http_status', { status, isElsewhere: false, code: undefined });
const connect = { call: 'connect', codes: ['ECONNREFUSED'] };
const refused = (command: 'CONN' | 'RCPT' | 'DATA', reply: string) =>
  failed('smtp_refused', { command, reply });
const login = (reply: string) => failed('login_refused', { reply, isToken: false });
const token = (error: string) => failed('oauth2_refused', { error, detail: '', grant: 'client_credentials' });
const path = '/srv/archive';

/** Each case: a failure, whether it may be temporary, and what it says about the host. */
const cases: readonly (readonly [string, DeliveryError, boolean, 'down' | 'perhaps' | 'up'])[] = [
  ['nobody listens', failed('nobody_listens', connect), true, 'down'],
  ['no such host', failed('unresolved', { code: 'ENOTFOUND' }), true, 'down'],
  ['no answer in time', failed('timed_out', { timeoutMs: 10_000 }), true, 'perhaps'],
  ['this machine has no file left', failed('connection_failed', connect), true, 'up'],
  ['TLS fails', failed('tls_failed', { code: 'EPROTO' }), true, 'perhaps'],
  ['another speaks there', failed('not_http'), true, 'perhaps'],
  ...[500, 501, 502, 503, 504, 507, 599].map((code) => [`${code}`, status(code), true, 'perhaps'] as const),
  ...[408, 425, 429].map((code) => [`${code}`, status(code), true, 'perhaps'] as const),
  ...[204, 302, 400, 401, 403, 404, 409, 410, 413, 422].map(
    (code) => [`${code}`, status(code), false, 'up'] as const,
  ),
  ['a chat says no', ofOutput('service_refused', { code: 'channel_not_found' }), false, 'up'],
  [
    'the answer is not what is expected',
    ofOutput('answer_unexpected', { expected: '', code: undefined }),
    false,
    'up',
  ],
  ['the answer is cut', ofOutput('answer_cut'), true, 'up'],

  ['greeted with 421', failed('turned_away', { reply: '421 4.7.0' }), true, 'down'],
  ['greylisted', refused('RCPT', '451 4.7.1'), true, 'up'],
  ['no such mailbox', refused('RCPT', '550 5.1.1'), false, 'up'],
  ['the login is wrong', login('535 5.7.8'), false, 'up'],

  ['no token: it does not know the client', token('invalid_client'), false, 'up'],
  ['no token just now', token('temporarily_unavailable'), true, 'up'],
  ['no token: nobody answers', failed('oauth2_unreachable', { reason: '', cause: '' }), true, 'up'],

  ['SES: rejected', failed('ses_status', { status: 400, name: 'MessageRejected' }), false, 'up'],
  ['SES: too fast', failed('ses_status', { status: 429, name: 'TooManyRequestsException' }), true, 'perhaps'],
  ['S3: away', failed('s3_status', { status: 503, name: 'SlowDown' }), true, 'perhaps'],
  ['S3: no bucket', failed('s3_no_bucket', { bucket: 'b' }), false, 'up'],
  ['no credentials in time', failed('aws_credentials_late', { timeoutMs: 1 }), true, 'down'],

  ['not mounted', failed('folder_missing', { path }), true, 'down'],
  ['full', failed('folder_full', { path }), true, 'down'],
  ['denied', failed('folder_denied', { path }), false, 'up'],

  ['a type that nobody knows', 'unregistered_type', false, 'up'],
  ['a bug', 'internal_error', true, 'up'],
  ['what somebody else’s client says', new ClientError('no'), true, 'up'],
];

describe('why a delivery failed', () => {
  test.each(cases)('%s', (_, error, passes, host) =>
    expect([mayPass(error), hostAfter(error)]).toEqual([passes, host]),
  );

  test('is stored as a code and words', () => {
    expect(reasonOf(status(503))).toEqual({ code: 'http_status', words: 'the server answered 503' });
    expect(reasonOf('internal_error')).toEqual({ code: 'internal_error', words: 'internal error' });
  });
});
