import { test } from 'node:test';
import { httpDestination, outputContract } from 'form-relay/testing';
import plugin from './discord.mjs';

const promises = outputContract({
  plugin,
  type: 'discord',
  destination: httpDestination({ keys: (port) => ({ url: `http://127.0.0.1:${port}/api/webhooks/1/XXXX` }) }),
});
for (const { name, run } of promises) test(name, run);
