import { basename } from 'node:path';
import { attributes, type Form, type Html, html } from '@form-relay/relay/base';
import { keep } from '@form-relay/relay/features';
import { clockView } from './clock_view.ts';
import { aboutForm, formList, titleOf } from './forms_view.ts';
import { frameAddress } from './framed_page.ts';
import { again, alert, check, down, open, pen, robot, send, up } from './icons.ts';
import type { Inbox } from './inbox.ts';
import type { LiveConfig } from './live_config.ts';
import { addressOf, type Look, modes, themes, widths } from './looks.ts';
import type { Place } from './place.ts';
import { problemsView } from './problems_view.ts';
import type { Scenes } from './scenes.ts';
import { scenesView } from './scenes_view.ts';
import { siteView } from './site_view.ts';
import { storyView } from './story_view.ts';
import type { Switches } from './switches.ts';

export interface PageView {
  readonly place: Place;
  readonly config: LiveConfig;
  readonly form: Form | undefined;
  /** The form in each of its languages; none where it has but one. */
  readonly languages: readonly Form[];
  readonly look: Look;
  /** What the form's markup depends on, so that a page shows it again only when it has changed. */
  readonly shape: string;
  readonly scenes: Scenes | undefined;
  readonly notes: readonly string[];
  readonly switches: Switches;
  readonly isDelivering: boolean;
  /** How far its clock was pushed on. */
  readonly aheadMs: number;
  /** Where the studio is, as the browser sees it. */
  readonly origin: string;
  /** What calls the relay with this config in a shell. */
  readonly command: string;
  /** Changes with each start, so that a page notices that its inbox is gone. */
  readonly run: string;
  /** `undefined`: the page has its stories already. */
  readonly inbox: Inbox | undefined;
}

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

/**
 * The whole studio. What stands in an element with `data-live` follows the config: the client exchanges it
 * (browser/client.ts), so everything is rendered here and nowhere else.
 */
