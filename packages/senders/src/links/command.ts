/** `relay link`. */
import { randomUUID } from 'node:crypto';
import { mostLinkCharacters, parseUrl } from '@form-relay/base/url';
import {
  type CommandContext,
  CommandFailed,
  command,
  findForm,
  flag,
  needed,
  option,
  repeated,
} from '@form-relay/core/command';
import type { Field, Inputs } from '@form-relay/core/fields/field';
import { fromJson } from '@form-relay/core/fields/json';
import type { Form } from '@form-relay/core/form';
import { SubmissionContext } from '@form-relay/core/pipeline/context';
import { validate } from '@form-relay/core/pipeline/validate';
import type { Plugin } from '@form-relay/core/plugin';
import type { Settings } from '@form-relay/core/settings';
import type { FieldError } from '@form-relay/core/submission';
import { type Spread, spread } from '@form-relay/files/json';
import { pageAddress, withQuery } from '@form-relay/pages/printed_form';
import { age, anyText, type Pair, pair, textSchema } from '@form-relay/schema/scalars';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import { placesFor } from '@form-relay/stores/index';
import { printable } from '@form-relay/yaml/show_problems';
import { linkField, longestLinkMs, sealLink } from './sealed_link.ts';

/** The address of a page. */
const webAddress = textSchema((text, at) => {
  const url = parseUrl(text);
  return url && /^https?:$/.test(url.protocol)
    ? url
    : at.error('Expected an address such as https://www.example.com/contact.');
});

const qrName = textSchema((text, at) =>
  /\.(svg|png)$/i.test(text) ? text : at.error('Expected a file that ends with .svg or .png.'),
);

const link = command({
  name: 'link',
  summary: 'make a link that fills in a form',
  description:
    'make a link that opens a form with these values filled in, sealed with FORM_TOKEN_SECRET, for a form with `links`',
  arguments: {
    form: needed('form', 'the name of the form', anyText),
    values: repeated(
      'field=value',
      'what the link fills in; a field may have several',
      pair('field=value, such as country=de'),
    ),
  },
  options: {
    locked: repeated('field', 'a field whose value the visitor cannot change; may be repeated', anyText),
    expires: option('time', 'how long the link works, such as 7d (default: 30d)', age),
    singleUse: flag('one submission can come with the link; needs counted_in at the top, or keep'),
    page: option('url', "a page of yours that shows the form, in place of the relay's", webAddress),
    qr: option('file', 'also write a QR code, as .svg or .png; without values, of the page itself', qrName),
  },
  notes: 'It needs the FORM_TOKEN_SECRET of the relay, and its PUBLIC_URL or --page.',
  examples: [
    ['relay link contact name=Ada --expires 7d', 'the visitor may change the name'],
    ['relay link contact name=Ada --locked name', 'the visitor may not change the name'],
    ['relay link contact name=Ada --single-use', 'one submission can come with the link'],
    ['relay link contact --qr contact.svg', "the address of the form's page, to print"],
  ],
  run: ({ form, values = [], ...options }, context) => printLink(form, values, options, context),
});

export const plugin: Plugin = { name: 'link', commands: [link] };

interface LinkOptions {
  readonly locked: readonly string[] | undefined;
  /** Milliseconds; 30 days without it. */
  readonly expires: number | undefined;
  readonly page: URL | undefined;
  readonly singleUse: true | undefined;
  readonly qr: string | undefined;
}

/** Prints a link that opens a form with these values, and until when it works. */
async function printLink(
  name: string,
  pairs: readonly Pair[],
  { locked = [], expires, page, singleUse, qr }: LinkOptions,
  context: CommandContext,
): Promise<void> {
  const form = findForm(await context.config(), name);
  const isPlain = pairs.length + locked.length === 0 && expires === undefined && !singleUse;
  const write = async (address: string) => {
    const title = form.title === undefined ? form.id : form.locale(undefined).text(form.title);
    if (qr !== undefined)
      await (await import('./qr_command.ts')).writeQrFile(
        qr,
        address,
        `${title}: ${parseUrl(address)?.host}`,
      );
    process.stdout.write(`${address}\n`);
  };
  // A printed code must not expire.
  if (qr !== undefined && isPlain) return write(baseOf(form, page, (await context.relay()).settings));
  if (form.provided.get('links') === undefined)
    throw new CommandFailed(
      `"${form.id}" takes no links; write links: optional, or links: required, into its config`,
    );
  const { settings } = await context.relay();
  const { formTokenSecret } = settings;
  if (formTokenSecret === '')
    throw new CommandFailed('FORM_TOKEN_SECRET is not set; a link has to be sealed with that of the relay');
  if (singleUse && !form.provided.get('shared_state'))
    throw new CommandFailed(
      `nothing says where the use of the link is noted; write counted_in at the top: ${placesFor('counts')} (docs/links.md)`,
    );
  // A page may have been copied from another link.
  if (page?.searchParams.has(linkField)) page.searchParams.delete(linkField);
  const base = baseOf(form, page, settings);
  const values = valuesOf(form, pairs, locked, settings);
  for (const field of locked) {
    if (!values.has(field)) throw new CommandFailed(`--locked ${field}: the link fills in no value for it`);
  }
  if (expires === 0) throw new CommandFailed('--expires: the link would never work');
  const until = Date.now() + (expires ?? 30 * 86_400_000);
  if (until > Date.now() + longestLinkMs)
    throw new CommandFailed('--expires: a link works for ten years at most');
  const content = {
    ...{ until, values, locked: [...new Set(locked)] },
    ...(singleUse && { singleUse: randomUUID() }),
  };
  const sealed = sealLink(formTokenSecret, form.id, content, randomUUID());
  const link = withQuery(base, `${linkField}=${sealed}`);
  if (link.length > mostLinkCharacters)
    throw new CommandFailed(
      `the link would have ${link.length} characters; programs cut links with more than ${mostLinkCharacters}`,
    );
  await write(link);
  process.stderr.write(
    `it works ${singleUse ? 'once, ' : ''}until ${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC\n`,
  );
}

