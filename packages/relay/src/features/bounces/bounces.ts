import type { Bounces } from '../../base/bounces.ts';
import type { CountPlace } from '../../base/counts.ts';
import type { Keep } from '../../base/kept.ts';
import { late } from '../../base/late.ts';
import type { Schema } from '../../schema/any_schema.ts';
import { finding } from '../../schema/finding.ts';
import { lateSchema } from '../../schema/keys.ts';
import { feature } from '../feature.ts';
import { keepsInQueue } from '../keep/keep.ts';
import { countedAt } from '../places/places.ts';

export const bounceParts = late(() => import('./bounce_parts.ts'), 'bounces');

export const bouncesSchema: Schema<Written> = lateSchema(bounceParts, (loaded) => loaded.bouncesSchema);

type Written = Omit<Bounces, 'where'>;

export interface Top {
  readonly bounces?: Written | undefined;
  readonly keep?: Keep | undefined;
  readonly counted_in?: CountPlace | undefined;
}

export const bouncesIn = (top: Top): Bounces | undefined =>
  top.bounces && { ...top.bounces, where: countedAt(top) };

/** Takes in mails that came back, and sends no more to addresses that take none (docs/mail/bounces.md). */
export const bounces = feature({
  name: 'bounces',
  settings: ({ top }: { readonly form: object; readonly top: Top }) => bouncesIn(top),
  problemsAtTop: ({ bounces: written, counted_in: place, keep }) => {
    const isAsked = written !== undefined && written !== null;
    const isKept = place != null || (keep != null && !keepsInQueue(keep));
    return isAsked && !isKept ? [finding('bounces_kept_nowhere', ['bounces'])] : [];
  },
  stages: (asked) => ({
    isBlocked: async (address, world) => (await import('./is_blocked.ts')).isBlocked(address, asked, world),
  }),
  routes: [
    {
      name: 'mail-events',
      methods: 'POST',
      // SendGrid collects events up to 768 KB, and a mail that came back may hold a part of what was sent.
      bodyLimit: 1_048_576,
      // After a newsletter, a provider sends each event in a request of its own.
      limit: { perSecond: 200, atOnce: 2_000, perClient: { most: 200, withinMs: 10_000 } },
      answer: async (call) => (await import('./receive.ts')).receive(call),
    },
  ],
});
