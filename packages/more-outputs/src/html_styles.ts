/** The styles of HTML mails. All styles are inline, because many mail programs drop all others. */
import { type Html, html } from '@form-relay/base/html';
import type { Provided } from '@form-relay/core/plugin';

/** The same colours as on the relay's own pages (pages/page_view.ts). */
const light = {
  text: '#1b1b1f',
  muted: '#55555f',
  back: '#f4f4f7',
  sheet: '#ffffff',
  edge: '#e3e3ea',
  accent: '#1d4ed8',
  onAccent: '#ffffff',
};
const dark = {
  text: '#ececf1',
  muted: '#b4b4c0',
  back: '#121215',
  sheet: '#1b1b20',
  edge: '#2e2e36',
  accent: '#93b8ff',
  onAccent: '#10131a',
};

/**
 * Dark mode, and labels next to values if there is room, as always in Word's engine. No line starts with a
 * dot, which SMTP would double.
 */
const styleHead = (paddingOfLabel: (y: string, gap: string) => string) => html`<style>
:root{color-scheme:light dark}
h1,.l{hyphens:auto}
@media (min-width:600px){
 .s{padding:32px 36px!important}
 .f{padding:16px 36px!important}
 .l,.v{display:table-cell!important;padding:12px 0!important;vertical-align:baseline}
 .l{width:30%;padding:${paddingOfLabel('12px', '16px')}!important}
 .v{border-top:1px solid ${light.edge}}
}
${darkMode}
 .b{background:${dark.back}!important}
 .s{background:${dark.sheet}!important}
 .s,.l,.v{border-color:${dark.edge}!important}
 .s,.v{color:${dark.text}!important}
 .l,.m{color:${dark.muted}!important}
 .a{color:${dark.accent}!important}
 .k{background:${dark.accent}!important}
 .k a{color:${dark.onAccent}!important}
}
</style>
<!--[if mso]><style>
*{font-family:Segoe UI,Arial,sans-serif!important}
 .l,.v{padding:9px 0!important;vertical-align:top}
 .l{width:160px;padding:${paddingOfLabel('9px', '12px')}!important}
 .v{border-top:1px solid ${light.edge};font-size:16px;line-height:24px}
</style><![endif]-->
</head>
<body class="b" style="margin:0;padding:0;background:${light.back}">
`;

const darkMode = '@media (prefers-color-scheme:dark){';

const usualFont = '-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';

const tableAttributes = html`role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"`;

/** Everything before the first words. Word ignores `max-width`, so it gets a table of that width. */
const sheetStart = html`<table class="b" ${tableAttributes} bgcolor="${light.back}" style="background:${light.back}"><tr><td align="center" style="padding:16px 8px">
<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table ${tableAttributes} style="max-width:600px;table-layout:fixed;word-wrap:break-word;word-break:break-word;font-family:${usualFont}"><tr><td class="s" bgcolor="${light.sheet}" style="padding:24px 20px;background:${light.sheet};border:1px solid ${light.edge};border-radius:12px;font-size:16px;line-height:24px;color:${light.text}">
`;

export const sheetEnd = html`</td></tr>
`;

const footerStart = html`<tr><td class="f m" style="padding:16px 20px;font-size:13px;line-height:20px;color:${light.muted}">
`;

export const documentEnd = html`</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</div>
</body>
</html>
`;

const titleStart = html`<h1 style="margin:0 0 16px;font-size:22px;line-height:28px;font-weight:700">`;
const introStart = html`<p style="margin:0 0 16px">`;
const footerParagraph = html`<p style="margin:0 0 8px">`;
const pageStart = html`<p class="m" style="margin:16px 0 0;font-size:13px;line-height:20px;color:${light.muted}">`;

const entriesStart = html`<table width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed">
`;

const linkStyle = html`class="a" style="color:${light.accent}"`;

export const noLink = html`style="color:inherit;text-decoration:none"`;

const buttonStart = html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 16px"><tr><td class="k" bgcolor="${light.accent}" style="background:${light.accent};border-radius:8px;mso-padding-alt:12px 24px">`;
const buttonStyle = html`style="display:inline-block;padding:12px 24px;font-weight:600;color:${light.onAccent};text-decoration:none"`;
const addressStart = html`<p class="m" style="margin:0;font-size:13px;line-height:20px;color:${light.muted};word-break:break-all">`;

const belowLabel = html`display:block;padding:0 0 14px`;

/** Each line has its own direction, but all are aligned with the first. */
const longValue = {
  ltr: html`<td class="v" dir="auto" style="${belowLabel};text-align:left;unicode-bidi:plaintext">`,
  rtl: html`<td class="v" dir="auto" style="${belowLabel};text-align:right;unicode-bidi:plaintext">`,
};

