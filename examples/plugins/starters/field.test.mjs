import { test } from 'node:test';
import { fieldContract } from 'form-relay/testing';
import plugin from './my-plugin.mjs';

const promises = fieldContract({
  plugin,
  type: 'my-plugin',
  accepts: ['B-FR 2026', 'm-a 1'],
  rejects: ['2026', 'B-FR'],
});
for (const { name, run } of promises) test(name, run);
