import { optional } from '../schema/keys.ts';
import { flag, isWrittenTrue } from '../schema/kinds.ts';
import { feature } from './feature.ts';

/** The hidden field in which the form's script says how it was filled in. */
export const behaviourField = '_behaviour';

/** Has the form's script count how it is filled in, which a signal of doubt looks at. */
export const behaviour = feature({
  name: 'behaviour',
  isForBrowsers: true,
  keys: {
    spamAndTop: {
      behaviour: optional(
        'Whether the form’s script counts how it was filled in: keys, focus and time, never what was typed (docs/doubt.md).',
        flag(),
      ),
    },
  },
  settings: ({ guards }: { readonly guards: { readonly behaviour?: boolean } }) =>
    guards.behaviour || undefined,
  names: () => [behaviourField],
  reserves: ({ spam }) =>
    isWrittenTrue(spam.behaviour) ? [{ name: behaviourField, check: 'behaviour' }] : [],
});