/** Styles for one side, because not every mail program supports `start` and `end`. */
const sides = (start: 'left' | 'right') => ({
  head: styleHead((y, gap) => (start === 'left' ? `${y} ${gap} ${y} 0` : `${y} 0 ${y} ${gap}`)),
  label: html`<tr><th class="l" scope="row" style="display:block;padding:14px 0 2px;border-top:1px solid ${light.edge};font-size:13px;line-height:20px;font-weight:600;color:${light.muted};text-align:${start}">`,
  /** A value of one line stays below or next to its label, whatever its direction. */
  value: html`<td class="v" dir="auto" style="${belowLabel};text-align:${start}">`,
  list: html`<td class="v" style="${belowLabel}"><ul style="margin:0;margin-${start}:20px;padding:0">`,
});

const usual = {
  logo: undefined as Html | undefined,
  ...{ sheetStart, footerStart, titleStart, introStart, footerParagraph, pageStart, entriesStart },
  ...{ linkStyle, buttonStart, buttonStyle, addressStart, longValue },
};

const ofDirection = { ltr: { ...usual, ...sides('left') }, rtl: { ...usual, ...sides('right') } };

export type Styles = (typeof ofDirection)['ltr'];

export type Look = Provided['look'];

const known = new WeakMap<Look, typeof ofDirection>();

const trusted = (markup: string): Html => html([markup] as unknown as TemplateStringsArray);

/** Styles in the colours of a design. None contains text from a visitor. */
export function stylesFor(look: Look | undefined, direction: 'ltr' | 'rtl'): Styles {
  if (!look) return ofDirection[direction];
  const own = known.get(look) ?? {
    ltr: recoloured(ofDirection.ltr, look, 'left'),
    rtl: recoloured(ofDirection.rtl, look, 'right'),
  };
  known.set(look, own);
  return own[direction];
}

function recoloured(styles: Styles, look: Look, start: 'left' | 'right'): Styles {
  const [day, night] =
    look.mode === 'dark'
      ? [look.dark, look.dark]
      : [look.light, look.mode === 'light' ? look.light : look.dark];
  const of = (palette: typeof day) => [
    palette.text,
    palette.muted,
    palette.back,
    palette.sheet,
    palette.edge,
    palette.accent,
    palette.onAccent,
  ];
  const colours = new Map([
    ...Object.values(dark).map((colour, index) => [colour, of(night)[index] as string] as const),
    ...Object.values(light).map((colour, index) => [colour, of(day)[index] as string] as const),
  ]);
  // White is used for the sheet, and for the text on buttons.
  colours.set(light.sheet, day.sheet);
  const corner = look.corner && { square: 0, small: 6, medium: 12, large: 16, round: 20 }[look.corner];
  // Mail programs load no fonts, and do not support `system-ui`.
  const own = look.font?.replace(/^form-relay-own,/, '');
  const font = own === undefined || own.startsWith('system-ui') ? usualFont : own;
  const change = (style: Html, white = day.sheet): Html => {
    const text = style
      .toString()
      .replaceAll(/#[0-9a-f]{6}\b/g, (colour) =>
        colour === light.sheet ? white : (colours.get(colour) ?? colour),
      )
      .replaceAll(/border-radius:12px/g, corner === undefined ? '$&' : `border-radius:${corner}px`)
      .replaceAll(
        /border-radius:8px/g,
        corner === undefined ? '$&' : `border-radius:${Math.round(corner / 1.5)}px`,
      )
      .replaceAll(usualFont, font);
    return trusted(text);
  };
  const { longValue, buttonStyle, logo, ...others } = styles;
  const changed = Object.fromEntries(Object.entries(others).map(([name, style]) => [name, change(style)]));
  return {
    ...(changed as Omit<Styles, 'longValue' | 'buttonStyle' | 'logo'>),
    head: trusted(`${changed.head}`.replace(darkMode, `$&${plateOf(look)}`)),
    logo: look.logoInMails ? logoOf(look.logoInMails, look.name, start) : undefined,
    buttonStyle: change(buttonStyle, day.onAccent),
    longValue,
  };
}

/** A logo drawn for a light background keeps that background in dark mode. */
const plateOf = ({ mode, light, logoInMails }: Look) =>
  mode === 'auto' && logoInMails ? `\n .g{background:${light.sheet};padding:8px;border-radius:8px}` : '';

/** `alt` is styled like a title, because many programs load no images until the reader allows it. */
const logoOf = (address: string, name: string | undefined, start: 'left' | 'right') =>
  html`<img class="g" src="${address}" alt="${name ?? ''}" height="48" style="display:block;height:48px;max-width:100%;margin:0 0 20px;object-fit:contain;object-position:${start};font-size:18px;line-height:48px;font-weight:600">\n`;
