import type { ConfigCache } from '../config/cache.ts';
import type { Config } from '../config/parse.ts';
import type { Form } from '../form.ts';
import type { Outcome } from '../outcome.ts';
import { err, ok, type Result } from '../result.ts';

/** The form of this name, or what there is to answer without one. Without waiting while the config is fresh. */
export function findForm(
  formId: string | undefined,
  cache: ConfigCache,
): Result<Form, Outcome> | Promise<Result<Form, Outcome>> {
  const find = (config: Config | undefined): Result<Form, Outcome> => {
    if (!config) return err({ kind: 'no_config' });
    const form = formId === undefined ? undefined : config.forms.get(formId);
    return form ? ok(form) : err({ kind: 'unknown_form' });
  };
  const loaded = cache.get();
  return loaded instanceof Promise ? loaded.then(find) : find(loaded);
}
