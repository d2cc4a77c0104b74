import type { Form, FormOutput } from '../form.ts';
import type { Finding } from './problem.ts';

/** What loads, yet is probably not what the owner meant (D4, D5, D11). */
export function warningsOf(form: Form): readonly Finding[] {
  const declared = new Set(form.fields.map(({ name }) => name));
  return form.outputs.flatMap((output, index) =>
    outputWarnings(output, declared).map(
      (finding): Finding => ({
        ...finding,
        severity: 'warning',
        path: ['forms', form.id, 'outputs', index, ...finding.path],
      }),
    ),
  );
}

function outputWarnings(output: FormOutput, declared: ReadonlySet<string>): readonly Finding[] {
  if (!output.deliver) return output.warnings;
  const mapped = output.mapping instanceof Map ? [...output.mapping] : [];
  return [
    ...output.warnings,
    ...(output.plan.length === 0
      ? [
          {
            path: [],
            message: 'this output sends nothing; add a mapping, such as mapping: "*", or static values',
          },
        ]
      : []),
    ...mapped.flatMap(([key, name]) =>
      declared.has(name) ? [] : [{ path: ['mapping', key], message: `"${name}" is not a declared field` }],
    ),
    ...output.templates.flatMap(({ path, template: { fieldNames, unknownPaths } }) => [
      ...[...fieldNames].flatMap((name) =>
        declared.has(name)
          ? []
          : [{ path, message: `this template reads "${name}", which is not a declared field` }],
      ),
      ...[...unknownPaths].map((unknown) => ({ path, message: `${unknown} is always empty` })),
    ]),
  ];
}
