import { type Form, type Path, pathOf } from '@form-relay/relay/base';
import { formatPath } from '@form-relay/relay/config';
import { everyOutput } from '@form-relay/relay/features';
import type { Environment, Template } from '@form-relay/relay/schema';
import type { Output, Target } from '@form-relay/relay/transports';

export interface PlacedOutput<C = Target | undefined> {
  readonly output: Output;
  /** Whether it gets no submissions, and carries mails to visitors alone. */
  readonly isCarrier: boolean;
  readonly target: C;
  readonly path: Path;
  /** The path as text, such as `forms.contact.outputs[0]`. */
  readonly place: string;
}

export const outputsOf = (forms: readonly Form[]): readonly PlacedOutput[] =>
  forms.flatMap((form) =>
    everyOutput(form).map(({ output, path: at }) => {
      const path: Path = [...pathOf(form), ...at];
      const isCarrier = at[0] !== 'outputs';
      return { output, isCarrier, target: output.target, path, place: formatPath(path) };
    }),
  );

/** The outputs that deliver through one transport. */
export const outputsThrough = <V extends Target['via']>(
  forms: readonly Form[],
  via: V,
): readonly PlacedOutput<Extract<Target, { via: V }>>[] =>
  outputsOf(forms).flatMap(({ target, ...rest }) =>
    target?.via === via ? [{ ...rest, target: target as Extract<Target, { via: V }> }] : [],
  );

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
