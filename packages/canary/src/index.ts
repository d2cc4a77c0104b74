/** `canary` of a form: the relay tests the form, and alerts its owner when a test fails. */
import type { Plugin } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { object, record } from '@form-relay/schema/collections';
import { duration, httpUrl, text } from '@form-relay/schema/scalars';
import { optional, optionalBlock, withDefault } from '@form-relay/schema/schema';
import type { Canaries } from './canaries.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    canary: Canary;
  }
}

export interface Canary {
  readonly everyMs: number;
  /** The owner's page that contains the form. */
  readonly page: URL | undefined;
  /** The URL to request after each successful test. */
  readonly ping: URL | undefined;
  /** Values by field, which replace the synthetic ones. */
  readonly values: ReadonlyMap<string, string>;
}

const dayMs = 86_400_000;

const canaryKey = optionalBlock(
  'Sends marked submissions through the outputs regularly, checks the form’s page, and alerts you if either fails (docs/canary.md).',
  object(
    {
      every: withDefault(
        '1h',
        'Interval, from 1m to 31d.',
        duration({ leastMs: 60_000, mostMs: 31 * dayMs, hasDays: true }),
      ),
      page: optional(
        'Page with the form. The relay fetches it and checks it as `relay check` does.',
        httpUrl(),
      ),
      ping: optional(
        'Address of an uptime service, requested after each test that does not fail; the service raises an alarm when the requests stop.',
        httpUrl(),
      ),
      values: optional(
        'Values that replace made-up ones, such as your own address: `{email: me@example.com}`.',
        record(text()),
      ),
    },
    '{every: 1h}',
  ),
);

const canary = feature({
  name: 'canary',
  after: ['schedule'],
  reads: ['shared_state'],
  keys: { form: { canary: canaryKey } },
  configure: ({ form, fields }, at) => {
    const written = form.canary;
    if (!written) return undefined;
    const values = written.values ?? new Map<string, string>();
    for (const name of values.keys())
      if (!fields.some((field) => field.name === name))
        at.in('canary', 'values', name).error('the form has no field of this name', { aboutKey: true });
    if (at.fromTop('alerts').written === undefined && !written.ping)
      at.in('canary').warning('failed tests appear only in the log; add alerts at the top (docs/alerts.md)');
    const { every: everyMs, page, ping } = written;
    return { provides: { everyMs, page, ping, values } };
  },
});

/** Each relay needs its own plug-in, since it remembers the last test of each form. */
export function plugin(): Plugin {
  let canaries: Canaries | undefined;
  return {
    name: 'canary',
    features: [canary],
    start: (life) => {
      const { forms, services, livesOn, signal } = life;
      const tested = [...forms.values()].filter(({ provided }) => provided.get('canary'));
      if (tested.length === 0) return;
      if (!livesOn) {
        services.log('warn', 'canary_unscheduled', {
          forms: tested.map(({ id }) => id),
          reason: 'this platform runs nothing between requests; run relay canary --alert on a schedule',
        });
        return;
      }
      life.wait(
        import('./canaries.ts').then((module) => {
          canaries ??= new module.Canaries();
          if (!signal.aborted) canaries.follow(life, tested);
        }),
      );
    },
    gauges: () => canaries?.readings() ?? {},
  };
}
