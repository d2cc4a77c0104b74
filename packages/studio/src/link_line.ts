import type { Effects, Form } from '@form-relay/relay/base';
import { isNeverFilledIn, linkError, withMeaning } from '@form-relay/relay/features';
import { labelledError } from '@form-relay/relay/pages';
import { quoted } from './shell.ts';
import type { LinkAnswer } from './state.ts';

type Values = ReadonlyMap<string, readonly string[]>;

/** The command that makes a link with what was filled in, or what is wrong with that. `asked`: its options. */
export async function linkLine(
  form: Form,
  { sent, asked }: { readonly sent: Values; readonly asked: Values },
  { command, effects }: { readonly command: string; readonly effects: Effects },
): Promise<LinkAnswer> {
  const of = (name: string) => asked.get(name)?.[0];
  const meant = withMeaning(sent, form.inputs);
  const words = [quoted(form.id)];
  const options: string[] = [];
  const errors: Record<string, string> = {};
  for (const field of form.fields) {
    const { name, parts } = field;
    const gathered = parts?.gather(meant);
    const values = parts
      ? gathered === undefined
        ? []
        : [JSON.stringify(gathered)]
      : (meant.get(name) ?? []).filter((value) => value !== '');
    if (values.length === 0 || field.computes || isNeverFilledIn(field)) continue;
    const isLocked = asked.get('locked')?.includes(name) === true;
    const error = await linkError(field, values, isLocked, { form, effects });
    if (error) errors[name] = error.field === name ? form.say(error) : labelledError(form, error);
    words.push(...values.map((value) => `${quoted(name)}=${quoted(value)}`));
    if (isLocked) options.push(`--locked ${quoted(name)}`);
  }
  if (of('expires')) options.push(`--expires ${quoted(of('expires') ?? '')}`);
  if (of('single_use')) options.push('--single-use');
  if (of('page')) options.push(`--page ${quoted(of('page') ?? '')}`);
  if (of('qr')) options.push('--qr link.svg');
  // Options end at `--` if what follows could be read as one.
  const isUnclear = words.some((word) => word.startsWith('-'));
  const line = isUnclear ? [...options, '--', ...words] : [...words, ...options];
  const isWrong = Object.keys(errors).length > 0;
  return { line: isWrong ? undefined : [command, 'link', ...line].join(' '), errors };
}
