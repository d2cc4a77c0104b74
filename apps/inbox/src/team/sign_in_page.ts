import { createHash } from 'node:crypto';
import { html } from '@form-relay/core/html/html';

/** Has no character that would be escaped. */
const style =
  ':root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0;display:grid;min-height:100vh;place-items:center}main{box-sizing:border-box;width:100%;max-width:26rem;padding:1.5rem}h1{font-size:1.25rem;margin:0 0 .5rem}button{font:inherit;padding:.6rem 1.2rem;border:0;border-radius:.4rem;background:#1f5fbf;color:#fff;cursor:pointer}button:focus-visible{outline:3px solid #7aa7ee;outline-offset:2px}button.plain{background:none;color:inherit;text-decoration:underline;padding:.6rem 0}';

const styleHash = createHash('sha256').update(style).digest('base64');

/** For every answer of the sign-in. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  // A `form-action` would also have to name every host that the provider redirects to.
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** A page with words, and a button that begins a sign-in. */
export function signInPage(
  words: string,
  { provider, canSignOut }: { readonly provider?: string | undefined; readonly canSignOut?: boolean } = {},
): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Inbox · Form Relay</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Inbox</h1>
<p>${words}</p>
${provider === undefined ? '' : html`<form method="post" action="/sign-in"><button>Sign in with ${provider}</button></form>`}
${canSignOut ? html`<form method="post" action="/api/sign-out"><button class="plain">Sign out</button></form>` : ''}
</main>
</body>
</html>
`;
  return page.toString();
}
