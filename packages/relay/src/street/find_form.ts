import type { Outcome } from '../base/outcome.ts';
import { err, ok, type Result } from '../base/result.ts';
import { after, type Soon } from '../base/soon.ts';
import type { ConfigCache } from '../config/cache.ts';
import type { Config } from '../config/parse.ts';
import type { Form } from '../form.ts';

/** The form of this name, or how the request ends without one. Known at once while the config is fresh. */
export const findForm = (formId: string | undefined, cache: ConfigCache): Soon<Result<Form, Outcome>> =>
  after(cache.get(), (config) => formIn(config, formId));

function formIn(config: Config | undefined, formId: string | undefined): Result<Form, Outcome> {
  if (!config) return err({ kind: 'no_config' });
  const form = formId === undefined ? undefined : config.forms.get(formId);
  return form ? ok(form) : err({ kind: 'unknown_form' });
}
