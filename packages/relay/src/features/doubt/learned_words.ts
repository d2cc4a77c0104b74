import type { Effects } from '../../base/effects.ts';
import type { Values } from '../../base/values.ts';
import type { Form } from '../../form.ts';
import { seedsOf } from '../../schema/lists/features.ts';
import { type SpokenWords, spokenWords } from '../../schema/lists/spoken_words.ts';
import { doubt } from './doubt.ts';
import { learnedKey } from './signals/learned.ts';
import { freeTexts } from './signals/typed.ts';

/**
 * The words to which the form's model, as it is now, gives most weight. They are what a visitor wrote, so they must not reach
 * a log. `undefined`: the form has no model, or one of another key.
 */
export function learnedWords(
  form: Form,
  values: Values,
  { env }: Pick<Effects, 'env'>,
): SpokenWords | undefined {
  const model = doubt.of(form)?.signals.find((one) => one.model)?.model?.read;
  const key = env(learnedKey) ?? '';
  if (!model || key === '') return undefined;
  const seeds = seedsOf(key);
  if (seeds.check !== model.check) return undefined;
  return spokenWords(model, freeTexts({ fields: form.fields, values }), seeds);
}
