/** Sends a sixth of the corpus to a running relay. */
import { expect, test } from 'vitest';
import { contact } from '../../../../test/spec/stage.ts';
import { samples } from './samples.ts';

const sent = samples.filter((_, nth) => nth % 6 === 0);

test('everything is delivered, and only spam has the mark', async () => {
  const form = await contact({
    fields:
      '[{name: name}, {name: email, type: email}, {name: phone, type: tel}, {name: company}, {name: subject}, ' +
      '{name: message, type: textarea}, {name: sample}], ' +
      // Tests are no browser, and send alike texts on purpose.
      'spam: {doubt: tag, signals: {program: 0, repeated: 0}}',
    env: { THROTTLE_RATE_LIMIT: '10000', THROTTLE_BURST_LIMIT: '10000' },
  });
  for (const { id, fields } of sent) {
    const answer = await form.send(...Object.entries(fields), ['sample', id]);
    expect(answer.json, id).toEqual({ message: 'ok' });
  }
  const delivered = form.delivered.map((values) => new Map(values));
  expect(delivered.map((values) => values.get('sample'))).toEqual(sent.map(({ id }) => id));
  const marked = delivered
    .filter((values) => values.has('_doubt'))
    .map((values) => values.get('sample') ?? '');
  expect(marked.filter((id) => id.includes('human'))).toEqual([]);
  expect(marked.length).toBeGreaterThan(15);
  // The log tells by how much, and nothing of what was written.
  const logged = JSON.stringify(form.logged);
  expect(logged).toContain('"doubt":"tag"');
  expect(logged).not.toContain('mail.example');
});
