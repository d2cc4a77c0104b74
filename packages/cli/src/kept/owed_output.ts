import type { Kept } from '@form-relay/relay/base/kept';
import { err, ok, type Result } from '@form-relay/relay/base/result';
import type { Config } from '@form-relay/relay/config/parse';
import type { Form, FormOutput } from '@form-relay/relay/form';
import { owingPlace } from '@form-relay/relay/keeping/owing_output';

/** Who is to get a kept delivery. */
export interface OwedOutput {
  readonly form: Form;
  /** In the form's `outputs`, from 0. */
  readonly place: number;
  readonly output: FormOutput;
}

/**
 * Finds it in a config, which may have changed since; or says in words why nobody can tell.
 *
 * @param place The one that the owner names for what has none any more. What still has its own stays its own: it may be
 * owed by several outputs of a form, and none of them gets what is meant for another.
 */
export function owedOutput(
  kept: Pick<Kept, 'form' | 'output'>,
  { forms }: Pick<Config, 'forms'>,
  place?: number,
): Result<OwedOutput, string> {
  const form = forms.get(kept.form);
  if (!form) return err(`the config has no form "${kept.form}"`);
  const found = owingPlace(form, kept.output) ?? place;
  if (found === undefined)
    return err(`"${form.id}" has no output any more that this was for; --output names another`);
  const output = form.outputs[found];
  return output ? ok({ form, place: found, output }) : err(`"${form.id}" has no outputs[${found}]`);
}

/** `http_post to https://crm.example.com/leads`. */
export const outputInWords = ({ output: { type, target } }: Pick<OwedOutput, 'output'>): string =>
  target ? `${type} to ${target.name}` : type;
