import { html } from '@form-relay/base/html';
import { decodeSegment } from '@form-relay/base/url';
import { parseQuery } from '@form-relay/base/urlencoded';
import type { Form, Html, RelayRequest, RelayResponse } from '@form-relay/core/index';
import { formStyle } from '@form-relay/element/built/style';
import { captchaScriptCode } from '../built/browser.ts';
import { answer, framed, nothing } from './answers.ts';
import { elsewhere, hostPage } from './framed_page.ts';

/** Files of the page's own (vite.config.ts). */
export type Asset = `app/${string}`;

/** The style of the page around the live form, as the relay's own stylesheet leaves it. */
const ownTheme = html`${formStyle}
:root{color-scheme:light dark}
body{margin:0;padding:.875rem 1.25rem 1rem;color:#1b1b1f;background:#fff;font:.875rem/1.4 system-ui,sans-serif;overflow-wrap:anywhere}
@media (prefers-color-scheme:dark){body{color:#ececf1;background:#17171b}}
.form-relay{--form-relay-space:.875rem}
`;

const own: Readonly<Record<string, readonly [type: string, text: Html]>> = {
  'own.css': ['text/css', ownTheme],
  'captcha.js': ['text/javascript', captchaScriptCode],
};

interface Files {
  readonly asset: (name: Asset) => Promise<string>;
  readonly formOf: (id: string) => Form | undefined;
}

/** Files of the studio's page, and of the pages in its frame. */
export async function serveFile({ asset, formOf }: Files, request: RelayRequest): Promise<RelayResponse> {
  const { path, query } = request;
  const [, formId] = /^\/studio\/element\/([^/]+)$/.exec(path) ?? [];
  if (formId !== undefined) {
    const form = formOf(decodeSegment(formId) ?? '');
    return form ? framed(hostPage(form, query)) : nothing(404);
  }
  const [, name = ''] = /^\/studio\/(?:theme\/)?((?:app\/)?[\w-]+\.\w+|elsewhere)$/.exec(path) ?? [];
  if (name === 'elsewhere') return framed(elsewhere(parseQuery(query)?.get('to')?.[0] ?? ''));
  const [type, text] = (Object.hasOwn(own, name) && own[name]) || [];
  if (type && text) return answer(type, text);
  const content = name.startsWith('app/') ? await asset(name as Asset).catch(() => undefined) : undefined;
  if (content === undefined) return nothing(404);
  return answer(name.endsWith('.js') ? 'text/javascript' : 'text/css', content);
}
