import { type Finding, finding } from '../schema/finding.ts';
import { isMap } from '../schema/kinds.ts';
import { rawForms } from './form_languages.ts';

/** What must hold between `keep` at the top and in forms. It reads the config as written. */
export function keepProblems(config: unknown): readonly Finding[] {
  if (!isMap(config)) return [];
  const forms = Object.entries(rawForms(config)).flatMap(([id, form]) =>
    isMap(form) && form.keep !== undefined && form.keep !== null ? [{ id, what: form.keep }] : [],
  );
  const { keep } = config;
  if (keep === undefined || keep === null)
    return forms.map(({ id }) => finding('keep_nowhere', ['forms', id, 'keep']));
  if (!isMap(keep) || keep.seal_to === undefined || keep.seal_to === null) return [];
  const [, scheme] = /^(sqs|nats|tls):/i.exec(String(keep.in)) ?? [];
  if (scheme === undefined) return [];
  const place = scheme.toLowerCase() === 'sqs' ? 'Amazon SQS' : 'NATS';
  return forms
    .filter(({ what }) => what === 'always')
    .map(({ id }) => finding('keep_always_sealed', ['forms', id, 'keep'], { place }));
}
