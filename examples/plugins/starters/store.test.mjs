import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { storeContract } from 'form-relay/testing';

const promises = storeContract({
  module: new URL('./my-plugin.mjs', import.meta.url),
  address: () => `my-plugin:${mkdtempSync(join(tmpdir(), 'my-plugin-'))}`,
});
for (const { name, run } of promises) test(name, run);
