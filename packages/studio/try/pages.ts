/** The pages as files: what is not there yet, the worker renders. */

import { type Html, html } from '@form-relay/relay/base';
import type { LiveConfig } from '../src/live_config.ts';
import { usual } from '../src/looks.ts';
import { recipeNames } from '../src/recipe_names.ts';
import { renderStudio } from '../src/studio_page.ts';
import { Switches } from '../src/switches.ts';
import { place } from './place.ts';

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

/** What is shown there has a policy beside this one (frame/frame.ts), which says which scripts it may run. */
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

const actions: Html = html`<p class="actions"><select id="sample" aria-label="Begin with a sample"><option value="">Samples</option><option value="first">Contact form</option>${Object.entries(
  recipeNames,
).map(([name, words]) => html`<option value="${name}">${words}</option>`)}</select>
<button type="button" class="tool" id="share">Share</button></p>
<p id="linked" role="status"></p>
`;

/** What `relay dev` does beside. */
const differences: Html = html`<footer><details><summary>The relay itself, in your browser: it shows what a server would send, and sends nothing. What else is different here</summary>
<ul>
<li>The link that <b>Share</b> makes holds the config after its <code>#</code>, which browsers keep to themselves.</li>
<li>There are no environment variables: made-up values stand in, as the page says for each.</li>
<li>There are no files beside the config: <code>language_files</code> and lists from files do not load.</li>
<li>Mails are not signed with DKIM; the place of the signature is shown.</li>
<li><code>relay dev</code> also shows forms with htmx and in Bootstrap and Pico, and can deliver for real.</li>
</ul></details></footer>`;

/** Until the worker has rendered something. */
const waiting: Html = html`<div class="bar"><h2>Form</h2></div><div class="empty"><p id="waiting"><b>The relay is loading …</b></p><noscript><p>It runs in your browser, and needs JavaScript for that.</p></noscript></div>`;

const noConfig: LiveConfig = {
  sourceName: 'webform.yaml',
  current: undefined,
  problems: [],
  state: 'fresh',
  text: '',
  isDraft: false,
  isOvertaken: false,
  get: () => undefined,
  reload: async () => {},
  draft: async () => {},
  isSaveUndoable: false,
  revert: async () => ({ ok: true, value: 'saved' }),
  save: async () => ({ ok: true, value: 'saved' }),
};

export const emptyPage = (): string =>
  String(
    renderStudio({
      place: { ...place, head, actions, noForm: waiting, footer: differences },
      config: noConfig,
      form: undefined,
      languages: [],
      look: usual,
      shape: '',
      scenes: undefined,
      notes: [],
      switches: new Switches(() => []),
      isDelivering: false,
      aheadMs: 0,
      origin: '',
      command: '',
      run: 'try-it',
      inbox: undefined,
    }),
  );

const head: Html = html`<meta http-equiv="Content-Security-Policy" content="${pagePolicy}">
<meta name="referrer" content="no-referrer">
<meta name="description" content="Try Form Relay in your browser: write a form in YAML, send it, and see what would be delivered.">
<link rel="stylesheet" href="try_it.css">
<script src="try_it.js" defer></script>`;

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
