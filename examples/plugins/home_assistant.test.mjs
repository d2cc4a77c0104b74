import { test } from 'node:test';
import { httpDestination, outputContract } from 'form-relay/testing';
import plugin from './home_assistant.mjs';

const promises = outputContract({
  plugin,
  type: 'home_assistant',
  destination: httpDestination({
    keys: (port) => ({ url: `http://127.0.0.1:${port}`, token: '{{ env "TOKEN" }}' }),
  }),
  env: { TOKEN: 'AbC.dEf' },
  secrets: ['AbC.dEf'],
});
for (const { name, run } of promises) test(name, run);