export function renderStudio(view: PageView): Html {
  const { place, config, form, look, switches, run, inbox } = view;
  const forms = [...(config.current?.forms.values() ?? [])];
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${form ? `${titleOf(form)} – ` : ''}Form Relay ${place.name}</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231d4ed8'/%3E%3Cpath d='M3.5 8l9-4-2.6 8.6-2.3-3z' fill='%23fff'/%3E%3C/svg%3E">
${place.head}
</head>
<body${attributes({ 'data-run': run, 'data-last': inbox?.last })}>
<a class="skip" href="#inbox">Skip to what arrived</a>
<header>
<h1><b>Form Relay</b> <span>${place.name}</span></h1>
<nav aria-label="Forms" id="forms" data-live>${formList(forms, form, look, switches)}</nav>
${place.promise}
${place.actions}<button type="button" class="main" id="site-open">Put it on my site</button>
</header>
${scenesView(view.scenes)}
<div class="columns" id="columns" data-width="${look.width}">
<section id="config" aria-labelledby="config-title">
<div class="bar"><h2 id="config-title">Config</h2><div id="status" data-live>${statusView(config, place)}</div><button type="button" class="tool" id="config-show" aria-expanded="false" aria-controls="editor">Show</button></div>
<div id="editor">
<div class="sheet"><div class="paper"><pre id="colours" aria-hidden="true"></pre><textarea id="yaml" aria-labelledby="config-title" aria-describedby="problems keys" spellcheck="false" autocapitalize="off" autocomplete="off"></textarea></div></div>
<p id="keys">Tab indents. Press Escape, then Tab, to leave the editor.</p>
<div id="problems" data-live>${problemsView(config)}</div>
<div id="overtaken" role="alert"></div>
</div>
</section>
<main>
<div id="stage" data-live${attributes(stageData(view))}>${form ? stageView(form, view) : (place.noForm ?? noForm(config))}</div>
<div class="${`device ${look.width}`}" id="device"><iframe${attributes({ id: 'frame', title: 'The form, live', src: form && frameAddress(form, look), sandbox: place.sandbox, hidden: !form })}></iframe></div>
<details id="about"${attributes({ hidden: !form })}>
<summary>What is behind it</summary>
<div id="about-form" data-live>${form && aboutForm({ ...view, form })}</div>
</details>
</main>
<section id="inbox" tabindex="-1" aria-labelledby="inbox-title">
<div class="bar"><h2 id="inbox-title">What arrived</h2><span id="busy"></span><button type="button" class="tool" id="clear">Clear</button></div>
<div id="clock" data-live${attributes({ hidden: !((form && keep.of(form)) || view.aheadMs > 0) })}>${clockView(view.aheadMs)}</div>
<a id="toast" href="#inbox" hidden></a>
<div id="stories">${inbox?.entries.map(storyView)}</div>
<div class="empty" id="empty">
<p><b>Send the form: what happens to it appears here.</b></p>
<ol class="street">${street.map(([icon, title, says]) => html`<li><span class="dot">${icon}</span><p><b>${title}</b> ${says}</p></li>`)}</ol>
</div>
</section>
</div>
${place.footer}<dialog id="site" aria-labelledby="site-title"><div id="site-live" data-live>${form && siteView({ ...view, form })}</div></dialog>
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

/** Where the text is, and what can be done with a draft or the last save. */
function statusView({ sourceName, state, isDraft, isSaveUndoable }: LiveConfig, { hasFile }: Place): Html {
  const fresh = isDraft ? 'changed here' : isSaveUndoable && 'saved';
  const ending = state === 'fresh' ? fresh : html`<b class="bad">${alert} does not load</b>`;
  return html`<p><code>${basename(sourceName)}</code> ${ending}</p>${
    (isDraft || isSaveUndoable) && html`<button type="button" class="tool" id="revert">Undo</button>`
  }${isDraft && hasFile && html`<button type="button" class="tool main" id="save">Save to file</button>`}`;
}

const stageData = ({ form, look, shape, scenes }: PageView) => ({
  'data-form': form?.id,
  'data-frame': form && frameAddress(form, look),
  'data-mode': look.mode,
  'data-plain': form && frameAddress(form, { ...look, mode: 'plain' }),
  'data-width': look.width,
  'data-shape': shape,
  'data-scenes': JSON.stringify(scenes),
});

function stageView(form: Form, { place, look, languages }: PageView): Html {
  const select = (id: string, label: string, options: readonly Html[]) =>
    html`<p><label for="${id}">${label}</label> <select${attributes({ id, 'data-choice': true })}>${options}</select></p>`;
  const choice = (
    key: keyof Look,
    label: string,
    all: Readonly<Record<string, string>>,
    of: readonly string[] = Object.keys(all),
  ) => {
    const options = of.map(
      (value) =>
        html`<option${attributes({ value: addressOf(form, { ...look, [key]: value }), selected: value === look[key] })}>${all[value]}</option>`,
    );
    return select(`look-${key}`, label, options);
  };
  const inLanguages = languages.map((one) => {
    const option = {
      value: addressOf(one, look),
      lang: one.language,
      selected: one.language === form.language,
    };
    return html`<option${attributes(option)}>${nameOf(one.language)}</option>`;
  });
  const isOwnPage = look.mode === 'plain';
  return html`<div class="bar"><h2>Form</h2>
<button type="button" class="tool" id="fill" data-do="fill">${pen} Fill in</button><button type="button" class="tool" id="again" data-do="again">${again} Start over</button>${
    place.opensAlone &&
    html`<a class="tool" target="_blank" rel="noopener" title="Open alone"${attributes({ href: frameAddress(form, look) })}>${open}<span class="unseen">Open alone</span></a>`
  }</div>
<div class="looks">${choice('mode', 'Page', modes, place.modes)}${
    isOwnPage
      ? html`<span class="aside">the relay’s own page</span>`
      : choice('theme', 'Style', themes, place.themes)
  }${choice('width', 'Width', widths)}${
    languages.length > 1 && select('look-language', 'Language', inLanguages)
  }</div>`;
}

/** What a language calls itself. */
const nameOf = (tag: string) => new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;

const noForm = ({ current }: LiveConfig): Html =>
  html`<div class="bar"><h2>Form</h2></div><div class="empty"><p><b>${current ? 'The config declares no form.' : 'No form can be shown yet.'}</b></p>
<p>Write one into the config: it appears here at once. <code>relay init</code> writes a first config.</p></div>`;
