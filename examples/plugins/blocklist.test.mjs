import { test } from 'node:test';
import { featureContract } from 'form-relay/testing';
import plugin from './blocklist.mjs';

const promises = featureContract({
  plugin,
  name: 'blocklist',
  form: { fields: [{ name: 'email', type: 'email' }], spam: { blocked_domains: ['mailinator.com'] } },
  passes: [{ email: 'ada@example.org' }],
  stops: [{ email: 'ada@Mailinator.com' }],
});
for (const { name, run } of promises) test(name, run);
