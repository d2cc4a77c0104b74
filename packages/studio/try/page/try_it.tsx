/** The page: the studio's own, a worker in place of its server, and a link that holds the config. */
import { render } from 'preact';
import '../../app/style.css';
import { Studio } from '../../app/shell/studio.tsx';
import { firstConfig } from '../first.ts';
import { readFragment } from '../fragment.ts';
import { followLinks, sayOfLink } from './share.ts';
import './try_it.css';
import { start } from './worker.ts';

const root = document.getElementById('studio') as HTMLElement;

async function begin(): Promise<void> {
  const given = await readFragment(location.hash);
  await start(given.kind === 'config' ? given.text : firstConfig);
  root.replaceChildren();
  render(<Studio />, root);
  sayOfLink(given);
  followLinks();
  document.body.dataset.ready = 'true';
}

begin().catch((error: Error) => {
  root.textContent = `It does not run here: ${error.message}.`;
  throw error;
});
