import {
  decodeSegment,
  type Form,
  type Html,
  parseQuery,
  type RelayRequest,
  type RelayResponse,
} from '@form-relay/relay/base';
import { captchaScriptCode, clientCode } from '../built/browser.ts';
import { answer, framed, nothing } from './answers.ts';
import { elsewhere, hostPage } from './framed_page.ts';
import { type HostMode, type Theme, themes } from './looks.ts';
import { style } from './studio_style.ts';
import { besideBootstrap, besidePico, ownTheme } from './theme_style.ts';

const assets = ['htmx2.js', 'htmx4.js', 'bootstrap.css', 'pico.css'] as const;
/** What others made and pages load. */
export type Asset = (typeof assets)[number];

/** What a theme needs besides its stylesheet. */
const beside: Readonly<Partial<Record<Asset, Html>>> = {
  'bootstrap.css': besideBootstrap,
  'pico.css': besidePico,
};

const own: Readonly<Record<string, readonly [type: string, text: Html]>> = {
  'style.css': ['text/css', style],
  'own.css': ['text/css', ownTheme],
  'client.js': ['text/javascript', clientCode],
  'captcha.js': ['text/javascript', captchaScriptCode],
};

interface Files {
  readonly asset: (name: Asset) => Promise<string>;
  readonly formOf: (id: string) => Form | undefined;
}

/** What the studio's page loads, and the pages in its frame. */
export async function serveFile({ asset, formOf }: Files, request: RelayRequest): Promise<RelayResponse> {
  const { path, query } = request;
  const [, mode, theme = '', formId = ''] = /^\/studio\/(element|htmx[24])\/(\w+)\/([^/]+)$/.exec(path) ?? [];
  if (mode !== undefined) {
    const form = Object.hasOwn(themes, theme) ? formOf(decodeSegment(formId) ?? '') : undefined;
    return form ? framed(hostPage(form, mode as HostMode, theme as Theme, query)) : nothing(404);
  }
  const [, name = ''] = /^\/studio\/(?:theme\/)?([\w.]+)$/.exec(path) ?? [];
  if (name === 'elsewhere') return framed(elsewhere(parseQuery(query)?.get('to')?.[0] ?? ''));
  const [type, text] = (Object.hasOwn(own, name) && own[name]) || [];
  if (type && text) return answer(type, text);
  const known = assets.find((one) => one === name);
  if (!known) return nothing(404);
  const content = await asset(known).catch(() => undefined);
  return content === undefined
    ? answer('text/plain', `${known} is missing beside the program`, {}, 500)
    : answer(known.endsWith('.js') ? 'text/javascript' : 'text/css', `${content}${beside[known] ?? ''}`);
}
