/** Workers of a relay count in the same folder, each for itself. */
import { expect, test } from 'vitest';
import { httpSink } from '../spec/stage.ts';
import { ask, startWorkers } from '../support/workers.ts';
import { folder } from './stage.ts';

test('two hundred visitors of two workers for the last place: one gets it', { timeout: 60_000 }, async () => {
  const sink = await httpSink();
  const form = `{fields: [{name: name}], places: 1, outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*"}]}`;
  const { origin } = await startWorkers({
    WORKERS: '2',
    THROTTLE_RATE_LIMIT: '100000',
    THROTTLE_BURST_LIMIT: '100000',
    CONFIG_INLINE: `counted_in: ${folder()}\nforms: {course: ${form}}`,
  });
  const visits = Array.from({ length: 200 }, () =>
    ask(`${origin}/api/v1/submit/course`, { body: 'name=Ada' }),
  );
  const statuses = (await Promise.all(visits)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 403)).toHaveLength(199);
  expect(sink.requests).toHaveLength(1);
});
