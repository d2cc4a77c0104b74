import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { type Form, linkField, pageAddress, withQuery } from '@form-relay/relay/base';
import { didYouMean, printable } from '@form-relay/relay/config';
import {
  fromJson,
  isNeverFilledIn,
  linkError,
  links,
  mostLinkCharacters,
  type Parts,
  sealLink,
  singleUse,
} from '@form-relay/relay/features';
import { longestLinkMs } from '@form-relay/relay/places';
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
  if (until > Date.now() + longestLinkMs)
    throw new CommandFailed('--expires: a link works for ten years at most');
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
  // First: a link that works once must not get lost because the file cannot be written.
  if (qr !== undefined) await writeCode(qr, link, form);
  process.stdout.write(`${link}\n`);
  const end = `until ${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const { singleUse: id } = content;
  process.stderr.write(id === undefined ? `it works ${end}\n` : `it works once, ${end}; its id is ${id}\n`);
}

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
    if (!field) throw new CommandFailed(noField(form, name));
    if (isNeverFilledIn(field) || field.computes)
      throw new CommandFailed(`${name}: a link cannot fill in a field of type ${field.type}`);
    if (written.length > 1 && !field.takesSeveral)
      throw new CommandFailed(`${name}: the field takes one value, and the link has ${written.length}`);
    if (field.parts) checkMembers(name, field.parts, written[0] ?? '');
    const { meant = (one: string) => one } = field;
    const meanings = written.map(meant);
    const error = await linkError(field, meanings, locked.includes(name), { form, effects });
    if (error) throw new CommandFailed(`${error.field}: ${form.say(error)}`);
    values.set(name, meanings);
  }
  return values;
}

function noField({ id, fields }: Form, name: string): string {
  const names = fields.map((one) => one.name);
  const whole = fields.find((one) => one.parts && name.startsWith(`${one.name}.`));
  const near = whole?.parts ? `; write ${whole.name} as ${jsonFor(whole.parts)}` : didYouMean(name, names);
  return `"${id}" has no field "${printable(name)}"${near}`;
}

/** Fails with the name of what the form would ignore in the JSON of a field of parts. */
function checkMembers(name: string, parts: Parts, json: string): void {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    const { message } = error as SyntaxError;
    throw new CommandFailed(`${name}: this is not JSON: ${message}; expected ${jsonFor(parts)}`);
  }
  const { found, wrong } = parts.spread(value);
  if (wrong || found.length === 0) throw new CommandFailed(`${name}: expected ${jsonFor(parts)}`);
  const known = membersOf(parts);
  for (const [path, member, steps] of found) {
    const own = String(steps.at(-1));
    if (!known.includes(own))
      throw new CommandFailed(
        `${name}: there is no "${printable(own)}"${didYouMean(own, known)}, only ${known.join(', ')}`,
      );
    const part = parts.all.find((one) => one.name === path);
    const filled = [member].flat().filter((one) => one !== null && one !== false && one !== '');
    if (part && fromJson(part, member).length < filled.length)
      throw new CommandFailed(
        `${path}: expected ${part.inJson === 'flag' ? 'true or false' : 'text or a number'}`,
      );
  }
}

const membersOf = (parts: Parts) => [...new Set(parts.all.map(({ steps }) => String(steps?.at(-1))))];

const jsonFor = (parts: Parts) =>
  `${parts.spread(true).wrong?.shape} in JSON, as outputs get it, with values for some of ${membersOf(parts).join(', ')}`;

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
