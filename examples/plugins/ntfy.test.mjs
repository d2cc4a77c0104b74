import { test } from 'node:test';
import { httpDestination, outputContract } from 'form-relay/testing';
import plugin from './ntfy.mjs';

const promises = outputContract({
  plugin,
  type: 'ntfy',
  destination: httpDestination({
    keys: (port) => ({
      server: `http://127.0.0.1:${port}`,
      topic: '{{ env "TOPIC" }}',
      token: '{{ env "TOKEN" }}',
    }),
  }),
  env: { TOPIC: 'Secret-Topic', TOKEN: 'AbC.dEf' },
  secrets: ['Secret-Topic', 'AbC.dEf'],
});
for (const { name, run } of promises) test(name, run);
