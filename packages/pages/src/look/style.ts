/** The CSS of a form's design: variables of form.css and page.css. */

import { type Html, html } from '@form-relay/base/html';
import { formSegments } from '@form-relay/base/url';
import { formElementId } from '@form-relay/core/html/element_ids';
import type { Form } from '@form-relay/core/index';
import type { Look } from './index.ts';

/** Only system fonts, so that no page loads a font from elsewhere. */
export const fonts = {
  system: 'system-ui,sans-serif',
  humanist: "Seravek,'Gill Sans Nova',Ubuntu,Calibri,'DejaVu Sans',sans-serif",
  geometric: "Avenir,Montserrat,Corbel,'URW Gothic',sans-serif",
  rounded: "ui-rounded,'Hiragino Maru Gothic ProN',Quicksand,'Arial Rounded MT Bold',Calibri,sans-serif",
  serif: "Charter,'Bitstream Charter','Sitka Text',Cambria,serif",
  old_style: "'Iowan Old Style','Palatino Linotype','URW Palladio L',P052,serif",
  slab: "Rockwell,'Rockwell Nova','Roboto Slab','DejaVu Serif','Sitka Small',serif",
  mono: "ui-monospace,'Cascadia Code','Source Code Pro',Menlo,Consolas,'DejaVu Sans Mono',monospace",
} as const;

/** The corner radius of controls in `em`, and of the sheet around them in `rem`. */
export const corners = {
  square: [0, 0],
  small: [0.25, 0.5],
  medium: [0.5, 1],
  large: [0.9, 1.5],
  round: [1.4, 2],
} as const;

/** The space between two fields, in `em`. */
export const densities = { compact: 1, normal: 1.5, roomy: 2.1 } as const;

/** Variables of forms, which work on any background. */
const ofForms = ({ corner, density, font }: Look): string =>
  [
    corner && `--form-relay-radius:${corners[corner][0]}em;`,
    density && `--form-relay-space:${densities[density]}em;`,
    font && `--form-relay-font:${font};`,
  ]
    .filter(Boolean)
    .join('');

const accents = ({ accent, onAccent }: Palette) =>
  `--form-relay-accent:${accent};--form-relay-on-accent:${onAccent};`;

const ofPage = (palette: Palette) => {
  // The footer is on `back`, or on `sheet` on small screens.
  const foot = readableOn(palette.back, palette.muted);
  const { text, muted, back, sheet, edge, line, error, success } = palette;
  return `${accents(palette)}--text:${text};--muted:${muted};--foot:${foot};--back:${back};--sheet:${sheet};--edge:${edge};--form-relay-muted:${muted};--form-relay-line:${line};--form-relay-error:${error};--form-relay-success:${success};`;
};

/** A logo drawn for a light background keeps that background in dark mode. An SVG may have colours for both. */
const plateOf = ({ logo, light }: Look) =>
  logo && !logo.content?.body.includes('prefers-color-scheme')
    ? `.logo{background:${light.sheet};padding:.5rem .75rem;border-radius:.5rem;max-block-size:5rem}`
    : '';

const schemes = { auto: 'light dark', light: 'light', dark: 'dark' } as const;

/** The style of the relay's own pages for this form. The style contains only text from the owner that was checked. */
export function pageLook(look: Look, base: string): Html {
  const { mode, light, dark, corner, font } = look;
  const sheet = corner && `--corner:${corners[corner][1]}rem;`;
  const own = `color-scheme:${schemes[mode]};${ofForms(look)}${sheet ?? ''}${font ? `--font:${font};` : ''}`;
  const inDark =
    mode === 'auto' ? `@media(prefers-color-scheme:dark){:root{${ofPage(dark)}}${plateOf(look)}}` : '';
  const css = `${faceOf(look, base)}:root{${own}${ofPage(mode === 'dark' ? dark : light)}}${inDark}${longTexts(look, '')}`;
  return trusted(css);
}

/**
 * Added to form.css on other sites, for this form only. The site keeps its background, and its `color-scheme`
 * selects the mode.
 *
 * @param base The relay's URL, which serves the font. Default: the URL of form.css.
 */
export function siteLook(form: Pick<Form, 'id'>, look: Look, base?: string): string {
  const { mode, light, dark } = look;
  const place = formSegments(form.id);
  const within = [
    `#${formElementId(form)}`,
    ...['form', 'f'].flatMap((one) =>
      [`[src$="/${one}/${place}"]`, `[src*="/${one}/${place}?"]`].map((src) => `relay-form${src}`),
    ),
  ];
  const where = `:is(${within.join(',')})`;
  const first = mode === 'dark' ? dark : light;
  const both = {
    accent: `light-dark(${light.accent},${dark.accent})`,
    onAccent: `light-dark(${light.onAccent},${dark.onAccent})`,
  };
  const inDark =
    mode === 'auto'
      ? `@supports(color:light-dark(red,red)){${where}{${accents({ ...light, ...both })}}}`
      : '';
  return `${faceOf(look, base)}${where}{${accents(first)}${ofForms(look)}}${inDark}${longTexts(look, where)}\n`;
}

/** @param base Default: the URL of form.css, next to which the font is. */
function faceOf({ fontFile }: Look, base?: string): string {
  if (!fontFile) return '';
  const { address, content } = fontFile;
  const own = base === undefined ? address.replace('/api/v1/', '') : base + address;
  return `@font-face{font-family:form-relay-own;font-display:swap;src:url("${content ? own : address}")}`;
}

