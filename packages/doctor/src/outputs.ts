/** The servers that a config delivers through, and its templates, each with its place. */

import type { Form } from '@form-relay/core/form';
import type { FormOutput, Transport } from '@form-relay/core/outputs/output';
import type { Environment } from '@form-relay/core/settings';
import { Diagnostics, type Path, type PlacedTemplate, Report } from '@form-relay/schema/diagnostics';
import type { Template } from '@form-relay/schema/template';
import { mailTransportOf } from '@form-relay/visitor-mails/carrier';
import { mailsOf, type SentMail } from '@form-relay/visitor-mails/mail';
import { readConfigText } from '@form-relay/yaml/config_text';
import { formatPath } from '@form-relay/yaml/problem';
import type { Target } from './probes/connection.ts';
import type { Setup } from './setup.ts';

export interface PlacedOutput<T = Target | undefined> {
  /** `undefined`: it gets no submissions, and only carries mails to visitors. */
  readonly output: FormOutput | undefined;
  readonly target: T;
  readonly path: Path;
  /** The path as text, such as `forms.contact.outputs[0]`. */
  readonly place: string;
}

/** The config's forms; none if the config does not load. */
export const formsOf = ({ loaded }: Setup): readonly Form[] => [...(loaded?.forms.values() ?? [])];

/** The config's forms and the form of its alerts, each with its place. */
function everyForm(setup: Setup): readonly (readonly [Form, Path])[] {
  const alerts = setup.loaded?.shared.get('alerts')?.form;
  return [
    ...formsOf(setup).map((form) => [form, ['forms', form.id]] as const),
    ...(alerts ? [[alerts, ['alerts']] as const] : []),
  ];
}

/** All servers that forms deliver through: their outputs, and servers that only carry mails to visitors. */
export const outputsOf = (setup: Setup): readonly PlacedOutput[] =>
  everyForm(setup).flatMap(([form, path]) => [
    ...form.outputs.map((output, index) =>
      placed(output, targetOf(output, output.transport), [...path, 'outputs', index]),
    ),
    ...mailsOf(form).flatMap(([key, mail]) =>
      mail.through ? [placed(undefined, carrierOf(mail, form), [...path, key, 'through'])] : [],
    ),
  ]);

const placed = (output: FormOutput | undefined, target: Target | undefined, path: Path): PlacedOutput => ({
  output,
  target,
  path,
  place: formatPath(path),
});

/** An output has the keys of its type, and a carrier those of how to send. Transports of a protocol read the same ones. */
function targetOf(keys: object, { protocol, address, target }: Partial<Transport> = {}): Target | undefined {
  return protocol && ({ ...keys, name: target ?? '', address, protocol } as Target);
}

/** The server that carries a mail to a visitor. */
export function carrierOf({ through }: SentMail, form: Form): Target | undefined {
  const { outputs, services } = form;
  if (through) {
    const [first] = outputs;
    if (!first) return undefined;
    const { transport } = mailTransportOf(through, form, {
      services,
      mailFromAddress: undefined,
      form: first.form,
    });
    return targetOf({ ...through.keys, from: through.from }, transport);
  }
  const output = outputs.find(
    ({ transport }) => transport?.protocol === 'smtp' || transport?.protocol === 'ses',
  );
  return output && targetOf(output, output.transport);
}

/** The outputs that speak a protocol. */
export const outputsThrough = <P extends Target['protocol']>(
  setup: Setup,
  protocol: P,
): readonly PlacedOutput<Extract<Target, { protocol: P }>>[] =>
  outputsOf(setup).flatMap(({ target, ...rest }) =>
    target?.protocol === protocol ? [{ ...rest, target: target as Extract<Target, { protocol: P }> }] : [],
  );

/** Every template of a config that loads. Templates of alerts are compiled apart from the rest. */
export async function templatesOf(setup: Setup): Promise<readonly PlacedTemplate[]> {
  const { config, loaded } = setup;
  if (!loaded || !config.text.ok) return [];
  const read = await readConfigText(config.text.value);
  if (!read.ok) return [];
  const texts = { templates: [] as PlacedTemplate[], forVisitors: [] };
  loaded.registry.config(read.value.value, new Diagnostics([], new Report(read.value.value, texts)));
  const inAlerts = outputsOf(setup)
    .filter(({ path }) => path[0] === 'alerts')
    .flatMap(({ output, path }) =>
      (output?.templates ?? []).map((one) => ({ ...one, path: [...path, ...one.path] })),
    );
  return [...texts.templates, ...inAlerts];
}

/** A variable's value; unset and empty are the same. */
export const read = (env: Environment, name: string): string => (Object.hasOwn(env, name) && env[name]) || '';

/** Renders a template as if all fields were empty. */
export const renderWithoutFields = (template: Template, env: Environment): string =>
  template.render({
    fields: new Map(),
    formId: '',
    submittedAt: '',
    env: (name) => read(env, name),
  });

/** Groups by a key, in the order of the first of each group. */
export function groupBy<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
): readonly (readonly [T, ...T[]])[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups.values()];
}

/** The first few of the places, in words. */
export const places = (all: readonly { readonly place: string }[]): string => {
  const shown = all.slice(0, 3).map(({ place }) => place);
  return all.length > 3 ? `${shown.join(', ')} and ${all.length - 3} more` : shown.join(', ');
};

/** The first of some forms, in words. */
export function firstOf([first, ...more]: readonly { readonly id: string }[]): string {
  return more.length > 0 ? `"${first?.id}" and ${more.length} more` : `"${first?.id}"`;
}
