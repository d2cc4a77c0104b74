/** The pages as files. The script fills them. */

import { html } from '@form-relay/relay/base';
import { icon } from '../src/page.ts';

/** Nothing but the files beside it; from the worker, which it holds for too, nothing at all. */
const pagePolicy = [
  "default-src 'none'",
  // The worker's parts: a page cannot be made to hold such an address by what is written into it.
  "script-src 'self' blob:",
  'worker-src blob:',
  "style-src 'self'",
  'img-src data:',
  "frame-src 'self'",
  "connect-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ');

/** Pages in the frame have a policy of their own beside this one (frame/frame.ts), which names the scripts that may run. */
const framePolicy = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  'worker-src blob:',
  "style-src 'unsafe-inline'",
  'img-src data:',
  "connect-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ');

export const emptyPage = String(html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Form Relay – try it</title>
<meta http-equiv="Content-Security-Policy" content="${pagePolicy}">
<meta name="referrer" content="no-referrer">
<meta name="description" content="Try Form Relay in your browser: build a form, send it, and see what would be delivered.">
${icon}
<link rel="stylesheet" href="try_it.css">
<script src="try_it.js" defer></script>
</head>
<body><div id="studio"><p>The relay is loading …</p><noscript><p>It runs in your browser, and needs JavaScript for that.</p></noscript></div></body>
</html>
`);

/** An empty page that waits for what it is to show. */
export const framePage = (script: string): string => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${framePolicy}">
<title>The form</title>
<script>${script.replaceAll('</', '<\\/')}</script>
</head>
<body></body>
</html>
`;
