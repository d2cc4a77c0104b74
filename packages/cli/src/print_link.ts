import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { type FieldError, type Form, linkField, pageAddress, withQuery } from '@form-relay/relay/base';
import { didYouMean, printable } from '@form-relay/relay/config';
import {
  checkFields,
  type Field,
  isNeverFilledIn,
  links,
  mostLinkCharacters,
  sealLink,
  sentByParts,
  singleUse,
  structureIn,
} from '@form-relay/relay/features';
import { CommandFailed } from './command_failed.ts';
import { findForm } from './load_config.ts';
import { makeRelay, settingsOf } from './make_relay.ts';
import { readOwnConfig } from './own_setup.ts';
import type { GlobalOptions } from './usage.ts';
import { whyUnwritten } from './why_unwritten.ts';

export interface LinkOptions extends GlobalOptions {
  readonly locked?: readonly string[];
  /** Milliseconds; 30 days without it. */
  readonly expires?: number;
  readonly singleUse?: boolean;
  readonly page?: URL;
  readonly qr?: string;
}

type Pairs = readonly (readonly [name: string, value: string])[];

/** Prints a link that opens a form with these values, and until when it works. */
export async function printLink(name: string, pairs: Pairs, options: LinkOptions): Promise<void> {
  const { locked = [], expires, singleUse: isSingleUse, page, qr, config: option } = options;
  const config = await readOwnConfig(option);
  if (!config.ok) throw new CommandFailed(config.error);
  const form = findForm(config.value, name);
  if (!links.of(form))
    throw new CommandFailed(
      `"${form.id}" takes no links; write links: optional, or links: required, into its config`,
    );
  if (isSingleUse && !singleUse.of(form)?.counted)
    throw new CommandFailed(
      '--single-use: the relay has no place to note that the link was used; write counted_in: /var/lib/form-relay at the top of the config (docs/links.md)',
    );
  const { formTokenSecret, publicUrl } = settingsOf(process.env);
  if (formTokenSecret === '')
    throw new CommandFailed('FORM_TOKEN_SECRET is not set; a link has to be sealed with that of the relay');
  const base = page?.href ?? (publicUrl === undefined ? undefined : pageAddress(publicUrl, form));
  if (base === undefined)
    throw new CommandFailed(
      'PUBLIC_URL is not set; set it, or name the page that shows the form with --page',
    );
  const values = await valuesOf(form, pairs, locked);
  for (const field of locked) {
    if (!values.has(field)) throw new CommandFailed(`--locked ${field}: the link fills in no value for it`);
  }
  if (expires === 0) throw new CommandFailed('--expires: the link would never work');
  const until = Date.now() + (expires ?? 30 * 86_400_000);
  if (until > latest) throw new CommandFailed('--expires: a link works for ten years at most');
  const content = {
    ...{ until, values, locked: [...new Set(locked)], isOwners: true },
    singleUse: isSingleUse ? randomBytes(12).toString('hex') : undefined,
  };
  const sealed = sealLink(formTokenSecret, form.id, content, randomUUID());
  const link = withQuery(base, `${linkField}=${sealed}`);
  if (link.length > mostLinkCharacters)
    throw new CommandFailed(
      `the link would have ${link.length} characters; programs cut links with more than ${mostLinkCharacters}`,
    );
  process.stdout.write(`${link}\n`);
  const end = `until ${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const { singleUse: id } = content;
  process.stderr.write(id === undefined ? `it works ${end}\n` : `it works once, ${end}; its id is ${id}\n`);
  if (qr !== undefined) await writeCode(qr, link, form);
}

const latest = Date.now() + 3_653 * 86_400_000;

/** Each value as the form takes it. */
async function valuesOf(
  form: Form,
  pairs: Pairs,
  locked: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { effects } = makeRelay({ triesAgain: false, effects: { log: () => {} } });
  const values = new Map<string, readonly string[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  for (const [name, written] of values) {
    const field = form.fields.find((one) => one.name === name);
    const names = form.fields.map((one) => one.name);
    if (!field)
      throw new CommandFailed(`"${form.id}" has no field "${printable(name)}"${didYouMean(name, names)}`);
    if (isNeverFilledIn(field) || field.computes)
      throw new CommandFailed(`${name}: a link cannot fill in a field of type ${field.type}`);
    if (written.length > 1 && !field.takesSeveral)
      throw new CommandFailed(`${name}: the field takes one value, and the link has ${written.length}`);
    const { meant = (one: string) => one } = field;
    const meanings = written.map(meant);
    const error = await errorOf(field, meanings, locked.includes(name), { form, effects });
    if (error) throw new CommandFailed(`${error.field}: ${form.say(error)}`);
    values.set(name, meanings);
  }
  return values;
}

/** The relay's own validation of this field alone. Visitors complete what is not locked. */
async function errorOf(
  field: Field,
  values: readonly string[],
  isLocked: boolean,
  { form, effects }: Parameters<typeof checkFields>[2],
): Promise<FieldError | undefined> {
  const { name, parts } = field;
  if (!parts && values.includes('')) return { field: name, ...field.missing };
  const sent = new Map(parts ? sentByParts(field, values[0] ?? '') : [[name, values]]);
  const alone = { ...form, fields: [{ ...field, visible_when: undefined }] };
  const asked = parts && !isLocked ? [...sent.keys()] : (parts?.all ?? []).map((part) => part.name);
  const names = new Set([name, ...asked]);
  const ending = await checkFields(names, { values: sent, files: new Map() }, { form: alone, effects });
  const found = ending?.kind === 'invalid' ? ending.errors : [];
  const errors = found.filter(({ code }) => isLocked || code !== 'too_few_items');
  if (!parts || errors.some((error) => error.field === name)) return errors[0];
  if (isWhole(structureIn(values[0] ?? ''), parts.gather(sent))) return errors[0];
  const known = [...new Set(parts.all.map(({ steps }) => steps?.at(-1)))].join(', ');
  throw new CommandFailed(`${name}: expected JSON as outputs get it, with values for some of ${known}`);
}

/** Whether the form knows all that the JSON holds. */
function isWhole(written: object | undefined, known: object | undefined): boolean {
  if (!written || !known) return false;
  const [all, taken] = [[written].flat(), [known].flat()];
  return all.every((one, index) =>
    Object.keys(one ?? {}).every((key) => Object.hasOwn(taken[index] ?? {}, key)),
  );
}

async function writeCode(file: string, link: string, form: Form): Promise<void> {
  const { qrCode } = await import('./qr_code.ts');
  const { svg, size } = qrCode(link, `${form.title ?? form.id}: ${new URL(link).host}`);
  try {
    await writeFile(file, String(svg));
  } catch (error) {
    throw new CommandFailed(`${printable(file)}: ${whyUnwritten(error)}`);
  }
  const dense = size > denseModules ? `; it has ${size} × ${size} dots, so print it large` : '';
  process.stderr.write(`written: ${printable(file)}${dense}\n`);
}

/** Phones read more from a screen or a large print alone. */
const denseModules = 69;
