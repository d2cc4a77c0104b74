import { html } from '@form-relay/core/html/html';
import type { Html, RelayResponse } from '@form-relay/core/index';
import type { Framed } from './framed_page.ts';

export const answer = (
  type: string,
  body: Html | string,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): RelayResponse => ({
  status,
  headers: {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    ...headers,
  },
  body: String(body),
});

export const framed = ({ markup, policy }: Framed) =>
  answer('text/html', markup, { 'content-security-policy': policy });

const says = { 404: 'there is no such page', 405: 'use GET or POST' } as const;
export const nothing = (status: keyof typeof says) => answer('text/plain', says[status], {}, status);

/** No script, style, picture or font but the studio's own, and nobody frames it. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "frame-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const icon = html`<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231d4ed8'/%3E%3Cpath d='M3.5 8l9-4-2.6 8.6-2.3-3z' fill='%23fff'/%3E%3C/svg%3E">`;

/** The page is empty: its script shows it (app/main.tsx). */
export const page = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Form Relay studio</title>
${icon}
<link rel="stylesheet" href="/studio/app/studio.css">
<script type="module" src="/studio/app/studio.js"></script>
</head>
<body><div id="studio"></div><noscript>The studio needs JavaScript.</noscript></body>
</html>
`;
