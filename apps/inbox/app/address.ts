/** Stores the current filter and the open message in the page's URL. */
import { signal } from '@preact/signals';
import type { Query } from '../src/api.ts';

export type Choice = { -readonly [key in keyof Query]: Query[key] };

const texts = ['search', 'form', 'state', 'mark', 'reason', 'label', 'assigned', 'work'] as const;
const times = ['since', 'until'] as const;

export const query = signal<Choice>({});
/** A page shown instead of the list: `people` or `numbers`. */
export const page = signal<string | undefined>(undefined);
/** Whether the form menu covers the list in a narrow window. */
export const isFormsOpen = signal(false);
/** The id of the open message. */
export const opened = signal<string | undefined>(undefined);

export function paramsOf(choice: Choice): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(choice)) {
    if (value !== undefined && value !== '' && value !== false) params.set(name, String(value));
  }
  return params;
}

export function choiceIn(given: URLSearchParams): Choice {
  const choice: Record<string, unknown> = {};
  for (const name of texts) if (given.get(name)) choice[name] = given.get(name);
  for (const name of times)
    if (Number.isSafeInteger(Number(given.get(name) || NaN))) choice[name] = Number(given.get(name));
  if (given.get('unread') === 'true') choice.unread = true;
  return choice;
}

function read(): void {
  const given = new URLSearchParams(location.search);
  const choice = choiceIn(given);
  if (paramsOf(choice).toString() !== paramsOf(query.value).toString()) query.value = choice;
  opened.value = given.get('open') ?? undefined;
  page.value = given.get('page') ?? undefined;
}

function write(isStep: boolean): void {
  const params = paramsOf(query.value);
  if (opened.value !== undefined) params.set('open', opened.value);
  if (page.value !== undefined) params.set('page', page.value);
  const address = `/${params.size > 0 ? `?${params}` : ''}`;
  if (address === location.pathname + location.search) return;
  if (isStep) history.pushState(null, '', address);
  else history.replaceState(null, '', address);
}

/** @param isStep Whether the browser's back button returns to the previous filter. */
export function choose(change: Choice, isStep = true): void {
  query.value = { ...query.value, ...change };
  write(isStep);
}

export function chooseOnly(choice: Choice): void {
  query.value = choice;
  opened.value = undefined;
  write(true);
}

export function showPage(name: string | undefined): void {
  page.value = name;
  write(true);
}

/** Shows the list, or the numbers, for a filter. */
export function look(at: 'list' | 'numbers', change: Choice = {}): void {
  page.value = at === 'list' ? undefined : at;
  if (at === 'numbers') opened.value = undefined;
  query.value = { ...query.value, ...change };
  write(true);
}

/** Moving from one message to the next adds no history entry. */
export function open(id: string | undefined): void {
  const isStep = (opened.value === undefined) !== (id === undefined);
  opened.value = id;
  write(isStep);
}

read();
addEventListener('popstate', read);
