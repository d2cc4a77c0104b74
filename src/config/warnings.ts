import type { Captcha } from '../captchas/provider.ts';
import type { Field } from '../fields/field.ts';
import { unwatchedBudget } from '../fields/pattern.ts';
import type { Form, FormOutput } from '../form.ts';
import { say } from '../messages/message.ts';
import { outputTypes } from '../outputs/index.ts';
import type { Finding } from '../schema/finding.ts';
import { didYouMean, mostCandidates, nearest } from '../schema/suggestion.ts';
import { parseTemplate } from '../template/parse.ts';
import { maxValueBytes } from '../values.ts';

/** What loads, yet is probably not what the owner meant (D4, D5, D11, D50). */
export function warningsOf({ id, fields, outputs, captcha, confirmation }: Form): readonly Finding[] {
  const declared = fields.map(({ name }) => name);
  return [
    ...fields.flatMap((field, index) => under(['fields', index], fieldWarnings(field))),
    ...outputs.flatMap((output, index) => under(['outputs', index], outputWarnings(output, declared))),
    ...under(['captcha'], captcha ? captchaWarnings(captcha, declared) : []),
    ...(confirmation.trim() === ''
      ? [{ path: ['confirmation'], message: 'visitors read nothing after they have sent the form' }]
      : []),
  ].map((finding) => ({ ...finding, severity: 'warning', path: ['forms', id, ...finding.path] }));
}

const under = (path: Finding['path'], findings: readonly Finding[]) =>
  findings.map((finding) => ({ ...finding, path: [...path, ...finding.path] }));

function fieldWarnings(field: Field & { readonly max_length?: number }): readonly Finding[] {
  const { value = [], max_length: maxLength = 0 } = field;
  // Patterns that need a watch are not tried: a config may have many of them (D43).
  const budget = unwatchedBudget();
  const filled = value.filter((one) => one !== '');
  const refused = filled.length > 0 ? field.check(filled, budget) : undefined;
  return [
    ...(refused !== undefined && !budget.isSpent
      ? [{ path: ['value'], message: `the form refuses this: "${say(refused)}"` }]
      : []),
    ...(maxLength > maxValueBytes
      ? [{ path: ['max_length'], message: `found ${maxLength}; no value can be over ${maxValueBytes} bytes` }]
      : []),
  ];
}

function outputWarnings(output: FormOutput, declared: readonly string[]): readonly Finding[] {
  const { type, deliver, plan, mapping, templates, warnings } = output;
  if (!deliver) {
    const near = didYouMean(
      type,
      outputTypes.map((known) => known.type),
    );
    const message = `"${type}" is no output type: every submission will be answered 500${near}`;
    return [{ path: ['type'], message }];
  }
  const undeclared = (path: Finding['path'], name: string, message: string): readonly Finding[] =>
    declared.includes(name)
      ? []
      : [{ path, message: message + didYouMean(name, declared.slice(0, mostCandidates)) }];
  const emptiness = 'this output sends nothing; add a mapping, such as mapping: "*", or static values';
  return [
    ...warnings,
    ...(plan.length === 0 ? [{ path: [], message: emptiness }] : []),
    ...[...(mapping instanceof Map ? mapping : [])].flatMap(([key, name]) =>
      undeclared(
        ['mapping', key],
        name,
        name.includes('{{')
          ? `"${name}" is not a declared field: mapping takes a field's name, and templates belong under static`
          : `"${name}" is not a declared field`,
      ),
    ),
    ...templates.flatMap(({ path, template: { fieldNames, unknownPaths } }) => [
      ...[...fieldNames].flatMap((name) =>
        undeclared(path, name, `this template reads "${name}", which is not a declared field`),
      ),
      ...alwaysEmpty(path, unknownPaths, declared),
    ]),
  ];
}

function captchaWarnings({ secret }: Captcha, declared: readonly string[]): readonly Finding[] {
  const path = ['secret'];
  return secret.source === ''
    ? [{ path, message: 'the secret is empty: every submission will be refused' }]
    : alwaysEmpty(path, secret.unknownPaths, declared);
}

const alwaysEmpty = (
  path: Finding['path'],
  unknownPaths: ReadonlySet<string>,
  declared: readonly string[],
): readonly Finding[] =>
  [...unknownPaths].map((unknown) => ({
    path,
    message: `${unknown} is always empty${meantPath(unknown, declared)}`,
  }));

/** What a path that nothing has was meant to be: mostly a field, without `.fields` or with `.fields` mistyped. */
function meantPath(path: string, declared: readonly string[]): string {
  const [, first = '', last = ''] = /^\.(.*?)\.?([^.]*)$/s.exec(path) ?? [];
  const isReadable = (name: string) => {
    const template = parseTemplate(`{{ .fields.${name} }}`);
    return template.kind === 'template' && template.fieldNames.has(name);
  };
  const field = nearest(last, declared.slice(0, mostCandidates).filter(isReadable));
  const meant =
    first === 'env'
      ? `env "${last}"`
      : (nearest(path, ['.form.id', '.submitted_at']) ??
        (field === undefined ? undefined : `.fields.${field}`));
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}
