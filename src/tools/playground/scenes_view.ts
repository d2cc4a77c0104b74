import { html } from '../../html.ts';

/** What a visit can be like. Each is played by browser/client/scenes.ts, with the live form. */
const scenes = {
  visitor: 'a visitor',
  typo: 'a typo',
  bot: 'a bot',
  offer: 'an advertisement',
  down: 'the CRM is down',
  stale: 'left open for hours',
  plain: 'no JavaScript',
} as const;

export const scenesView = html`<section id="scenes" aria-label="Scenarios">
<p class="chips"><span>Play</span> ${Object.entries(scenes).map(
  ([name, words]) => html`<button type="button" class="chip" data-scene="${name}">${words}</button> `,
)}</p>
<p id="ending" role="status">Each fills in the form and sends it, before your eyes.</p>
</section>`;
