import { functions } from '@form-relay/core/schema/template/functions';
import { namedPaths, paths } from '@form-relay/core/schema/template/paths';
import type { TemplateWords } from './state.ts';

/** The words of templates, as the editor completes and explains them. */
export const templateWords: TemplateWords = {
  functions: functions.map(({ name, parameters, summary }) => ({ name, parameters, summary })),
  references: [...namedPaths.map(({ name, summary }) => ({ name: `${name}.<name>`, summary })), ...paths].map(
    ({ name, summary }) => ({ name, summary }),
  ),
};
