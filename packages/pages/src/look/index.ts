/** `look`: the design of a form, on its own page, on sites, and in mails and PDFs about it. */

import { parseUrl } from '@form-relay/base/url';
import type { Diagnostics, LocalizedText, Parsed, Plugin, Schema } from '@form-relay/core/index';
import { feature, type TopContext } from '@form-relay/core/plugin';
import { object } from '@form-relay/schema/collections';
import { shown } from '@form-relay/schema/diagnostics';
import { boolean, label, localizedText, oneOf, textSchema } from '@form-relay/schema/scalars';
import { optional, optionalBlock, schema } from '@form-relay/schema/schema';
import { publicUrl } from '@form-relay/schema/variables';
import { fileRoute, type LookFile, readLookFile } from './files.ts';
import {
  type Colours,
  corners,
  densities,
  fonts,
  type Palette,
  paletteOf,
  readableOn,
  unreadableIn,
} from './style.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    look: Look;
  }
  interface Shared {
    look: LookFiles;
  }
}

/** A design, as pages, mails and PDFs use it. */
export interface Look {
  readonly mode: 'auto' | 'light' | 'dark';
  readonly light: Palette;
  readonly dark: Palette;
  /** `accent`, readable on white paper; `undefined` if the config sets none. */
  readonly ink: string | undefined;
  readonly corner: keyof typeof corners | undefined;
  readonly density: keyof typeof densities | undefined;
  /** A list of font families, in CSS syntax. */
  readonly font: string | undefined;
  readonly fontFile: LookFile | undefined;
  readonly logo: LookFile | undefined;
  /** The URL from which mail programs load the logo; `undefined` if they cannot show or reach it. */
  readonly logoInMails: string | undefined;
  readonly cover: LookFile | undefined;
  readonly icon: LookFile | undefined;
  readonly name: string | undefined;
  readonly description: LocalizedText | undefined;
  readonly footer: LocalizedText | undefined;
  readonly indexed: boolean;
  readonly listed: boolean;
  /** All files that the relay serves for it. */
  readonly files: readonly LookFile[];
}

interface LookFiles {
  /** Keyed by path, as in the config. */
  readonly files: ReadonlyMap<string, LookFile>;
  readonly publicUrl: string | undefined;
}

const hexColour = /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/** As `#rrggbb`. */
const colour = (): Schema<string> =>
  schema(
    {
      title: 'colour',
      type: 'string',
      pattern: '^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$',
      examples: ['#0f766e'],
    },
    (value, at) => {
      if (value === null)
        return at.error(
          'expected a colour: an unquoted # starts a comment; put the colour in quotes, such as "#0f766e"',
        );
      if (typeof value !== 'string' || !hexColour.test(value))
        return at.found(value, 'expected a colour such as "#0f766e"');
      const digits = value.replace('#', '').toLowerCase();
      return `#${digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits}`;
    },
  );

