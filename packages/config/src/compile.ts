import type { Registry, Written, WrittenForm } from '@form-relay/core/config';
import { derivedIn } from '@form-relay/core/fields/derived';
import { inputsOf } from '@form-relay/core/fields/field';
import { checkNames, fieldsIn } from '@form-relay/core/fields/form_fields';
import type { Closer, Form } from '@form-relay/core/form';
import { compileOutput, type OutputContext } from '@form-relay/core/outputs/output';
import { buildPipeline, urlencoded } from '@form-relay/core/pipeline/compose';
import type { FormConfig, Hooks, OutputConfig } from '@form-relay/core/plugin';
import { orMistake } from '@form-relay/plugin-host/or_mistake';
import { checkConditions } from '@form-relay/schema/condition_check';
import type { Diagnostics } from '@form-relay/schema/diagnostics';
import { isMap } from '@form-relay/schema/schema';
import type { ByFeature } from './registry.ts';

/** Compiles a form with its features. Reports contradictions between its keys, and errors that plug-ins throw. */
export function compileForm(...asked: CompileArguments): Form | undefined {
  const closers: Closer[] = [];
  const form = orMistake('the form', asked[6], () => compile(closers, ...asked));
  if (!form) void closeAll(closers);
  return form;
}

type CompileArguments = Parameters<typeof compile> extends [unknown, ...infer Rest] ? Rest : never;

/** Closes what a form opened. A failure must not affect the rest. */
export const closeAll = (closers: readonly Closer[]): Promise<unknown> =>
  Promise.allSettled(closers.map(async (close) => close()));

