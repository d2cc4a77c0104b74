/** Prometheus' own verdict on the relay's output, and on the rules that come with it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { startHttpSink } from '../../../test/support/http_sink.ts';
import { startRelay } from '../../../test/support/relay.ts';
import { createMetrics } from '../src/metrics/index.ts';

const hasPromtool = (() => {
  if (process.env.REQUIRE_PROMTOOL) return true;
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    console.warn(
      'SKIPPED for want of promtool (apt-get install prometheus). REQUIRE_PROMTOOL=1 makes this a failure.',
    );
    return false;
  }
})();

const promtool = (args: readonly string[], input = '') => {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return { status, says: stdout + stderr };
};

describe.runIf(hasPromtool)('promtool', () => {
  test('has nothing to say of what a relay writes that has counted something of each kind', async () => {
    const metrics = createMetrics();
    const sink = await startHttpSink();
    const relay = await startRelay({
      metrics,
      config: `forms:
  'quo"ted \\': {fields: [{name: message, type: textarea}], spam: {doubt: tag}, outputs: [{type: http_post, url: "${sink.origin}", mapping: "*"}, {type: unregistered}]}`,
    });
    try {
      await relay.submit('quo"ted \\', [
        ['message', 'https://a.example/ https://b.example/ https://c.example/'],
      ]);
      await relay.submit('none', [['message', 'x']]);
      const text = metrics.text();
      expect(text).toContain('form="quo\\"ted \\\\",output="1",type="unregistered",outcome="failed"} 1\n');
      expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, says: '' });
      // The checker finds real mistakes.
      expect(promtool(['check', 'metrics'], text.replaceAll('_total', '_kb'))).toMatchObject({ status: 3 });
    } finally {
      await relay.close();
      await sink.close();
      metrics.close();
    }
  });
});
