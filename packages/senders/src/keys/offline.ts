/**
 * `offline`: a page's script stores a finished form while no relay can be reached, and sends it later
 * (packages/element/src/parts/offline.ts). However often the script tries, the submission is delivered once.
 */
import { firstValue } from '@form-relay/base/values';
import { countingPlace } from '@form-relay/capacity/counters/index';
import { feature } from '@form-relay/core/plugin';
import { boolean, duration } from '@form-relay/schema/scalars';
import { jsonSchemaOf, optional, schema } from '@form-relay/schema/schema';
import { placesFor } from '@form-relay/stores/index';

/** Identifies the submission in each attempt to send it. */
const idField = '_send_id';

const dayMs = 86_400_000;

const fixed = duration({ hasDays: true, leastMs: 60_000, mostMs: 90 * dayMs });
const howLong = schema(
  () => ({ anyOf: [jsonSchemaOf(boolean()), jsonSchemaOf(fixed)] }),
  (value, at) => (/^(true|false)$/.test(String(value)) ? boolean()(value, at) : fixed(value, at)),
);

const words = {
  'data-offline-kept': 'offline_kept',
  'data-offline-sent': 'offline_sent',
  'data-offline-again': 'offline_again',
  'data-offline-expired': 'offline_expired',
  'data-offline-now': 'offline_now',
  'data-offline-open': 'offline_open',
  'data-offline-delete': 'offline_delete',
};

export const offline = feature({
  name: 'offline',
  // The store remembers only submissions that have passed these, not bots'.
  after: ['captcha', 'min_fill', 'proof', 'spam_score', 'bodies', 'verify'],
  keys: {
    form: {
      offline: optional(
        'Keeps a finished form in the browser while there is no network, and sends it later: `true`, or a time limit such as `7d` (docs/offline.md).',
        howLong,
      ),
    },
  },
  configure: ({ form: { offline: written }, sharedBy }, at) => {
    if (!written) return undefined;
    const ms = written === true ? 7 * dayMs : written;
    if (!sharedBy.get('counters') && !countingPlace(sharedBy.get('keep')))
      at.in('offline').error(
        `the relay needs a store to recognize repeats, or a second attempt would be delivered again; add counted_in at the top: ${placesFor('counts')}`,
        { aboutKey: true, fix: [[['counted_in'], '/var/lib/form-relay']] },
      );
    return {
      cards: [
        { name: 'offline', says: 'keeps a finished form in the visitor’s browser while there is no network' },
      ],
      reserves: [
        { name: idField, key: [], what: 'the name of a submission that a page’s script may send again' },
      ],
      view: (view) => {
        if (!view.medium) return view;
        const say = (code: string) => view.locale.translate({ code, params: { time: '{time}' } });
        const said = Object.entries(words).map(([name, code]) => [name, say(code)]);
        const rule = JSON.stringify({ ms, field: idField });
        return {
          ...view,
          attributes: {
            ...view.attributes,
            'data-offline': rule,
            'data-button-class': view.classes?.back ?? view.classes?.button,
            ...Object.fromEntries(said),
          },
        };
      },
      markup: ({ medium }) => (medium ? { part: 'offline' } : {}),
      beforeValidation: (next) => (submission) => {
        const id = firstValue(submission.sent, idField);
        if (!/^[0-9a-f]{32}$/.test(id) || submission.isTrusted) return next(submission);
        const sender = { name: 'offline', key: submission.settings.formTokenSecret || submission.formId };
        return import('./answer_once.ts').then(async ({ answerOnce }) => {
          const outcome = await answerOnce(
            { sender, idempotencyKey: id, forMs: ms + dayMs },
            submission,
            next,
          );
          // An extra delivery is better than a lost one.
          return outcome.code === 'unknown' && outcome.by === 'keys' ? next(submission) : outcome;
        });
      },
    };
  },
});
