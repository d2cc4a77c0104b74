import { test } from 'node:test';
import { httpDestination, outputContract } from 'form-relay/testing';
import plugin from './google_chat.mjs';

const promises = outputContract({
  plugin,
  type: 'google_chat',
  destination: httpDestination({ keys: (port) => ({ url: `http://127.0.0.1:${port}/hooks/XXXX` }) }),
});
for (const { name, run } of promises) test(name, run);
