import { functions, references } from '@form-relay/relay/schema';
import type { TemplateWords } from './state.ts';

/** The words of templates, as the editor completes and explains them. */
export const templateWords: TemplateWords = {
  functions: functions.map(({ name, parameters, summary }) => ({ name, parameters, summary })),
  references,
};
