import type { Scenes } from '../../src/scenes.ts';
import { chosenScene, ending, play } from './scenes.tsx';

/** The scenarios, as buttons. */
const names = {
  visitor: 'a visitor',
  typo: 'a typo',
  bot: 'a bot',
  offer: 'an advertisement',
  down: 'the CRM is down',
  stale: 'left open for hours',
  full: 'all places are taken',
  early: 'before it opens',
  late: 'after it has closed',
  plain: 'no JavaScript',
} as const;

/** A scenario about something that the form does not have would show nothing. */
function isOffered(name: string, { offer, down, staleMs, counted, opensAt, closesAt }: Scenes): boolean {
  if (name === 'full') return counted !== undefined;
  if (name === 'early') return opensAt !== undefined;
  if (name === 'late') return closesAt !== undefined;
  if (name === 'offer') return offer !== undefined;
  if (name === 'down') return down !== undefined;
  return name !== 'stale' || staleMs !== undefined;
}

export const SceneBar = ({ scenes }: { readonly scenes: Scenes }) => (
  <section id="scenes" aria-label="Scenarios">
    <p class="chips">
      <span>Play</span>
      {Object.entries(names)
        .filter(([name]) => isOffered(name, scenes))
        .map(([name, words]) => (
          <button
            key={name}
            type="button"
            class="chip"
            id={`scene-${name}`}
            aria-pressed={chosenScene.value === name}
            onClick={() => void play(name)}
          >
            {words}
          </button>
        ))}
    </p>
    <p id="ending" role="status">
      {ending}
    </p>
  </section>
);
