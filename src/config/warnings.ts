import type { Captcha } from '../captchas/provider.ts';
import type { Form, FormOutput } from '../form.ts';
import { outputTypes } from '../outputs/index.ts';
import { didYouMean, mostCandidates } from './did_you_mean.ts';
import type { Finding } from './problem.ts';

/** What loads, yet is probably not what the owner meant (D4, D5, D11). */
export function warningsOf({ id, fields, outputs, captcha }: Form): readonly Finding[] {
  const declared = fields.map(({ name }) => name);
  return [
    ...outputs.flatMap((output, index) => under(['outputs', index], outputWarnings(output, declared))),
    ...under(['captcha'], captcha ? captchaWarnings(captcha) : []),
  ].map((finding) => ({ ...finding, severity: 'warning', path: ['forms', id, ...finding.path] }));
}

const under = (path: Finding['path'], findings: readonly Finding[]) =>
  findings.map((finding) => ({ ...finding, path: [...path, ...finding.path] }));

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
      undeclared(['mapping', key], name, `"${name}" is not a declared field`),
    ),
    ...templates.flatMap(({ path, template: { fieldNames, unknownPaths } }) => [
      ...[...fieldNames].flatMap((name) =>
        undeclared(path, name, `this template reads "${name}", which is not a declared field`),
      ),
      ...alwaysEmpty(path, unknownPaths),
    ]),
  ];
}

function captchaWarnings({ secret }: Captcha): readonly Finding[] {
  const path = ['secret'];
  return secret.source === ''
    ? [{ path, message: 'the secret is empty: every submission will be refused' }]
    : alwaysEmpty(path, secret.unknownPaths);
}

const alwaysEmpty = (path: Finding['path'], unknownPaths: ReadonlySet<string>): readonly Finding[] =>
  [...unknownPaths].map((unknown) => ({ path, message: `${unknown} is always empty` }));