function compile(
  closers: Closer[],
  id: string,
  written: WrittenForm,
  top: Written,
  shared: ByFeature,
  registry: Registry,
  context: Omit<OutputContext, 'form'>,
  at: Diagnostics,
): Form | undefined {
  const { fields: entries = [], outputs = [], title, confirmation, submit_label } = written;
  const formFields = fieldsIn(entries);
  const { fields, notes, pathOf } = formFields;
  const localized = at.report
    .localizedIn(at.path)
    .map(({ path, languages }) => ({ path: path.slice(at.path.length), languages }));
  const provided: ByFeature = new Map();
  const used: (Hooks & { readonly name: string })[] = [];
  const askedOf = (name: string): FormConfig => ({
    formId: id,
    form: written,
    spam: written.spam ?? noKeys,
    topSpam: isMap(top.spam) ? top.spam : noKeys,
    top,
    shared: shared.get(name),
    sharedBy: shared,
    fields,
    outputTypes: outputs.map(({ type }) => type),
    now: context.services.now(),
    notes,
    pathOf,
    provided,
    localized,
    messagesIn: registry.messagesIn,
  });
  for (const feature of registry.features)
    if (feature.completeFields)
      orMistake(`the feature "${feature.name}"`, at, () =>
        feature.completeFields?.(askedOf(feature.name), at),
      );
  for (const feature of registry.features) {
    const { name } = feature;
    const hooks = orMistake(`the feature "${name}"`, at, () => feature.configure(askedOf(name), at));
    // A key before the spread, as in the core's fields/compile.ts.
    if (hooks) used.push({ provides: hooks.provides, ...hooks, name });
    if (hooks?.provides !== undefined) provided.set(name, hooks.provides);
    if (hooks?.close) closers.push(hooks.close);
  }
  checkNames(entries, used, at);
  checkConditions(fields, notes, (one) => at.in(...pathOf(one)));
  const derived = derivedIn(fields, (one) => at.in(...pathOf(one)));
  const locale = used.find((one) => one.selectLocale)?.selectLocale;
  for (const { path, languages } of locale ? [] : localized)
    at.in(...path).error(
      `found texts by language, but the form has no languages; add languages: [${languages.join(', ')}]`,
    );
  const extensions = registry.plugins.flatMap(({ outputExtensions = [] }) => outputExtensions);
  const outputHooks = outputs.map((output, index) => {
    const { type } = output;
    const asked: OutputConfig = { formId: id, type, output, fields, provided };
    // Only types that an extension applies to have its keys.
    const ofType = extensions.filter(({ types }) => types?.includes(type) ?? true);
    return ofType.flatMap((one) => one.configure(asked, at.in('outputs', index)) ?? []);
  });
  // The config does not load in this case, and anything in this form may be wrong.
  if (at.isWrong) return undefined;
  const declared = fields.map(({ name }) => name);
  const services = used.reduce((all, one) => one.decorateServices?.(all) ?? all, context.services);
  const spoken = locale?.(undefined) ?? registry.english;
  const form = { id, title: title && spoken.text(title), fields, locale: spoken };
  const placed = outputs.flatMap((output, index) => {
    const here = { form, ...context, services };
    const hooks = outputHooks[index] ?? [];
    const what = `the output type "${output.type}"`;
    const made = orMistake(what, at.in('outputs', index), () => compileOutput(output, declared, hooks, here));
    const { transport } = made ?? {};
    if (transport?.close) closers.push(() => transport.close?.());
    return made ?? [];
  });
  if (at.isWrong) return undefined;
  const reserved = used.flatMap(({ reserves = [] }) => reserves);
  const reservedNames = new Set(reserved.map(({ name }) => name));
  const inputs = inputsOf(fields);
  const outputNames = new Set(
    placed.flatMap(({ plan, templates, readsFields }) => [
      ...readsFields.map(({ name }) => name),
      ...plan.flatMap(({ fieldName }) => fieldName ?? []),
      ...templates.flatMap(({ template }) => [...template.fieldNames]),
    ]),
  );
  const takes = used.find((one) => one.takesUndeclared)?.takesUndeclared;
  const takesUndeclared = takes && ((name: string) => takes(name) && !reservedNames.has(name));
  const named = [...inputs.map(({ name }) => name), ...outputNames];
  const usedNames = takesUndeclared ? new KnownNames(named) : new Set(named);
  if (usedNames instanceof KnownNames) usedNames.takes = takesUndeclared;
  // A field with inputs has its own value, which is never sent as such.
  for (const { name, inputs } of fields) if (inputs) usedNames.delete(name);
  for (const name of reservedNames) usedNames.delete(name);
  return frozen({
    id,
    fields,
    inputs,
    notes,
    outputs: placed,
    checkingOutputs: placed.filter(({ transport }) => transport?.check),
    fieldChecks: used.flatMap(({ check }) => check ?? []),
    title,
    confirmation,
    submitLabel: submit_label,
    locale: locale ?? (() => registry.english),
    firstLocale: spoken,
    bodies: bodiesOf(used),
    services,
    usedNames,
    outputNames,
    hasConditions: fields.some((one) => one.visible_when || one.required_when),
    derived,
    normalizes: derived.length > 0 || inputs.some(({ normalize }) => normalize),
    takesUndeclared,
    reservedNames,
    samples: new Map(
      reserved.flatMap(({ name, sample }) => (sample === undefined ? [] : [[name, sample] as const])),
    ),
    ...buildPipeline(used, services.isDryRun !== undefined),
    renderers: registry.renderers,
    completeOutcome: used.flatMap(({ completeOutcome }) => completeOutcome ?? []),
    skipsThrottle: used.flatMap(({ skipsThrottle }) => skipsThrottle ?? []),
    prepareView: used.flatMap(({ view }) => view ?? []),
    renderMarkup: used.flatMap(({ markup }) => markup ?? []),
    cards: used.flatMap(({ cards }) => cards ?? []),
    closers,
    provided,
  });
}

/** Freezes a form, because plug-ins read it: a hook that writes to it throws. The plug-ins' own data is not frozen. */
function frozen(form: Form): Form {
  const { fields, inputs, notes, outputs } = form;
  // Most forms have only fields without inputs, so both names refer to the same list.
  for (const list of new Set<readonly object[]>([fields, inputs, notes, outputs]))
    for (const one of Object.freeze(list)) Object.freeze(one);
  for (const { options = [], offered = [] } of new Set([...fields, ...inputs])) {
    if (!Object.isFrozen(options)) for (const option of Object.freeze(options)) Object.freeze(option);
    Object.freeze(offered);
  }
  for (const output of outputs) Object.freeze(output.form);
  return Object.freeze(form);
}

/** The inputs that the config names, and further ones that a feature accepts. */
class KnownNames extends Set<string> {
  takes: Form['takesUndeclared'];

  override has(name: string): boolean {
    return super.has(name) || this.takes?.(name) === true;
  }
}

const noKeys: Written = {};

/** The body parsers of most forms. */
const urlencodedAlone: Form['bodies'] = new Map([[urlencoded.mediaType, urlencoded]]);

function bodiesOf(used: readonly Hooks[]): Form['bodies'] {
  const more = used.flatMap(({ bodies = [] }) => bodies);
  if (more.length === 0) return urlencodedAlone;
  return new Map([urlencoded, ...more].map((one) => [one.mediaType, one]));
}
