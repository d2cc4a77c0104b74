/** What may be done about connections that fail. */
import { expect, test } from 'vitest';
import { connectionFailure } from '../../packages/relay/src/transports/socket.ts';

const failed = (syscall: string, code: string) => Object.assign(new Error('secret'), { code, syscall });
/** As Node has it: its code is that of the first. */
const all = (...errors: { code: string }[]) =>
  Object.assign(new AggregateError(errors), { code: errors[0]?.code });

const unsent = { retryAfterMs: 0, isUnsent: true };
const never = { retryAfterMs: undefined, isUnsent: false };
const broken = { retryAfterMs: 0, isUnsent: false };

test.each([
  ['connect ECONNREFUSED', failed('connect', 'ECONNREFUSED'), unsent],
  ['connect ETIMEDOUT', failed('connect', 'ETIMEDOUT'), unsent],
  ['connect EADDRNOTAVAIL', failed('connect', 'EADDRNOTAVAIL'), unsent],
  ['connect EMFILE', failed('connect', 'EMFILE'), unsent],
  ['could not resolve the host: EMFILE', failed('getaddrinfo', 'EMFILE'), unsent],
  ['could not resolve the host: EAI_AGAIN', failed('getaddrinfo', 'EAI_AGAIN'), unsent],
  ['could not resolve the host: ENOTFOUND', failed('getaddrinfo', 'ENOTFOUND'), never],
  ['connect EACCES', failed('connect', 'EACCES'), never],
  [
    'connect ETIMEDOUT, ECONNREFUSED',
    all(failed('connect', 'ETIMEDOUT'), failed('connect', 'ETIMEDOUT'), failed('connect', 'ECONNREFUSED')),
    unsent,
  ],
  ['connect EACCES, ENETUNREACH', all(failed('connect', 'EACCES'), failed('connect', 'ENETUNREACH')), unsent],
  ['the connection closed', failed('read', 'ECONNRESET'), broken],
  ['read EHOSTUNREACH', failed('read', 'EHOSTUNREACH'), broken],
])('%s', (reason, error, remedy) => {
  expect(connectionFailure(error)).toMatchObject({ message: reason, ...remedy });
});
