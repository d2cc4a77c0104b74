import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tryCommand } from 'form-relay/testing';
import plugin from './my-plugin.mjs';

const forms = {
  contact: { fields: [{ name: 'name' }, { name: 'email' }] },
  order: { fields: [{ name: 'item' }] },
};

test('the command lists the forms', async () => {
  const { code, printed } = await tryCommand({ plugins: [plugin], forms }, 'my-plugin');
  assert.deepEqual([code, printed], [0, 'contact: 2\norder: 1\n']);
});

test('the command names a missing form', async () => {
  const { code, failed } = await tryCommand({ plugins: [plugin], forms }, 'my-plugin', { form: 'jobs' });
  assert.deepEqual([code, failed], [1, 'there is no form "jobs"']);
});
