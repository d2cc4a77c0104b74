import { test } from 'node:test';
import { featureContract } from 'form-relay/testing';
import plugin from './my-plugin.mjs';

const promises = featureContract({
  plugin,
  name: 'my_plugin',
  form: { fields: [{ name: 'message' }], spam: { my_plugin: ['casino'] } },
  passes: [{ message: 'Good morning' }],
  stops: [{ message: 'Our Casino opens' }],
});
for (const { name, run } of promises) test(name, run);
