import { test } from 'node:test';
import { httpDestination, outputContract } from 'form-relay/testing';
import plugin from './teams.mjs';

const promises = outputContract({
  plugin,
  type: 'teams',
  destination: httpDestination({ keys: (port) => ({ url: `http://127.0.0.1:${port}/workflows/XXXX` }) }),
});
for (const { name, run } of promises) test(name, run);
