/** The visitor's browser stores what was typed until the form is sent. The relay stores and receives nothing. */
import type { MakePlugin } from 'form-relay/plugin';
import script from './built/remember.ts';
import { keptFields } from './kept_fields.ts';
import { words } from './remember_words.ts';

const yearMs = 365 * 86_400_000;

const make: MakePlugin = (kit) => ({
  name: 'remember',
  summary: 'Saves unsent values in the visitor’s browser until the form is sent.',
  scripts: { remember: () => script },
  messages: words,
  fieldExtensions: [
    kit.extension.field({
      name: 'remember',
      keys: {
        remember: kit.key.withDefault(
          'true',
          'Whether `remember`, `resume` and reloads of a form in steps may save the value.',
          kit.key.boolean(),
        ),
      },
      configure: () => undefined,
    }),
  ],
  features: [
    kit.feature({
      name: 'remember',
      keys: {
        form: {
          remember: kit.key.optional(
            'How long the visitor’s browser remembers an unsent form, such as `7d` (docs/remember.md).',
            kit.key.duration({ hasDays: true, leastMs: 60_000, mostMs: yearMs }),
          ),
        },
      },
      configure: ({ form: { remember: ms }, fields }, at) => {
        if (ms === undefined) return undefined;
        const names = keptFields(fields).map(({ name }) => name);
        if (names.length === 0)
          at.in('remember').warning(
            'no field of this form may be remembered, so this key has no effect; remove it, or set remember: true on a field',
          );
        return {
          cards: [{ name: 'remember', says: 'saves unsent values in the visitor’s browser' }],
          view: (view) => {
            const say = (code: string) => view.locale.translate({ code, params: { time: '{time}' } });
            return {
              ...view,
              attributes: {
                ...view.attributes,
                'data-remember': JSON.stringify({ ms, fields: names, again: view.sent !== undefined }),
                'data-button-class': view.classes?.back ?? view.classes?.button,
                'data-remember-offer': say('remember_offer'),
                'data-remember-continue': say('remember_continue'),
                'data-remember-anew': say('remember_anew'),
                'data-remember-kept': say('remember_kept'),
                'data-remember-clear': say('remember_clear'),
              },
            };
          },
          markup: () => ({ part: 'remember' }),
        };
      },
    }),
  ],
});

export default make;
