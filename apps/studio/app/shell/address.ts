/** The page's URL contains the form, its language and the tab, so that bookmarks and Back restore them. */
import { computed, signal } from '@preact/signals';

const query = signal(location.search);

/** Functions to call after the URL has changed. */
export const onAddress = new Set<() => void>();

/** The query sent to the server. */
export const currentQuery = () => query.value;

/** `build` (by hand) or `try` (the live form). */
export const tab = computed<Tab>(() => tabIn(new URLSearchParams(query.value)));
type Tab = 'build' | 'try';
function tabIn(values: URLSearchParams): Tab {
  return values.get('tab') === 'try' ? 'try' : 'build';
}

/** With two columns: the pane next to the form. */
export const side = signal<'config' | 'arrived'>('config');
/** With one column: the form, or the other pane. */
export const front = signal<'form' | 'side'>('form');

export type Pane = 'build' | 'try' | 'config' | 'arrived';

/** The visible pane in a window with one column. */
export const pane = computed<Pane>(() => (front.value === 'form' ? tab.value : side.value));

/** Shows a pane, in whichever layout the window has. */
export function showPane(name: Pane): void {
  if (name === 'build' || name === 'try') {
    front.value = 'form';
    if (tab.value !== name) go({ tab: name }, true);
  } else {
    front.value = 'side';
    side.value = name;
  }
}

/** Changes parameters of the URL; an empty value removes one. `isReplaced`: adds no history entry. */
export function go(changes: Readonly<Record<string, string>>, isReplaced = false): void {
  const values = new URLSearchParams(query.value);
  const wanted = changes.tab ?? tab.value;
  for (const [name, value] of Object.entries({ ...changes, tab: '' })) {
    if (value === '') values.delete(name);
    else values.set(name, value);
  }
  if (tabIn(values) !== wanted) values.set('tab', wanted);
  if (isReplaced) history.replaceState(null, '', `?${values}`);
  else history.pushState(null, '', `?${values}`);
  look();
}

const look = () => {
  query.value = location.search;
  for (const tell of onAddress) tell();
};
addEventListener('popstate', look);

/** The builder's open part: fields, outputs or protection. */
export const builderTab = signal('fields');

/** Shows the part in which the owner chooses the form's outputs. */
export function showOutputs(form: string): void {
  go({ form });
  showPane('build');
  builderTab.value = 'outputs';
  requestAnimationFrame(() => document.getElementById('build-outputs')?.focus());
}