const file = (what: string, example: string): Schema<string> =>
  textSchema(
    (path, at) => {
      if (/^http:/i.test(path))
        return at.error(
          'browsers load the file only over https; write https://, or a path relative to the config',
        );
      const isWrong = /^https:/i.test(path) ? !parseUrl(path) : path.trim() === '';
      return isWrong || /[\0-\x1f"\\<>]/.test(path)
        ? at.error(
            `found ${shown(path, at)}; expected the path of ${what} beside the config, or an address that starts with https://`,
          )
        : path;
    },
    { title: what, type: ['string', 'number', 'boolean'], examples: [example] },
  );

const colours = {
  accent: optional('Colour of the button, links and focus ring. Default: blue.', colour()),
  background: optional('Background of the page. Default: a light grey.', colour()),
  surface: optional('Background of the form. Default: white.', colour()),
  text: optional('Colour of text on `surface`. Default: black, or white on a dark `surface`.', colour()),
};

const choices = <T extends string>(of: Readonly<Record<T, unknown>>) => oneOf(Object.keys(of) as T[]);

const keys = {
  name: optional(
    'Owner of the form (`Acme Ltd`), for link previews, and for visitors who cannot see the logo.',
    label(),
  ),
  logo: optional(
    'Picture above the title: a path relative to the config, or an address with `https:`.',
    file('a picture', 'logo.png'),
  ),
  cover: optional(
    'Wide picture at the top of the page and in link previews.',
    file('a picture', 'cover.jpg'),
  ),
  icon: optional(
    'Picture in the browser’s tab. Default: one in the colour of `accent`.',
    file('a picture', 'icon.svg'),
  ),
  ...colours,
  dark: optionalBlock(
    'Colours in dark mode. Default: a dark background, and `accent` as light as necessary.',
    object(colours, '{accent: "#5eead4"}'),
  ),
  mode: optional(
    'Light, dark, or as the visitor’s device prefers (`auto`). Default: `auto`.',
    oneOf(['auto', 'light', 'dark']),
  ),
  corner: optional('Roundness of buttons and controls. Default: `medium`.', choices(corners)),
  density: optional('Space between fields. Default: `normal`.', choices(densities)),
  font: optional(
    'Typeface of the device. Default: `system`; on your site, the typeface of the page.',
    choices(fonts),
  ),
  font_file: optional(
    'Your own typeface, in WOFF2: a path relative to the config, or an address with `https:`. Until it loads, `font` applies.',
    file('a font', 'fonts/inter.woff2'),
  ),
  footer: optional(
    'Text below the form on its page (`1 Mill Lane, London`). Links as in `confirmation`.',
    localizedText(label()),
  ),
  description: optional(
    'Description for link previews and search engines: `Book a table`.',
    localizedText(label()),
  ),
  indexed: optional('Whether search engines may list the page.', boolean()),
  listed: optional('Whether the relay’s own address (`/`) redirects to the form.', boolean()),
};

type Written = Partial<Parsed<typeof keys>>;

const block = object(keys, '{accent: "#0f766e", logo: logo.png}');

const fileKeys = ['logo', 'cover', 'icon', 'font_file'] as const;

const look = feature({
  name: 'look',
  keys: {
    form: {
      look: optionalBlock(
        'Look of the form: its page, sites with `form.css?form=…`, and its HTML mails and PDFs. Overrides `look` at the top (docs/look.md).',
        block,
      ),
    },
    top: { look: optionalBlock('Look of all forms, with the keys of a form’s `look`.', block) },
  },
  configureTop: ({ look }, at, context) => {
    if (look) checkColours(look, at.in('look'));
    const ofForms = [...context.forms].map(
      ([id, form]) => [form.look as Written | undefined, at.in('forms', id)] as const,
    );
    const named = [[look, at] as const, ...ofForms].flatMap(([written, place]) =>
      fileKeys.flatMap((key) => {
        const path = written?.[key];
        return path === undefined ? [] : [{ path, key, at: place.in('look', key) }];
      }),
    );
    return named.length === 0 ? undefined : readFiles(named, context);
  },
  configure: ({ form, top, shared }, at) => {
    if (!form.look && !top.look) return undefined;
    const dark = { ...top.look?.dark, ...form.look?.dark } as Written['dark'];
    const written: Written = { ...top.look, ...form.look, dark };
    if (form.look) checkColours(written, at.in('look'));
    return { provides: lookOf(written, shared) };
  },
});

async function readFiles(
  named: readonly { readonly path: string; readonly key: string; readonly at: Diagnostics }[],
  { readSibling, services }: TopContext,
): Promise<LookFiles> {
  const files = new Map<string, LookFile>();
  for (const { path, key, at } of named) {
    if (files.has(path)) continue;
    const read = await readLookFile(path, key === 'font_file', readSibling);
    if (read.ok) files.set(path, read.value);
    // A missing image must not break the form.
    const words = read.ok ? read.value.remark : `${read.error}; this file is left out`;
    if (words !== undefined) at.warning(words, { code: 'look_file' });
  }
  const address = publicUrl(services.env('PUBLIC_URL') ?? '');
  return { files, publicUrl: address.ok ? address.value : undefined };
}

function lookOf(written: Written, known: LookFiles | undefined): Look {
  const [logo, cover, icon, fontFile] = fileKeys.map((key) => known?.files.get(written[key] ?? ''));
  const {
    mode = 'auto',
    corner,
    density,
    font,
    name,
    description,
    footer,
    indexed = false,
    listed = false,
  } = written;
  const stack = font ?? (fontFile ? 'system' : undefined);
  return {
    mode,
    ...palettesOf(written),
    ink: written.accent && readableOn('#ffffff', written.accent),
    logoInMails: logoInMails(logo, known?.publicUrl),
    ...{ corner, density, fontFile, logo, cover, icon, name, description, footer, indexed, listed },
    font: stack && (fontFile ? `form-relay-own,${fonts[stack]}` : fonts[stack]),
    files: [logo, cover, icon, fontFile].filter((one) => one?.content !== undefined) as LookFile[],
  };
}

/** Few mail programs show WebP, and none shows SVG. */
function logoInMails(logo: LookFile | undefined, publicUrl: string | undefined): string | undefined {
  if (!logo || !/\.(?:png|jpe?g|gif)$/i.test(logo.address)) return undefined;
  if (!logo.content) return logo.address;
  return publicUrl === undefined ? undefined : publicUrl + logo.address;
}

/** A page that is always dark also uses the keys outside `dark`. */
function palettesOf({ mode, dark, ...light }: Written): Pick<Look, 'light' | 'dark'> {
  return {
    light: paletteOf('light', light),
    dark: paletteOf('dark', mode === 'dark' ? { ...light, ...dark } : (dark ?? {}), light),
  };
}

function checkColours(written: Written, at: Diagnostics): void {
  const { light, dark } = palettesOf(written);
  const warn = (palette: Palette, own: Colours, place: Diagnostics) => {
    for (const { key, words } of unreadableIn(palette, own))
      place.in(key).warning(words, { code: 'low_contrast' });
  };
  if (written.mode !== 'dark') warn(light, written, at);
  if (written.mode === 'dark') warn(dark, { ...written, ...written.dark }, at);
  else if (written.mode !== 'light') warn(dark, written.dark ?? {}, at.in('dark'));
}

export const plugin: Plugin = { name: 'look', features: [look], publicRoutes: [fileRoute] };
