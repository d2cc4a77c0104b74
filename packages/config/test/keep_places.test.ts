/** Where what outputs owe can be kept: a folder, or a queue by its address. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../../test/support/parse_config.ts';
import { Diagnostics } from '../../schema/src/diagnostics.ts';
import { readPlace } from '../../stores/src/places.ts';

test.each([
  ['/var/lib/form-relay', { kind: 'folder', path: '/var/lib/form-relay' }],
  ['kept', { kind: 'folder', path: 'kept' }],
  ['./nats://kept', { kind: 'folder', path: './nats://kept' }],
  ['sqs://sqs.eu-central-1.amazonaws.com/123456789012/kept', { kind: 'sqs' }],
  ['SQS://localhost:4566/000000000000/kept-1_2', { kind: 'sqs' }],
  ['nats://a.example/kept', { kind: 'nats', servers: ['a.example'], stream: 'kept', isTls: false }],
  [
    'nats://a.example:4222/kept/',
    { kind: 'nats', servers: ['a.example:4222'], stream: 'kept', isTls: false },
  ],
  [
    'TLS://a.example,b.example:4222/kept',
    { kind: 'nats', servers: ['a.example', 'b.example:4222'], isTls: true },
  ],
  ['queue://KEPT/ASIDE', { kind: 'queue', binding: 'KEPT', aside: 'ASIDE' }],
  ['nats://[::1]:4222/kept', { kind: 'nats', servers: ['[::1]:4222'] }],
])('%s is a place', (found, expected) => {
  expect(readPlace(found, new Diagnostics())).toMatchObject({ name: found, ...expected });
});

test.each<[string, keyof typeof words]>([
  // As AWS shows a queue, whatever stands before `sqs`.
  ['https://sqs.eu-central-1.amazonaws.com/123456789012/kept', 'keep_not_a_queue'],
  ['sqs://sqs.eu-central-1.amazonaws.com/123456789012/kept.fifo', 'keep_not_a_queue'],
  ['queue://KEPT', 'keep_not_two_queues'],
  ['nats://user:password@a.example/kept', 'keep_place_with_credentials'],
  ['nats://a.example', 'keep_not_a_stream'],
  ['nats://a.example/kept/more', 'keep_not_a_stream'],
  ['nats://a.example,/kept', 'keep_not_a_stream'],
  ['nats://a.example:99999/kept', 'keep_not_a_stream'],
])('%s is none', (found, said) => {
  const at = new Diagnostics();
  expect(readPlace(found, at)).toBe(undefined);
  expect(at.mistakes.map(({ message }) => message)).toEqual([expect.stringContaining(words[said])]);
});

const words = {
  keep_not_a_queue: 'expected the address of a standard queue of Amazon SQS',
  keep_not_two_queues: 'expected the bindings of two queues of Cloudflare',
  keep_place_with_credentials: 'credentials stand in the environment alone',
  keep_not_a_stream: 'expected nats://host:4222/stream',
};

test.each(['https://example.com/https://sqs.example.com', 'redis://127.0.0.1/kept'])(
  '%s is none unless a plug-in has it',
  (found) => {
    const result = parseConfig(`{keep: {in: "${found}"}, forms: {}}`, 'webform.yaml');
    expect(!result.ok && result.error.map(({ message }) => message)).toEqual([
      expect.stringContaining('expected a folder such as /var/lib/form-relay, or a queue'),
    ]);
  },
);

test.each([
  ['s3://kept', { bucket: 'kept', prefix: '' }],
  ['s3://kept/forms/files', { bucket: 'kept', prefix: 'forms/files/' }],
])('a submission too large for a queue goes to %s', (filesIn, expected) => {
  const sqs = 'sqs://sqs.eu-central-1.amazonaws.com/123456789012/kept';
  const result = parseConfig(`{keep: {in: "${sqs}", files_in: "${filesIn}"}, forms: {}}`, 'webform.yaml');
  expect(result.ok && result.value.shared.get('keep')?.filesIn).toEqual(expected);
});
