import type { Effects } from '../../effects.ts';
import type { Form, FormOutput } from '../../form.ts';
import type { Settings } from '../../settings.ts';

/** The variable that holds an output's address, where it has one (D67). */
export const addressVariable = ({ target }: FormOutput): string | undefined =>
  target?.via === 'http' && 'env' in target.address ? target.address.env : undefined;

/** What differs from the relay that will run with these settings, and what is missing here. */
export function notes(form: Form, settings: Settings, { env }: Pick<Effects, 'env'>): readonly string[] {
  const isUnset = (name: string) => !env(name);
  const ofOutputs = form.outputs.flatMap(({ templates }) => templates.map(({ template }) => template));
  const templates = form.captcha ? [...ofOutputs, form.captcha.secret] : ofOutputs;
  const unset = [...new Set(templates.flatMap(({ envNames }) => [...envNames]))].filter(isUnset);
  return [
    ...unset.map((name) => `${name} is not set here, so it renders empty`),
    ...(form.spam?.minFill && settings.formTokenSecret === ''
      ? ['FORM_TOKEN_SECRET is not set here: one was made up for this run']
      : []),
    ...(form.outputs.some(({ target }) => target?.via === 'ses') && settings.mailFromAddress === undefined
      ? ['MAIL_FROM_ADDRESS is not set here: a made-up address stands in']
      : []),
    ...form.outputs
      .flatMap((output) => addressVariable(output) ?? [])
      .filter(isUnset)
      .map((name) => `${name} is not set here: a made-up address stands in`),
    ...(form.captcha ? [`${form.captcha.provider} was not asked: this run decides by itself`] : []),
  ];
}
