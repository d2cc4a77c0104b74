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
import type { Form } from '@form-relay/core/form';
import type { Plugin } from '@form-relay/core/plugin';
import type { Settings } from '@form-relay/core/settings';
import { pageAddress, withQuery } from '@form-relay/pages/printed_form';
import { age, anyText, type Pair, pair, textSchema } from '@form-relay/schema/scalars';
import { placesFor } from '@form-relay/stores/index';
import { valuesFor } from './link_values.ts';
import { linkField, longestLinkMs, sealLink } from './sealed_link.ts';

/** Arguments of commands that fill in a form for a person. */
export const linkArguments = {
  form: needed('form', 'the name of the form', anyText),
  values: repeated(
    'field=value',
    'a value to fill in; a field may have several',
    pair('field=value, such as country=de'),
  ),
};

/** The URL of a page. */
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
  summary: 'create a link that fills in a form',
  description:
    'create a link that opens a form with these values filled in, sealed with FORM_TOKEN_SECRET, for a form with `links`',
  arguments: linkArguments,
  options: {
    locked: repeated('field', 'a field whose value the visitor cannot change; may be repeated', anyText),
    expires: option('time', 'lifetime of the link, such as 7d (default: 30d)', age),
    singleUse: flag('the link works for a single submission; needs counted_in at the top, or keep'),
    page: option('url', "your own page with the form, instead of the relay's", webAddress),
    qr: option(
      'file',
      'also write a QR code of the link, as .svg or .png; without values, of the page itself',
      qrName,
    ),
  },
  notes: 'Needs the FORM_TOKEN_SECRET of the relay, and its PUBLIC_URL or --page.',
  examples: [
    ['relay link contact name=Ada --expires 7d', 'the visitor may change the name'],
    ['relay link contact name=Ada --locked name', 'the visitor may not change the name'],
    ['relay link contact name=Ada --single-use', 'the link works for a single submission'],
    ['relay link contact --qr contact.svg', "the address of the form's page, to print"],
  ],
  run: ({ form, values = [], ...options }, context) => printLink(form, values, options, context),
});

export const plugin: Plugin = { name: 'link', commands: [link] };

interface LinkOptions {
  readonly locked: readonly string[] | undefined;
  /** Milliseconds. Default: 30 days. */
  readonly expires: number | undefined;
  readonly page: URL | undefined;
  readonly singleUse: true | undefined;
  readonly qr: string | undefined;
}

/** Prints a link that opens a form with these values, and when it expires. */
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
      `"${form.id}" does not accept links; add links: optional or links: required to its config`,
    );
  const { settings } = await context.relay();
  const { formTokenSecret } = settings;
  if (formTokenSecret === '')
    throw new CommandFailed("FORM_TOKEN_SECRET is not set; set it to the relay's value, which seals links");
  if (singleUse && !form.provided.get('shared_state'))
    throw new CommandFailed(
      `single-use links need a store; set counted_in at the top: ${placesFor('counts')} (docs/links.md)`,
    );
  // The URL may have been copied from another link.
  if (page?.searchParams.has(linkField)) page.searchParams.delete(linkField);
  const base = baseOf(form, page, settings);
  const written = new Map<string, readonly string[]>();
  for (const [field, value] of pairs) written.set(field, [...(written.get(field) ?? []), value]);
  const { values, mistakes } = valuesFor(form, written, locked, settings);
  const { translate } = form.locale(undefined);
  for (const one of mistakes)
    throw new CommandFailed(typeof one === 'string' ? one : `${one.field}: ${translate(one)}`);
  for (const field of locked)
    if (!values.has(field))
      throw new CommandFailed(`--locked ${field}: the link has no value for this field`);
  if (expires === 0)
    throw new CommandFailed('--expires: the link would expire at once; use a time such as 7d');
  const until = Date.now() + (expires ?? 30 * 86_400_000);
  if (until > Date.now() + longestLinkMs) throw new CommandFailed('--expires: the maximum is ten years');
  const content = {
    ...{ until, values, locked: [...new Set(locked)] },
    ...(singleUse && { singleUse: randomUUID() }),
  };
  const sealed = sealLink(formTokenSecret, form.id, content, randomUUID());
  const link = withQuery(base, `${linkField}=${sealed}`);
  if (link.length > mostLinkCharacters)
    throw new CommandFailed(
      `the link would be ${link.length} characters long, and mail programs cut links after ${mostLinkCharacters}; fill in fewer or shorter values`,
    );
  await write(link);
  process.stderr.write(
    `works ${singleUse ? 'once, ' : ''}until ${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC\n`,
  );
}

function baseOf(form: Form, page: URL | undefined, { publicUrl }: Settings): string {
  if (page) return page.href;
  if (publicUrl !== undefined) return pageAddress(publicUrl, form);
  throw new CommandFailed('PUBLIC_URL is not set; set it, or give your page with --page');
}
