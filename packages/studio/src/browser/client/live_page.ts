/** What follows the config, and what the owner clicks. */
import { refreshEditor, showKey } from './editor.ts';
import { deeds, keepTyped, showKept } from './live_form.ts';
import { byId, onClick, post, say, stage } from './page_parts.ts';
import { ask, choose, chosen, onChosen } from './relay.ts';
import { fillInAddress } from './site.ts';

/** Functions to call when the page is up to date again. */
export const onRefresh = new Set<(isOtherForm: boolean) => void>();
let refreshes = 0;
/** Exchanges what stands in `data-live` for its latest state. */
export const refresh = async () => {
  refreshes += 1;
  const mine = refreshes;
  const answer = await ask(`/studio/now${chosen()}`);
  // It has stopped, and the page says so. When it runs again, this is made up for.
  if (!answer?.ok) return;
  const latest = new DOMParser().parseFromString(answer.text, 'text/html');
  // Another one began meanwhile, and knows more.
  if (mine !== refreshes) return;
  const focused = document.activeElement?.id;
  const before = { ...stage() };
  for (const old of document.querySelectorAll('[data-live]')) {
    const next = latest.getElementById(old.id);
    if (!next || next.outerHTML === old.outerHTML) continue;
    const { scrollTop } = old;
    old.replaceWith(document.adoptNode(next));
    next.scrollTop = scrollTop;
  }
  document.title = latest.title;
  fillInAddress();
  if (focused && document.activeElement?.id !== focused) byId(focused)?.focus();
  const now = stage();
  byId('device').className = `device ${now.width}`;
  byId('columns').dataset.width = now.width;
  byId('about').hidden = now.form === undefined;
  if (before.form !== now.form) showKey(now.form ?? '', '');
  for (const tell of onRefresh) tell(before.form !== now.form);
  if (before.frame === now.frame && before.shape === now.shape) return;
  await keepTyped(before.form);
  void showKept();
};

onChosen(refresh);
/** Shows another form, or the same in another way. */
export const go = (address: string) => {
  choose(address);
  return refresh();
};
document.addEventListener('click', (event) => {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-nav]');
  const isPlainClick =
    event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlainClick) return;
  event.preventDefault();
  void go(link.href);
});
onClick('[data-do]', ({ dataset }) => deeds[dataset.do ?? '']?.());
onClick('[data-copy]', async (button) => {
  await navigator.clipboard.writeText(button.parentElement?.querySelector('pre')?.textContent ?? '');
  const label = button.querySelector('span') as HTMLElement;
  label.textContent = 'Copied';
  say('Copied.');
  setTimeout(() => {
    label.textContent = 'Copy';
  }, 1500);
});
document.addEventListener('change', ({ target }) => {
  const select = target as HTMLSelectElement;
  const { form, fault, choice } = select.dataset;
  if (choice !== undefined) void go(select.value);
  if (form !== undefined && fault !== undefined)
    void post('/studio/fault', { form, output: fault, fault: select.value });
});
onClick('#clear', () => post('/studio/clear', {}));
onClick('[data-push]', ({ dataset }) => post('/studio/clock', { ms: dataset.push ?? '' }));
onClick('[data-retry]', ({ dataset }) => post('/studio/retry', { id: dataset.retry ?? '' }));

/** The config may have changed, here or in its file. */
export const refreshAll = () => Promise.all([refresh(), refreshEditor()]);