/** Fully round corners would cut the first line of multi-line controls. */
const longTexts = ({ corner }: Look, where: string) =>
  corner === 'round' ? `${where || '.form-relay'} textarea{border-radius:1em}` : '';

const trusted = (css: string): Html => html([css] as unknown as TemplateStringsArray);

/** The colours of a form in light and dark mode: those of the config, and readable ones derived from them. */

/** Red, green and blue, from 0 to 255. */
type Rgb = readonly [number, number, number];

/** As `#rrggbb`. */
export interface Palette {
  readonly accent: string;
  readonly onAccent: string;
  /** The background of a page or mail. */
  readonly back: string;
  /** The background of the form on it. */
  readonly sheet: string;
  readonly edge: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly error: string;
  readonly success: string;
}

/** The config's keys. */
export interface Colours {
  readonly accent?: string | undefined;
  readonly background?: string | undefined;
  readonly surface?: string | undefined;
  readonly text?: string | undefined;
}

/** The same colours as on the relay's own pages (page.css), in mails (html_styles.ts) and forms (form.css). */
const usual = {
  light: { accent: '#1d4ed8', back: '#f4f4f7', sheet: '#ffffff', text: '#1b1b1f', edge: '#e3e3ea' },
  dark: { accent: '#93b8ff', back: '#121215', sheet: '#1b1b20', text: '#ececf1', edge: '#2e2e36' },
} as const;

type Mode = keyof typeof usual;

const rgb = (hex: string): Rgb => {
  const bits = Number.parseInt(hex.slice(1), 16);
  return [bits >> 16, (bits >> 8) & 255, bits & 255];
};

const hex = (channels: readonly number[]): string =>
  `#${channels.map((one) => Math.round(one).toString(16).padStart(2, '0')).join('')}`;

/** WCAG 2.2: relative luminance. */
function luminance(colour: string): number {
  const [red, green, blue] = rgb(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2: contrast ratio, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** @param share The share of the second colour, from 0 to 1. */
const mixed = (one: string, other: string, share: number): string => {
  const [from, to] = [rgb(one), rgb(other)];
  return hex(from.map((channel, index) => channel + ((to[index] as number) - channel) * share));
};

/** SC 1.4.3 of WCAG 2.2 at level AA. */
const leastContrast = 4.5;

const white = '#ffffff';
const black = '#000000';

/** The closest colour of the same hue that is readable on a background. */
export function readableOn(ground: string, colour: string, least = leastContrast): string {
  const goal = contrast(white, ground) > contrast(black, ground) ? white : black;
  for (let share = 0; share < 1; share += 0.02) {
    const one = mixed(colour, goal, share);
    if (contrast(one, ground) >= least) return one;
  }
  return goal;
}

/** The text colour of a button: white or almost black, whichever is readable. */
const onAccentOf = (accent: string): string =>
  [white, '#10131a'].find((one) => contrast(one, accent) >= leastContrast) ?? black;

/** @param base The colours of the other mode, whose accent is the default. */
export function paletteOf(mode: Mode, colours: Colours, base: Colours = {}): Palette {
  const own = usual[mode];
  const sheet = colours.surface ?? own.sheet;
  const isUsual = colours.surface === undefined;
  const text = colours.text ?? (isUsual ? own.text : betterOn(sheet));
  const taken = base.accent && readableOn(sheet, base.accent);
  const accent = colours.accent ?? taken ?? (isUsual ? own.accent : readableOn(sheet, own.accent));
  const [error, success] = mode === 'light' ? ['#b3261e', '#146c43'] : ['#ffb4ab', '#7fd8a4'];
  return {
    accent,
    onAccent: onAccentOf(accent),
    sheet,
    text,
    back: colours.background ?? (isUsual ? own.back : mixed(sheet, text, 0.05)),
    edge: isUsual ? own.edge : mixed(sheet, text, 0.12),
    muted: readableOn(sheet, mixed(text, sheet, 0.27)),
    line: readableOn(sheet, mixed(text, sheet, 0.45), 3),
    error: readableOn(sheet, error as string),
    success: readableOn(sheet, success as string),
  };
}

const betterOn = (ground: string) =>
  contrast(usual.light.text, ground) >= contrast(usual.dark.text, ground)
    ? usual.light.text
    : usual.dark.text;

interface Unreadable {
  /** The key whose colour needs to change. */
  readonly key: keyof Colours;
  readonly words: string;
}

/** Pairs of colours that are unreadable together (WCAG 2.2 AA), each with a colour that would work. */
export function unreadableIn({ accent, text, sheet }: Palette, colours: Colours): readonly Unreadable[] {
  const pairs = [
    { key: 'text', what: 'text', colour: text },
    { key: 'accent', what: 'accent, the colour of links,', colour: accent },
  ] as const;
  return pairs.flatMap(({ key, what, colour }) => {
    const ratio = contrast(colour, sheet);
    if (ratio >= leastContrast) return [];
    // Rounded down, so that 4.49 is not shown as 4.5.
    const found = (Math.floor(ratio * 10) / 10).toFixed(1);
    return {
      key: colours[key] === undefined ? 'surface' : key,
      words: `${what} ${colour} on surface ${sheet} has a contrast of ${found}:1; WCAG 2.2 AA requires ${leastContrast}:1; ${readableOn(sheet, colour)} would do`,
    };
  });
}
