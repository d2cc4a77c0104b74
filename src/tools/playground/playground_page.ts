import { basename } from 'node:path';
import type { Form } from '../../form.ts';
import { attributes, type Html, html } from '../../html.ts';
import { quoted } from '../shell.ts';
import { copyable } from './bytes_view.ts';
import { aboutForm, addressOf, formList, type Mode, modes, titleOf } from './forms_view.ts';
import { frameAddress, pageSnippet } from './framed_page.ts';
import { again, alert, check, down, lock, open, pen, robot, send, up } from './icons.ts';
import type { Inbox } from './inbox.ts';
import type { LiveConfig } from './live_config.ts';
import { problemsView } from './problems_view.ts';
import { curlLine, type Sample } from './samples.ts';
import { storyView } from './story_view.ts';
import type { Switches } from './switches.ts';

export interface PageView {
  readonly config: LiveConfig;
  readonly form: Form | undefined;
  readonly mode: Mode;
  /** What the form's markup depends on, so that a page shows it again only when it has changed. */
  readonly look: string;
  readonly samples: readonly Sample[];
  readonly notes: readonly string[];
  readonly switches: Switches;
  readonly isDelivering: boolean;
  /** Where the playground is, as the browser sees it. */
  readonly origin: string;
  /** What calls the relay with this config in a shell. */
  readonly command: string;
  /** Changes with each start, so that a page notices that its inbox is gone. */
  readonly run: string;
  /** `undefined`: the page has its stories already. */
  readonly inbox: Inbox | undefined;
}

/**
 * The whole playground. What stands in an element with `data-live` follows the config: the client exchanges it
 * (browser/client.ts), so everything is rendered here and nowhere else.
 */
