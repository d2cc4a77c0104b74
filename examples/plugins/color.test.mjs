import { test } from 'node:test';
import { fieldContract } from 'form-relay/testing';
import plugin from './color.mjs';

const promises = fieldContract({
  plugin,
  type: 'color',
  accepts: ['#0066cc', '#FFF000'],
  rejects: ['blue', '#12345g'],
});
for (const { name, run } of promises) test(name, run);
