/** The stream of events. */

import { refreshAll } from './live_page.ts';
import { byId, say } from './page_parts.ts';
import { type Listening, listen } from './relay.ts';
import { arrive, forget, latestVersion } from './story_list.ts';

const { run } = document.body.dataset;
const stopped = 'The studio has stopped; it is shown again when it runs.';
/** The config may have changed unheard. */
let isStale = document.hidden;
let events: Listening | undefined;

const connect = () => {
  events = listen(latestVersion);
  const { on } = events;
  on('hello', (now: { run: string; oldest: number }) => {
    // The studio was restarted: what this page shows is gone.
    if (now.run !== run) location.reload();
    if (isStale) void refreshAll();
    isStale = false;
    document.body.classList.remove('lost');
    byId('busy').textContent = '';
    forget(now.oldest);
  });
  on('story', arrive);
  on('busy', (count: number) => {
    byId('busy').textContent = count === 0 ? '' : `${count} under way …`;
  });
  on('changed', () => void refreshAll());
  on('cleared', () => forget(Number.POSITIVE_INFINITY));
  events.onLost(() => {
    if (!document.body.classList.contains('lost')) say(stopped);
    isStale = true;
    document.body.classList.add('lost');
    byId('busy').textContent = stopped;
  });
};
if (!document.hidden) connect();
// Browsers open no more than six connections to a server, for all tabs together.
document.addEventListener('visibilitychange', () => {
  events?.stop();
  isStale = true;
  if (!document.hidden) connect();
});
