/** Warnings about outputs that load, but probably do not do what the owner meant. */
import { decidersOf, holds } from '@form-relay/base/condition';
import { reservedHostIn } from '@form-relay/base/url';
import type { Field } from '@form-relay/core/fields/field';
import { type FormOutput, isEmpty } from '@form-relay/core/outputs/output';
import { addressFieldWarning } from '@form-relay/core/outputs/recipients';
import { inWords } from '@form-relay/schema/condition';
import type { Diagnostics, PlacedTemplate } from '@form-relay/schema/diagnostics';
import { type Named, nearest } from '@form-relay/schema/suggestion';

type Templates = readonly PlacedTemplate[];

/** @param types The known output types. @param templates The output's templates. */
export function warnOfOutput(
  output: FormOutput,
  fields: readonly Field[],
  types: readonly Named[],
  templates: Templates,
  at: Diagnostics,
  takesUndeclared: (name: string) => boolean = () => false,
): void {
  const { type, transport, condition, mapping } = output;
  if (!transport) {
    // The following lines of a block text may have swallowed other keys, and their secrets.
    const [firstLine = '', more] = type.split('\n', 2);
    const shown = more === undefined ? firstLine : `${firstLine} …`;
    const when = condition ? `in which ${inWords(condition)} ` : '';
    const follows =
      at.path[0] === 'forms'
        ? `: every submission ${when}will be answered with 500`
        : ', so its link is never sent';
    at.in('type').warning(`"${shown}" is not an output type${follows}`, {
      code: 'output_type_unknown',
      word: type,
      options: types,
    });
    return;
  }
  if (isEmpty(output) && !output.sendsOfItself) {
    const sent = fields.some((field) => takesFilesOf(output, field)) ? 'files, but no fields' : 'nothing';
    at.warning(`this output sends ${sent}; add a mapping, such as mapping: "*", or static values`, {
      fix: [[[...at.path, 'mapping'], '*']],
    });
  }
  if (condition)
    linkDecides(
      [...decidersOf(condition)],
      fields,
      'field' in condition ? at.in('when', 'field') : at.in('when'),
    );
  warnOfExamples(transport.target, templates, at);
  const declared = fields.flatMap(({ name, inputs }) => [
    name,
    ...(inputs?.all ?? []).map((one) => one.name),
  ]);
  const isUnknown = (name: string) => !declared.includes(name) && !marks.has(name) && !takesUndeclared(name);
  const inMapping = [...(mapping instanceof Map ? mapping : [])].map(([key, name]) => ({
    name,
    path: ['mapping', key],
  }));
  for (const { name, path } of [...inMapping, ...output.readsFields].filter((one) => isUnknown(one.name))) {
    const isTemplate = path[0] === 'mapping' && name.includes('{{');
    const more = isTemplate ? ": mapping expects a field's name; templates belong under static" : '';
    at.in(...path).warning(`"${name}" is not a declared field${more}`, {
      code: 'field_undeclared',
      suggestion: nearest(name, declared),
      word: name,
    });
  }
  for (const { path, template } of templates) {
    const place = at.fromTop(...path);
    const key = path[at.path.length];
    for (const name of [...template.fieldNames].filter(isUnknown))
      place.warning(`this template reads "${name}", which is not a declared field`, {
        suggestion: nearest(name, declared),
        word: name,
      });
    if (decisiveKeys.has(key)) linkDecides([...template.fieldNames], fields, place);
    const warning = key === 'to' || key === 'reply_to' ? addressFieldWarning(template, fields) : undefined;
    if (warning) place.warning(warning);
  }
}

export const takesFilesOf = ({ transport }: FormOutput, { name, takeFiles }: Field): boolean =>
  takeFiles !== undefined && transport?.takesFile?.(name) === true;

/** Keys that decide who gets a submission, or what a server receives besides the payload. */
const decisiveKeys: ReadonlySet<unknown> = new Set(['to', 'reply_to', 'headers']);

/** Visitors see what a link has filled in, unless the field is hidden. */
function linkDecides(names: readonly string[], fields: readonly Field[], at: Diagnostics): void {
  for (const { type, name, isClosedToLinks } of fields)
    if (type === 'hidden' && !isClosedToLinks && names.includes(name))
      at.warning(
        `anyone can set the hidden field "${name}" by a link, and this setting depends on it; add from_query: false to the field to prevent that`,
      );
}

/** Names that doubted submissions, and those of agents, have besides their fields. */
const marks: ReadonlySet<string> = new Set(['_doubt', '_agent']);

const mailKeys: ReadonlySet<unknown> = new Set(['to', 'cc', 'bcc', 'reply_to', 'username', 'from']);

/** Placeholders for the owner's values, in configs that the relay writes and in the manual. */
const placeholder = /(?<![\w.+-])you@[\w.-]+|\b(?:CHANGE_?ME|TENANT_ID)\b|(?<=\.)REGION(?=\.)/;

function warnOfExamples(target = '', templates: Templates, at: Diagnostics): void {
  const targetKeys = ['host', 'url'].filter((key) => target.includes(`${at.in(key).written}`));
  const own = templates.map(({ path, template }) => [path.slice(at.path.length), template.source] as const);
  const addresses = [
    [targetKeys, target] as const,
    ...own.filter(([[key]]) => mailKeys.has(key)),
    [['from'], `${at.in('from').written}`] as const,
  ];
  const found =
    addresses.find(([, text]) => reservedHostIn(text) !== undefined) ??
    [...addresses, ...own].find(([, text]) => placeholder.test(text));
  if (!found) return;
  const [keys, text] = found;
  const replaceThem = `addresses at ${reservedHostIn(text)} are examples and get no mail; replace them with your own`;
  const replaceIt = `${reservedHostIn(text)} is an example host that does not exist; replace it with your server's address`;
  const ofHost = mailKeys.has(keys[0]) ? replaceThem : replaceIt;
  const example = placeholder.exec(text);
  const says = example ? `"${example}" is an example; replace it with your own` : ofHost;
  const kind = at.in('to').written === undefined ? 'output' : 'mail';
  at.in(...keys).warning(says, { code: `${kind}_address_reserved` });
}

/** Warns about a choice that reaches no output, if every output depends on the same field. */
export function warnOfGaps(
  outputs: readonly FormOutput[],
  fields: readonly Field[],
  check: (field: Field, values: readonly string[]) => boolean,
  at: Diagnostics,
): void {
  const usual = outputs.filter(({ heldBack }) => heldBack !== 'only');
  const conditions = usual.flatMap(({ condition }) => condition ?? []);
  const [decider, ...others] = new Set(conditions.flatMap((one) => [...decidersOf(one)]));
  const field = fields.find(({ name }) => name === decider);
  if (!field?.offered || others.length > 0 || conditions.length < usual.length) return;
  const { name, offered, required, visible_when } = field;
  const choices = offered.filter((value) => check(field, [value]));
  if (!required || visible_when) choices.push('');
  const left = choices.find((choice) => !conditions.some((one) => holds(one, () => [choice])));
  if (left === undefined) return;
  const found = left === '' ? `${name} left empty` : `${name}: ${left}`;
  at.in('outputs').warning(
    `a submission with ${found} reaches no output, so it is answered with 500; remove when from one output, or add an output for the rest`,
  );
}