export function renderPlayground(view: PageView): Html {
  const { config, form, mode, switches, run, inbox } = view;
  const forms = [...(config.current?.forms.values() ?? [])];
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${form ? `${titleOf(form)} – ` : ''}Form Relay playground</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231d4ed8'/%3E%3Cpath d='M3.5 8l9-4-2.6 8.6-2.3-3z' fill='%23fff'/%3E%3C/svg%3E">
<link rel="stylesheet" href="/playground/style.css">
<script src="/playground/client.js" defer></script>
</head>
<body${attributes({ 'data-run': run, 'data-last': inbox?.last })}>
<a class="skip" href="#inbox">Skip to the inbox</a>
<header>
<h1><b>Form Relay</b> <span>playground</span></h1>
<p id="status" data-live>${statusView(config, forms.length)}</p>
<p class="promise${view.isDelivering && ' warn'}">${view.isDelivering ? html`${send} Outputs deliver for real` : html`${lock} Nothing leaves this machine`}</p>
</header>
<div id="problems" data-live>${problemsView(config)}</div>
<div class="columns">
<nav aria-label="Forms">
<h2>Forms</h2>
<div id="forms" data-live>${formList(forms, form, mode, switches)}</div>
<details id="about" open>
<summary><h2>Behind the form</h2></summary>
<div id="about-form" data-live>${form && aboutForm({ ...view, form })}</div>
</details>
</nav>
<main>
<div id="stage" data-live${attributes(stageData(view))}>${form ? stageView(form, view) : noForm(config)}</div>
<iframe${attributes({ id: 'frame', title: 'The form, live', src: form && frameAddress(form, mode), hidden: !form })}></iframe>
<div id="recipes" data-live>${form && recipes(form, view)}</div>
</main>
<section id="inbox" tabindex="-1" aria-labelledby="inbox-title">
<div class="bar"><h2 id="inbox-title">Inbox</h2> <span id="busy"></span><button type="button" class="tool" id="clear">Clear</button></div>
<a id="toast" href="#inbox" hidden></a>
<div id="stories">${inbox?.entries.map(storyView)}</div>
<div class="empty" id="empty">
<p><b>Send the form: what happens to it appears here.</b></p>
<ol class="street">${street.map(([icon, title, says]) => html`<li><span class="dot">${icon}</span><p><b>${title}</b> ${says}</p></li>`)}</ol>
</div>
</section>
</div>
<p id="said" class="unseen" role="status"></p>
</body>
</html>
`;
}

/** What the inbox will show, in words, while it is empty. */
const street = [
  [down, 'Received', 'what the visitor sent'],
  [robot, 'Checks', 'honeypot, min-fill and captcha end what bots send, and say why'],
  [check, 'Validation', 'every field, and what is wrong with it'],
  [send, 'Outputs', 'each request and each mail to go out, byte for byte'],
  [up, 'Answered', 'what the visitor was told'],
] as const;

const statusView = ({ sourceName, state }: LiveConfig, count: number): Html =>
  html`<code>${basename(sourceName)}</code> ${count === 1 ? '1 form' : `${count} forms`}, ${
    state === 'fresh' ? 'read again whenever you save it' : html`<b class="bad">${alert} does not load</b>`
  }`;

const stageData = ({ form, mode, look, samples }: PageView) => ({
  'data-form': form?.id,
  'data-frame': form && frameAddress(form, mode),
  'data-look': look,
  'data-samples': JSON.stringify(samples),
  'data-decoy': form?.spam?.honeypot,
});

function stageView(form: Form, { mode }: PageView): Html {
  const choices = Object.entries(modes).map(([key, name]) => {
    const link = {
      id: `mode-${key}`,
      href: addressOf(form, key as Mode),
      'aria-current': key === mode && 'page',
      'data-nav': true,
    };
    return html`<a${attributes(link)}>${name}</a>`;
  });
  const hasDecoy = form.spam?.honeypot !== undefined;
  return html`<div class="bar"><h2>Live form</h2><div class="choice" role="group" aria-label="The page around it">${choices}</div></div>
<div class="tools">
<button type="button" class="tool" id="fill" data-do="fill">${pen} Fill in</button>
${hasDecoy && html`<button type="button" class="tool" id="decoy" data-do="decoy">${robot} Fill the decoy</button>\n`}<button type="button" class="tool" id="again" data-do="again">${again} Start over</button>
<a class="tool" target="_blank" rel="noopener"${attributes({ href: frameAddress(form, mode) })}>${open} Open alone</a>
</div>`;
}

const noForm = ({ current }: LiveConfig): Html =>
  html`<div class="empty"><p><b>${current ? 'The config declares no form.' : 'No form can be shown yet.'}</b></p>
<p>Write one into the config and save it: it appears here at once. <code>relay init</code> writes a first config.</p></div>`;

/** What leads to the same form without the playground. */
function recipes(form: Form, { mode, origin, samples, command }: PageView): Html {
  const url = `${origin}/api/v1/submit/${encodeURIComponent(form.id)}`;
  const token = form.captcha ? [[form.captcha.tokenField, 'pretend-human'] as const] : [];
  const dropped =
    form.spam?.minFill &&
    html`<p class="aside">Without a page there is no min-fill token, so this one is dropped.</p>`;
  const printLine = `${command} form html ${quoted(form.id)} --plain --base-url ${origin}`;
  const onPage =
    mode === 'plain'
      ? html`<h3>Plain</h3><p class="aside">The relay’s own page, complete and without scripts. ${
          form.redirect
            ? html`After it, visitors go to <code>${form.redirect.href}</code>.`
            : html`It ends on a page with the <code>confirmation</code>; a <code>redirect</code> in the config leads to yours.`
        }</p>
${
  form.spam?.minFill
    ? html`<p class="aside">A page without scripts cannot hold a fresh min-fill token: link to this one.</p>`
    : html`<p class="aside">This prints the form, to paste into your page:</p>\n${copyable(printLine)}`
}`
      : html`<h3>In your page</h3>${copyable(pageSnippet(form, mode, origin))}`;
  return html`${onPage}
<h3>From a terminal</h3>
${copyable(curlLine(url, [...samples, ...token]))}${dropped}`;
}
