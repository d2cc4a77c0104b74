import { extendField } from '../fields/compile.ts';
import { inputsOf } from '../fields/field.ts';
import type { Form } from '../form.ts';
import { compileOutput, type OutputContext } from '../outputs/output.ts';
import { buildPipeline, urlencoded } from '../pipeline/compose.ts';
import type {
  Feature,
  FormConfig,
  FormHooks,
  OutputConfig,
  OutputExtension,
  Provided,
  Shared,
} from '../plugin.ts';
import type { Diagnostics } from '../schema/diagnostics.ts';
import { isMap } from '../schema/schema.ts';
import type { Written, WrittenForm } from './config_schema.ts';
import { checkConditions, checkNames, fieldsIn } from './form_fields.ts';
import { ByFeature, type Registry } from './registry.ts';

/** Compiles a form with its features. Reports mistakes between its keys. */
export function compileForm(
  id: string,
  written: WrittenForm,
  top: Written,
  shared: ByFeature<Shared>,
  registry: Registry,
  context: Omit<OutputContext, 'form'>,
  at: Diagnostics,
): Form | undefined {
  const { fields: entries = [], outputs = [], title, confirmation, submit_label } = written;
  const formFields = fieldsIn(entries);
  const { fields, notes } = formFields;
  const localized = at.report
    .localizedIn(at.path)
    .map(({ path, languages }) => ({ path: path.slice(at.path.length), languages }));
  const provided = new ByFeature<Provided>();
  const used: (FormHooks & { readonly name: string })[] = [];
  for (const feature of registry.features) {
    const asked: FormConfig = {
      formId: id,
      form: written,
      spam: written.spam ?? spamDefaults,
      topSpam: isMap(top.spam) ? top.spam : spamDefaults,
      top,
      shared: shared.own(feature.name),
      sharedBy: shared,
      fields,
      now: context.services.now(),
      notes,
      pathOf: formFields.pathOf,
      provided,
      localized,
      messagesIn: registry.messagesIn,
    };
    const one = usedBy(feature, asked, at);
    if (!one) continue;
    used.push({ ...one, name: feature.name });
    provided.set(feature.name, one.provides);
  }
  for (const field of fields) for (const { extendField: extend } of used) extendField(field, extend?.(field));
  checkNames(entries, used, at);
  checkConditions(formFields, at);
  const locale = used.find((one) => one.selectLocale)?.selectLocale;
  for (const { path, languages } of locale ? [] : localized)
    at.in(...path).error(
      `found texts by language, and the form names none; write languages: [${languages.join(', ')}]`,
    );
  const extensions = registry.plugins.flatMap(({ outputExtensions = [] }) => outputExtensions);
  const ofOutputs = outputs.map((output, index) => {
    const asked: OutputConfig = { formId: id, type: output.type, output, fields, provided };
    const place = at.in('outputs', index);
    return extensions.flatMap((one) => usedByOutput(one, asked, place) ?? []);
  });
  // The config does not load then, and anything in this form may be wrong.
  if (at.isWrong) return undefined;
  const declared = fields.map(({ name }) => name);
  const services = used.reduce((all, one) => one.decorateServices?.(all) ?? all, context.services);
  const spoken = locale?.(undefined) ?? registry.english;
  const about = { id, title: title && spoken.text(title), fields, locale: spoken };
  const placed = outputs.map((output, index) =>
    compileOutput(output, declared, ofOutputs[index] ?? [], { ...context, services, form: about }),
  );
  const featureNames = new Set(
    used.flatMap(({ reservedFields = [] }) => reservedFields.map(({ name }) => name)),
  );
  const inputs = inputsOf(fields);
  const outputNames = new Set(
    placed.flatMap(({ plan, templates, readsFields: reads }) => [
      ...reads.map(({ name }) => name),
      ...plan.flatMap(({ fieldName }) => fieldName ?? []),
      ...templates.flatMap(({ template }) => [...template.fieldNames]),
    ]),
  );
  const usedNames = new Set([...inputs.map(({ name }) => name), ...outputNames]);
  // A field with inputs has a value of its own, which nobody sends.
  for (const { name, inputs } of fields) if (inputs) usedNames.delete(name);
  for (const name of featureNames) usedNames.delete(name);
  return {
    id,
    fields,
    inputs,
    notes,
    outputs: placed,
    checkingOutputs: placed.filter(({ transport }) => transport?.check),
    title,
    confirmation,
    submitLabel: submit_label,
    locale: locale ?? always(registry.english),
    bodies: bodiesOf(used),
    services,
    usedNames,
    outputNames,
    reservedNames: featureNames,
    samples: new Map(
      used.flatMap(({ reservedFields = [] }) =>
        reservedFields.flatMap(({ name, sample }) => (sample === undefined ? [] : [[name, sample] as const])),
      ),
    ),
    ...buildPipeline(used, services.isDryRun !== undefined),
    renderers: registry.renderers,
    completeOutcome: used.flatMap(({ completeOutcome }) => completeOutcome ?? []),
    skipsThrottle: used.flatMap(({ skipsThrottle }) => skipsThrottle ?? []),
    prepareValidation: used.flatMap(({ prepareValidation }) => prepareValidation ?? []),
    prepareView: used.flatMap(({ prepareView }) => prepareView ?? []),
    renderMarkup: used.flatMap(({ renderMarkup }) => renderMarkup ?? []),
    cards: used.flatMap(({ cards }) => cards ?? []),
    provided,
  };
}

const spamDefaults: Written = {};

const always =
  <T>(value: T) =>
  () =>
    value;

/** Of most forms. */
const urlencodedAlone: Form['bodies'] = new Map([[urlencoded.mediaType, urlencoded]]);

function bodiesOf(used: readonly FormHooks[]): Form['bodies'] {
  const more = used.flatMap(({ bodyParsers = [] }) => bodyParsers);
  if (more.length === 0) return urlencodedAlone;
  return new Map([urlencoded, ...more].map((one) => [one.mediaType, one]));
}

function usedByOutput(
  one: OutputExtension,
  asked: Parameters<OutputExtension['configure']>[0],
  at: Diagnostics,
) {
  // A key is absent where the output's type has it not.
  if (one.types && !one.types.includes(asked.type)) return undefined;
  return one.configure(asked, at);
}

function usedBy(
  feature: Feature,
  asked: Parameters<Feature['configure']>[0],
  at: Diagnostics,
): FormHooks | undefined {
  try {
    return feature.configure(asked, at);
  } catch (error) {
    return at.error(`the feature "${feature.name}" failed: ${(error as Error).message}`);
  }
}
