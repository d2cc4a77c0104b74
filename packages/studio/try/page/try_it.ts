/** The page: the studio's own scripts, a worker in place of its server, and a link that holds the config. */
import '../../src/browser/client.ts';
import { refreshAll } from '../../src/browser/client/live_page.ts';
import { byId } from '../../src/browser/client/page_parts.ts';
import { firstConfig } from '../first.ts';
import { readFragment } from '../fragment.ts';
import { watchMails } from './mail_frames.ts';
import { followSamples } from './samples.ts';
import { followLinks, sayOfLink } from './share.ts';
import { onRestart, start } from './worker.ts';

onRestart.add(() => void refreshAll());
watchMails(byId('stories'));
followLinks();
followSamples();

const given = await readFragment(location.hash);
await start(given.kind === 'config' ? given.text : firstConfig).catch((error: Error) => {
  byId('waiting').textContent = `It does not run here: ${error.message}.`;
  throw error;
});
sayOfLink(given);
await refreshAll();
document.body.dataset.ready = 'true';
