import { test } from 'node:test';
import { httpDestination, outputContract } from 'form-relay/testing';
import plugin from './telegram.mjs';

const promises = outputContract({
  plugin,
  type: 'telegram',
  destination: httpDestination({
    keys: (port) => ({
      server: `http://127.0.0.1:${port}`,
      chat_id: -1001234567890,
      token: '{{ env "TOKEN" }}',
    }),
  }),
  env: { TOKEN: '123456:AA-secret_of-the_bot' },
  secrets: ['123456:AA-secret_of-the_bot'],
});
for (const { name, run } of promises) test(name, run);
