import { attributes, type Html, html } from '@form-relay/relay/base';
import type { Scenes } from './scenes.ts';

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

/** A scenario about something that the form does not have would show nothing. */
function isOffered(name: string, about: Scenes | undefined): boolean {
  if (name === 'offer') return about?.offer !== undefined;
  if (name === 'down') return about?.down !== undefined;
  return name !== 'stale' || about?.staleMs !== undefined;
}

export function scenesView(about: Scenes | undefined): Html {
  const chips = Object.entries(scenes)
    .filter(([name]) => isOffered(name, about))
    .map(
      ([name, words]) =>
        html`<button${attributes({ type: 'button', class: 'chip', id: `scene-${name}`, 'data-scene': name, 'aria-pressed': 'false' })}>${words}</button> `,
    );
  return html`<section id="scenes" aria-label="Scenarios">
<p class="chips" id="chips" data-live><span>Play</span> ${chips}</p>
<p id="ending" role="status">Each fills in the form and sends it, before your eyes.</p>
</section>`;
}
