/** What follows the config, and what the owner clicks. */
import { deeds, keepTyped, showKept } from './live_form.ts';
import { byId, say, stage } from './page_parts.ts';

/** On a narrow page, the mistake in a long line is out of sight. */
const showCarets = () => {
  for (const caret of document.querySelectorAll<HTMLElement>('.problems pre b')) {
    const line = caret.parentElement as HTMLElement;
    line.scrollLeft = caret.offsetLeft + caret.offsetWidth - line.offsetLeft - line.clientWidth / 2;
  }
};
showCarets();
document.querySelector('#forms [aria-current]')?.scrollIntoView({ block: 'nearest' });

let refreshes = 0;
/** Exchanges what stands in `data-live` for its latest state. */
export const refresh = async () => {
  refreshes += 1;
  const mine = refreshes;
  const answer = await fetch(`/playground/now${location.search}`).catch(() => undefined);
  // It has stopped, and the page says so. When it runs again, this is made up for.
  if (!answer?.ok) return;
  const latest = new DOMParser().parseFromString(await answer.text(), 'text/html');
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
  showCarets();
  if (focused && document.activeElement?.id !== focused) byId(focused)?.focus();
  const now = stage();
  if (before.frame === now.frame && before.look === now.look) return;
  keepTyped(before.form);
  showKept();
};

addEventListener('popstate', refresh);
document.addEventListener('click', (event) => {
  const target = event.target as Element;
  const link = target.closest<HTMLAnchorElement>('a[data-nav]');
  const isPlainClick =
    event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (link && isPlainClick) {
    event.preventDefault();
    history.pushState(null, '', link.href);
    void refresh();
  }
  const deed = target.closest<HTMLElement>('[data-do]')?.dataset.do;
  if (deed) deeds[deed]?.();
  const copy = target.closest<HTMLElement>('[data-copy]');
  if (copy) void copyFrom(copy);
});

const copyFrom = async (button: HTMLElement) => {
  await navigator.clipboard.writeText(button.parentElement?.querySelector('pre')?.textContent ?? '');
  const label = button.querySelector('span') as HTMLElement;
  label.textContent = 'Copied';
  say('Copied.');
  setTimeout(() => {
    label.textContent = 'Copy';
  }, 1500);
};

const post = (path: string, values: Record<string, string>) =>
  fetch(path, { method: 'POST', body: new URLSearchParams(values) }).catch(() => undefined);

document.addEventListener('change', (event) => {
  const select = event.target as HTMLSelectElement;
  const { form, fault } = select.dataset;
  if (form !== undefined && fault !== undefined)
    void post('/playground/fault', { form, output: fault, fault: select.value });
});
byId('clear').addEventListener('click', () => post('/playground/clear', {}));

// On a narrow page the form comes first.
if (matchMedia('(max-width: 67rem)').matches) byId('about').removeAttribute('open');
