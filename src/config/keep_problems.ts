import { type Finding, finding } from '../config_finding.ts';
import { isMap } from '../schema/kinds.ts';
import { rawForms } from './form_languages.ts';

/** What must hold between `keep` at the top and in forms. It reads the config as written. */
export function keepProblems(config: unknown): readonly Finding[] {
  if (!isMap(config) || (config.keep !== undefined && config.keep !== null)) return [];
  return Object.entries(rawForms(config)).flatMap(([id, form]) =>
    isMap(form) && form.keep !== undefined ? [finding('keep_nowhere', ['forms', id, 'keep'])] : [],
  );
}
