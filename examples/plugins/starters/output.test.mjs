import { test } from 'node:test';
import { httpDestination, outputContract } from 'form-relay/testing';
import plugin from './my-plugin.mjs';

const promises = outputContract({
  plugin,
  type: 'my-plugin',
  destination: httpDestination({
    keys: (port) => ({ url: `http://127.0.0.1:${port}`, token: '{{ env "TOKEN" }}' }),
  }),
  env: { TOKEN: 'a-secret' },
  secrets: ['a-secret'],
});
for (const { name, run } of promises) test(name, run);
