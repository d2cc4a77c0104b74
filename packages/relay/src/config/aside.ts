/** What `spam.doubt: aside` and the `aside` of outputs ask of each other. */

import { doubt } from '../features/doubt/doubt.ts';
import type { Form } from '../form.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { isMap } from '../schema/kinds.ts';
import { rawForms } from './form_languages.ts';

type RawMap = Readonly<Record<string, unknown>>;

const mapOrNothing = (written: unknown): RawMap => (isMap(written) ? written : {});

/** What is set aside needs an output that takes it, and so does everything else. It reads the config as written. */
export function asideProblems(config: unknown): readonly Finding[] {
  if (!isMap(config)) return [];
  const everywhere = mapOrNothing(config.spam).doubt;
  return Object.entries(rawForms(config)).flatMap(([id, form]) => {
    const { outputs, spam } = mapOrNothing(form);
    if (!Array.isArray(outputs) || outputs.length === 0) return [];
    const own = mapOrNothing(spam).doubt;
    const asides = outputs.map((output) => mapOrNothing(output).aside ?? 'never');
    const path = ['forms', id];
    if (asides.every((aside) => aside === 'only')) {
      return [finding('outputs_only_aside', [...path, 'outputs'])];
    }
    if (!asides.every((aside) => aside === 'never') || !setsAside(own ?? everywhere)) return [];
    const at = own === undefined ? ['spam', 'doubt'] : [...path, 'spam', 'doubt'];
    return [finding('aside_nowhere', isMap(own ?? everywhere) ? [...at, 'aside'] : at, { form: id })];
  });
}

const setsAside = (doubt: unknown): boolean => doubt === 'aside' || mapOrNothing(doubt).aside !== undefined;

/** Outputs for what is set aside, in forms that set nothing aside. */
export const asideWarnings = (form: Form): readonly Finding[] =>
  doubt.of(form)?.thresholds.some(({ action }) => action === 'aside')
    ? []
    : form.outputs.flatMap(({ aside }, index): readonly Finding[] =>
        aside === 'never'
          ? []
          : [
              {
                ...finding('aside_unused', ['forms', form.id, 'outputs', index, 'aside'], {
                  isOnly: aside === 'only',
                }),
                severity: 'warning',
              },
            ],
      );
