/** The look of a form as style: variables of form.css and page.css. */

import { type Html, html } from '@form-relay/base/html';
import { formSegments } from '@form-relay/base/url';
import { formElementId } from '@form-relay/core/html/element_ids';
import type { Form } from '@form-relay/core/index';
import type { Look } from './index.ts';
import { type Palette, readableOn } from './palette.ts';

/** System fonts alone, so that no page loads one from elsewhere. */
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

/** The corners of controls, in `em`, and of the sheet around, in `rem`. */
export const corners = {
  square: [0, 0],
  small: [0.25, 0.5],
  medium: [0.5, 1],
  large: [0.9, 1.5],
  round: [1.4, 2],
} as const;

/** Between two fields, in `em`. */
export const densities = { compact: 1, normal: 1.5, roomy: 2.1 } as const;

/** Variables of forms, on a page of whatever ground. */
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
  // The footer lies on `back`, or on `sheet` where there is no room around.
  const foot = readableOn(palette.back, palette.muted);
  const { text, muted, back, sheet, edge, line, error, success } = palette;
  return `${accents(palette)}--text:${text};--muted:${muted};--foot:${foot};--back:${back};--sheet:${sheet};--edge:${edge};--form-relay-muted:${muted};--form-relay-line:${line};--form-relay-error:${error};--form-relay-success:${success};`;
};

/** A logo that was drawn for a light ground keeps it in dark mode. An SVG may have colours for both. */
const plateOf = ({ logo, light }: Look) =>
  logo && !logo.content?.body.includes('prefers-color-scheme')
    ? `.logo{background:${light.sheet};padding:.5rem .75rem;border-radius:.5rem;max-block-size:5rem}`
    : '';

const schemes = { auto: 'light dark', light: 'light', dark: 'dark' } as const;

/** The style of the relay's own pages about this form. Nothing in it is a text of the owner's that was not checked. */
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
 * Follows form.css on other sites, for this form alone: the site's ground stays, and its `color-scheme` decides.
 *
 * @param base The relay's address, which serves its font. Default: the address of form.css.
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

/** @param base Default: the address of form.css, beside which the font is. */
function faceOf({ fontFile }: Look, base?: string): string {
  if (!fontFile) return '';
  const { address, content } = fontFile;
  const own = base === undefined ? address.replace('/api/v1/', '') : base + address;
  return `@font-face{font-family:form-relay-own;font-display:swap;src:url("${content ? own : address}")}`;
}

/** Round ends would cut the first line of a text of several. */
const longTexts = ({ corner }: Look, where: string) =>
  corner === 'round' ? `${where || '.form-relay'} textarea{border-radius:1em}` : '';

const trusted = (css: string): Html => html([css] as unknown as TemplateStringsArray);
