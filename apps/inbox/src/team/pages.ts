/** The sign-in pages, which work without scripts. */
import { createHash } from 'node:crypto';
import { html } from '@form-relay/base/html';
import type { Answer } from '../gate.ts';
import type { Refusal } from './identity.ts';

/** Contains no character that HTML escapes. */
const style = `:root{color-scheme:light dark;--back:#f5f5f8;--card:#fff;--text:#1b1b1f;--soft:#5a5a66;--line:#dfdfe6;--strong:#8a8a96;--accent:#1d4ed8;--on:#fff}
@media (prefers-color-scheme:dark){:root{--back:#111114;--card:#17171b;--text:#ececf1;--soft:#a9a9b6;--line:#2f2f38;--strong:#7d7d8a;--accent:#8ab4ff;--on:#10131c}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{width:min(26rem,100% - 2rem);margin:1rem;padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
h1{font-size:1.375rem;line-height:1.25;margin:0 0 .5rem}
p{margin:0 0 1.25rem;color:var(--soft)}
form+form,.or{margin-top:1rem}
.or{text-align:center;margin-bottom:0;font-size:.875rem}
label{display:block;font-size:.875rem;font-weight:600;margin-bottom:.25rem}
input{width:100%;font:inherit;color:inherit;background:var(--back);border:1px solid var(--strong);border-radius:.5rem;padding:.5rem .75rem;margin-bottom:.75rem;min-height:2.75rem}
button{width:100%;min-height:2.75rem;font:inherit;font-weight:600;padding:.5rem 1rem;border:1px solid var(--accent);border-radius:.5rem;background:var(--accent);color:var(--on);cursor:pointer}
button.second{background:none;color:var(--text);border-color:var(--strong)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** Headers of all sign-in answers. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  // A `form-action` would have to list every host that the provider redirects to.
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** Sign-in methods that a page offers. */
export interface Ways {
  /** The host of the OpenID Connect provider. */
  readonly provider?: string | undefined;
  readonly hasLinks?: boolean;
  /** The token of an invitation, which a button accepts. */
  readonly invitation?: string;
  readonly canSignOut?: boolean;
}

export const page = (
  { status, title = 'Inbox', words }: Refusal,
  { provider, hasLinks = false, invitation, canSignOut = false }: Ways = {},
  cookies: readonly string[] = [],
): Answer => ({
  status,
  headers: { ...pageHeaders, ...(cookies.length > 0 && { 'set-cookie': cookies }) },
  body: html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Form Relay</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${words}</p>
${invitation === undefined ? '' : html`<form method="post" action="/sign-in/link"><input type="hidden" name="token" value="${invitation}"><button autofocus>Sign in</button></form>`}
${hasLinks ? html`<form method="post" action="/sign-in/link"><label for="email">Your address</label><input id="email" name="email" type="email" autocomplete="email" required maxlength="254"><button>Send me a sign-in link</button></form>` : ''}
${hasLinks && provider !== undefined ? html`<p class="or">or</p>` : ''}
${provider === undefined ? '' : html`<form method="post" action="/sign-in"><button${hasLinks ? html` class="second"` : ''}>Sign in with ${provider}</button></form>`}
${canSignOut ? html`<form method="post" action="/api/sign-out"><button class="second">Sign out</button></form>` : ''}
</main>
</body>
</html>
`.toString(),
});

export const redirect = (to: string, cookies: readonly string[]): Answer => ({
  status: 303,
  headers: { ...pageHeaders, location: to, 'set-cookie': cookies },
  body: '',
});
