import type { ConfigCache } from '../config/cache.ts';
import type { Form } from '../form.ts';
import type { Outcome } from '../outcome.ts';
import { err, ok, type Result } from '../result.ts';

/** The form of this name, or how the request ends without one. */
export async function findForm(
  formId: string | undefined,
  cache: ConfigCache,
): Promise<Result<Form, Outcome>> {
  const loaded = cache.get();
  const config = loaded instanceof Promise ? await loaded : loaded;
  if (!config) return err({ kind: 'no_config' });
  const form = formId === undefined ? undefined : config.forms.get(formId);
  return form ? ok(form) : err({ kind: 'unknown_form' });
}
