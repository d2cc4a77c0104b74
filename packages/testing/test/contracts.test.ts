/** The relay's own outputs, fields and stores keep the promises that it asks of others. */
import { describe, test } from 'vitest';
import { folder } from '../../../test/support/stores/folder.ts';
import { memory } from '../../../test/support/stores/memory.ts';
import { nats } from '../../../test/support/stores/nats.ts';
import type { Subject } from '../../../test/support/stores/place.ts';
import { fieldContract } from '../src/field_contract.ts';
import { outputContract } from '../src/output_contract.ts';
import { storeChecks } from '../src/store_contract.ts';
import type { Check } from '../src/trial.ts';

const hold = (checks: readonly Check[]) => {
  for (const { name, run } of checks) test.concurrent(name, run);
};

describe('outputs', () => {
  const keys = (port: number) => ({ url: `http://127.0.0.1:${port}` });
  hold(outputContract({ type: 'http_post', keys, read: ({ body }) => decodeURIComponent(body) }));
  hold(outputContract({ type: 'webhook', keys }));
});

describe('fields', () => {
  hold(fieldContract({ type: 'email', takes: ['ada@example.org'], refuses: ['ada@', '@example.org'] }));
  hold(fieldContract({ type: 'date', takes: ['2026-02-28'], refuses: ['2026-02-30', 'tomorrow'] }));
  hold(fieldContract({ type: 'time', takes: ['09:30'], refuses: ['25:00'] }));
});

describe('stores', () => {
  const subjects: Readonly<Record<string, Subject>> = { folder, memory, nats };
  for (const [name, { create, laterMs, isHere = true }] of Object.entries(subjects))
    if (isHere) hold(storeChecks(name, create, laterMs));
});
