/** A bug in a signal costs nobody's submission. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { contact } from '../../../../test/spec/stage.ts';
import { gibberish } from '../../src/signals/gibberish.ts';

test('a signal that throws is silent, and the others count', async () => {
  const make = vi.spyOn(gibberish, 'make').mockImplementation((weight) => ({
    name: 'gibberish',
    weight,
    score: () => {
      throw new Error('[url=https://a.example]');
    },
  }));
  onTestFinished(() => make.mockRestore());
  const relay = await contact({
    fields: '[{name: message, type: textarea}]',
    outputs:
      '[{type: http_post, url: $sink, mapping: "*"}], spam: {doubt: {drop: 0.1}, signals: {program: 0}}',
  });
  expect((await relay.send(['message', 'Hello [url=https://a.example]there[/url]'])).status).toBe(200);
  expect(relay.logged.find(({ event }) => event === 'submission')).toMatchObject({
    reason: '5 points: drop; links 5 (links in markup of forums); gibberish says nothing (internal error)',
  });
  const errors = relay.logged.filter(({ event }) => event === 'internal_error');
  expect(errors).toEqual([
    expect.objectContaining({ level: 'error', signal: 'gibberish', stack: expect.any(Array) }),
  ]);
  expect(JSON.stringify(errors)).not.toContain('a.example');
});
