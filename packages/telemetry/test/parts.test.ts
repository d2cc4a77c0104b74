/** What the parts of a measured relay make of what they hear, one by one. */
import { expect, test } from 'vitest';
import type { Log } from '../../core/src/services.ts';
import { createMetrics } from '../src/metrics/metrics.ts';
import { counted } from './scraped.ts';

test('mails that came back are counted by provider, kind, and whose address it was', () => {
  const metrics = createMetrics();
  metrics.close();
  const log: Log = (...line) => metrics.plugin.onLog?.(...line);
  const fields = { provider: 'ses', kind: 'hard' };
  log('info', 'mail_bounced', fields);
  log('warn', 'mail_complained', { provider: 'postmark', kind: 'complaint' });
  log('error', 'owner_mail_bounced', fields);
  log('error', 'owner_mail_bounced', fields);
  log('warn', 'alert_failed', fields);
  expect(counted(metrics.text(), 'mail_events_total')).toEqual({
    'mail_events_total{provider="ses",kind="hard",address="visitor"}': 1,
    'mail_events_total{provider="postmark",kind="complaint",address="visitor"}': 1,
    'mail_events_total{provider="ses",kind="hard",address="owner"}': 2,
  });
});
