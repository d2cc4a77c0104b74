/** Takes in mails that came back, and sends no more to addresses that take none (docs/mail/bounces.md). */
import type { Form, Plugin, Settings as RelaySettings, RequestHead } from '@form-relay/core/index';
import {
  ClientError,
  clientNetwork,
  createRates,
  createThrottle,
  feature,
  object,
  optional,
  readClient,
  removed,
  stackOf,
  weaknessOf,
} from '@form-relay/core/kit';
import type { Alerts } from '@form-relay/queue/alerts';
import { isMailType } from '../carrier.ts';
import { isTyped } from './owners.ts';
import { providers, providersIn } from './providers/index.ts';
import type { Settings } from './providers/provider.ts';
import type { remembering } from './receive.ts';

declare module '@form-relay/core/plugin' {
  interface Shared {
    bounces: Settings;
  }
}

const keys = {
  ...Object.fromEntries(
    Object.entries(providers).map(([name, { summary, keys, example }]) => [
      name,
      optional(summary, object(keys, example)),
    ]),
  ),
  smtp: removed(
    '0.2.0',
    'reports by mail differ from server to server',
    'leave it out, or send through a provider that posts its events (docs/mail/bounces.md)',
  ),
};

/** SendGrid collects events up to 768 KB, and a mail that came back may hold a part of what was sent. */
const mostBodyBytes = 1_048_576;

/** A visitor may wait for the mail. */
const timeoutMs = 2_000;

const bounces = feature({
  name: 'bounces',
  after: ['counters'],
  before: ['double_opt_in', 'confirmation_mail'],
  keys: {
    top: {
      bounces: optional(
        'Takes in mails that came back, from each provider that sends for you: an address that takes none gets no more mails from forms for a year, and `alerts` tell of one of yours (docs/mail/bounces.md). Needs FORM_TOKEN_SECRET in the environment, and `counted_in` or `keep`, where the list of addresses is, as keyed hashes.',
        object(keys, '{ses: {topics: [arn:aws:sns:…]}}', (found, at) => {
          if (!Object.keys(found).some((name) => at.in(name).written !== undefined))
            at.error(
              'name the provider that reports them: ses, postmark, mailgun, sendgrid or resend (docs/mail/bounces.md)',
            );
        }),
      ),
    },
  },
  configureTop: ({ bounces: asked, ...top }, at) => {
    if (!asked) return undefined;
    const { alerts }: Settings = top;
    if (alerts === undefined)
      at.in('bounces').warning(
        'nobody is told when an address of yours takes no mail; write alerts at the top (docs/mail/bounces.md)',
        { aboutKey: true },
      );
    at.in('bounces').needsEnv('FORM_TOKEN_SECRET');
    for (const { name, provider, variable } of providersIn(asked))
      if (variable !== undefined) at.in('bounces', name, provider.secretKey ?? '').needsEnv(variable);
    return asked;
  },
  configure: ({ shared, provided }) => {
    const counters = provided.get('counters');
    if (!shared || !counters) return undefined;
    return {
      provides: {
        // If the list cannot be read, it gets the mail: better one too many than a visitor without any.
        isBlocked: async (address, { services, settings }) => {
          if (settings.formTokenSecret === '') return false;
          const { BlockList, hashOf } = await import('./block_list.ts');
          try {
            const list = new BlockList((await counters.counter(services)).store, services.now);
            return (await list.find(hashOf(settings.formTokenSecret, address), timeoutMs)) !== undefined;
          } catch (error) {
            if (!(error instanceof ClientError)) throw error;
            services.log('error', 'bounces_unread', { in: counters.place.name, reason: error.message });
            return false;
          }
        },
      },
    };
  },
});

const firstOf = (forms: ReadonlyMap<string, Form>): Form | undefined => forms.values().next().value;

/** So that a stranger shuts out neither events nor visitors. */
function limitOf(now: () => number) {
  const rates = createRates(now);
  const throttle = createThrottle(200, 2_000, now);
  return (head: RequestHead, settings: RelaySettings): number | undefined => {
    const client = readClient(head, settings);
    const network = 'address' in client ? clientNetwork(client.address) : '';
    const taken = rates.take(network, { most: 200, withinMs: 10_000 });
    return 'waitMs' in taken ? Math.max(1, Math.ceil(taken.waitMs / 1_000)) : throttle();
  };
}

export function plugin(): Plugin {
  let asked: Settings | undefined;
  let alerts: Alerts | undefined;
  let remembered: ReturnType<typeof remembering> | undefined;
  let limit: ReturnType<typeof limitOf> | undefined;
  /** Alerts that are being sent after their answer. */
  const underWay = new Set<Promise<void>>();
  return {
    name: 'bounces',
    features: [bounces],
    validate: (forms, at) => {
      const form = firstOf(forms);
      const isAsked = Boolean(at.in('bounces').written) && !at.in('counted_in').isWrong;
      if (isAsked && form && form.provided.get('counters') === undefined)
        at.in('bounces').error(
          'nothing says where the list of addresses that take no mail is; write counted_in at the top: a folder such as /var/lib/form-relay, nats://host:4222/stream, dynamodb://table, or durable-object://BINDING on Cloudflare Workers (docs/mail/bounces.md)',
          { aboutKey: true },
        );
      for (const one of isAsked ? forms.values() : [])
        for (const [index, { type, templates }] of one.outputs.entries())
          if (
            isMailType(type) &&
            templates.some(({ path: [key], template }) => key === 'to' && isTyped(template, one))
          )
            at.in('forms', one.id, 'outputs', index, 'to').warning(
              "an output goes on mailing to a visitor's address that took no mail; mail visitors with confirmation_mail instead (docs/confirmation.md)",
            );
    },
    onConfig: (_, { shared, services: { env, log } }) => {
      asked = shared.get('bounces');
      for (const { variable } of providersIn(asked ?? {})) {
        const secret = variable && env(variable);
        const weakness = secret && weaknessOf(secret);
        if (weakness) log('warn', 'weak_event_secret', { reason: `${variable} ${weakness}` });
      }
      alerts = shared.get('alerts');
    },
    publicRoutes: [
      {
        matches: (path) => /^\/api\/v1\/mail-events\/[a-z]+$/.test(path),
        method: 'POST',
        maxBodyBytes: mostBodyBytes,
        waitSeconds: (head, context) => {
          limit ??= limitOf(context.services.now);
          return limit(head, context.settings);
        },
        answer: async (request, context, requestId) => {
          const forms = (await context.config.forms()) ?? new Map<string, Form>();
          const counters = firstOf(forms)?.provided.get('counters');
          const [{ receive, remembering }, bounces] = [await import('./receive.ts'), asked ?? {}];
          if (!counters) return { status: 404, headers: { 'cache-control': 'no-store' }, body: '' };
          remembered ??= remembering(context.services);
          const { log } = context.services;
          // A provider waits some seconds, and an alert may take longer.
          const defer = async (work: () => Promise<void>) => {
            if (!request.livesOn) return work();
            const alerting = work()
              .catch((error) =>
                log('error', 'internal_error', { request_id: requestId, stack: stackOf(error) }),
              )
              .finally(() => underWay.delete(alerting));
            underWay.add(alerting);
          };
          const received = { bounces, counters, alerts, forms, defer };
          return receive(request, requestId, received, context, remembered);
        },
      },
    ],
    onClose: async () => {
      await Promise.all(underWay);
    },
  };
}
