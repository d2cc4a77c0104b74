import { test } from 'node:test';
import { httpDestination, outputContract } from 'form-relay/testing';
import plugin from './matrix.mjs';

const promises = outputContract({
  plugin,
  type: 'matrix',
  destination: httpDestination({
    keys: (port) => ({
      homeserver: `http://127.0.0.1:${port}`,
      room: '!abc:example.org',
      token: '{{ env "TOKEN" }}',
    }),
  }),
  env: { TOKEN: 'AbC.dEf' },
  secrets: ['AbC.dEf'],
});
for (const { name, run } of promises) test(name, run);
