/** The spam score in the place of the old program's, for tests that weigh texts without a relay. */
import type { Form } from '../../packages/core/src/form.ts';
import { judge } from '../../packages/spam/src/score/judge.ts';
import { type Doubt, weigh as weighOn } from '../../packages/spam/src/score/weigh.ts';
import type { Seen } from '../../packages/spam/src/signals/signal.ts';

export type { Weighed } from '../../packages/spam/src/score/weigh.ts';
export { judge };

export const doubt = { of: (form: Form) => form.provided.get('doubt') };

type World = Parameters<typeof weighOn>[2] & { readonly effects?: Parameters<typeof weighOn>[2]['services'] };

export const weigh = (all: Doubt, seen: Seen, { effects, ...world }: World) =>
  weighOn(all, seen, { ...(effects && { services: effects }), ...world });