function baseOf(form: Form, page: URL | undefined, { publicUrl }: Settings): string {
  if (page) return page.href;
  if (publicUrl !== undefined) return pageAddress(publicUrl, form);
  throw new CommandFailed('PUBLIC_URL is not set; set it, or name the page that shows the form with --page');
}

/** Each value as the form takes it. */
function valuesOf(
  form: Form,
  pairs: readonly Pair[],
  locked: readonly string[],
  settings: Settings,
): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, readonly string[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  const { translate } = form.locale(undefined);
  for (const [name, written] of values) {
    const field = form.fields.find((one) => one.name === name);
    if (!field) throw new CommandFailed(noField(form, name));
    if (field.isReentered)
      throw new CommandFailed(`${name}: a link cannot fill in a field of type ${field.type}`);
    if (written.length > 1 && !field.takesSeveral)
      throw new CommandFailed(`${name}: the field takes one value, and the link has ${written.length}`);
    const sent = field.inputs
      ? valuesOfInputs(field, field.inputs, written[0] ?? '')
      : new Map([[name, field.normalize?.(new Map([[name, written]])) ?? written]]);
    const error = errorOf(field, sent, locked.includes(name), form, settings);
    if (error) throw new CommandFailed(`${error.field}: ${translate(error)}`);
    if (!field.inputs) values.set(name, sent.get(name) ?? []);
  }
  return values;
}

/** Validates a link's values for only this field. Visitors complete fields that are not locked. */
function errorOf(
  field: Field,
  sent: ReadonlyMap<string, readonly string[]>,
  isLocked: boolean,
  form: Form,
  settings: Settings,
): FieldError | undefined {
  const { name, inputs } = field;
  if (!inputs && sent.get(name)?.includes('')) return { field: name, ...field.missing };
  const ownForm = { ...form, fields: [field.withKeys({ visible_when: undefined })], checkingOutputs: [] };
  const request = { method: 'POST', path: '/', query: '', headers: {}, body: undefined };
  const shared = { services: form.services, settings, follow: () => {} };
  const submission = new SubmissionContext(ownForm, '', request, shared);
  submission.sent = sent;
  const errors = (validate(submission, ownForm)?.errors ?? []).filter(
    (error) =>
      isLocked || (error.code !== 'too_few_items' && (error.field === name || sent.has(error.field))),
  );
  return errors.find((error) => error.field === name) ?? errors[0];
}

function noField({ id, fields }: Form, name: string): string {
  const names = fields.map((one) => one.name);
  const whole = fields.find((one) => one.inputs && name.startsWith(`${one.name}.`));
  const near = whole?.inputs
    ? `; write ${whole.name} as ${jsonFor(whole, whole.inputs)}`
    : didYouMean(nearest(name, names));
  return `"${id}" has no field "${printable(name)}"${near}`;
}

/** The values of its inputs. Fails with the name of what the form would ignore in the JSON. */
function valuesOfInputs(field: Field, inputs: Inputs, json: string): ReadonlyMap<string, readonly string[]> {
  const { name } = field;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    const { message } = error as SyntaxError;
    throw new CommandFailed(`${name}: this is not JSON: ${message}; expected ${jsonFor(field, inputs)}`);
  }
  const { found, wrong }: Spread = spread(field, name, value);
  if (wrong || found.length === 0) throw new CommandFailed(`${name}: expected ${jsonFor(field, inputs)}`);
  const known = membersOf(inputs);
  const values = new Map<string, readonly string[]>();
  for (const [path, member, steps] of found) {
    const own = String(steps.at(-1));
    if (!known.includes(own))
      throw new CommandFailed(
        `${name}: there is no "${printable(own)}"${didYouMean(nearest(own, known))}, only ${known.join(', ')}`,
      );
    const input = inputs.all.find((one) => one.name === path);
    const filled = [member].flat().filter((one) => one !== null && one !== false && one !== '');
    const taken = input ? fromJson(input, member) : [];
    if (input && taken.length < filled.length)
      throw new CommandFailed(
        `${path}: expected ${input.layout === 'box' ? 'true or false' : 'text or a number'}`,
      );
    values.set(path, taken);
  }
  return values;
}

const membersOf = ({ all }: Inputs) => [...new Set(all.map(({ path }) => String(path?.at(-1))))];

const jsonFor = (field: Field, inputs: Inputs) =>
  `${spread(field, field.name, true).wrong?.shape} in JSON, as outputs get it, with values for some of ${membersOf(inputs).join(', ')}`;
