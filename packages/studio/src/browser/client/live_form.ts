/** The form that is shown, with what was typed into it. */
import type { Scenes } from '../../scenes.ts';
import { isSampleFile } from './controls.ts';
import { hand, open } from './hand.ts';
import { frame, stage } from './page_parts.ts';
import { stored } from './relay.ts';

/** Values as the relay takes them in a form's address: it renders the form with them, and the fields they ask for. */
type Values = URLSearchParams;
/** What was typed into each form, for when it is shown again; also on a page that is loaded again. */
const typed = new Map<string, string>(JSON.parse(stored?.getItem('typed') ?? '[]'));
/** Nothing can be typed while the form is on its way, and nothing is lost. */
let isOnItsWay = false;
/** With which the form was asked for. */
let given = '';
export const keepTyped = async (form = stage().form) => {
  if (form === undefined || isOnItsWay) return;
  typed.set(form, await hand.typed(given));
};
addEventListener('pagehide', () => {
  const form = stage().form;
  const latest = isOnItsWay ? undefined : hand.typed(given);
  // From afar it would come too late.
  if (form !== undefined && typeof latest === 'string') typed.set(form, latest);
  stored?.setItem('typed', JSON.stringify([...typed]));
});

/** What does not fit into an address, of which servers take 16 KB at most, is typed in again. */
const longest = 300;
const most = 12_000;
const fits = (value: string) => value.length <= longest && !isSampleFile(value);

/** What the relay tells the scenarios about the form that is shown (scenes.ts). */
export const scenes = (): Scenes | undefined => JSON.parse(stage().scenes || 'null') ?? undefined;

let shows = 0;
/** Shows the form that the stage names; as it was given out `ageMs` ago. Resolves when it is there. */
export const showForm = async (
  values: Values = new URLSearchParams(),
  ageMs = 0,
  address = stage().frame ?? 'about:blank',
): Promise<void> => {
  shows += 1;
  const mine = shows;
  frame.hidden = address === 'about:blank';
  const query = new URLSearchParams([...values].filter(([, value]) => fits(value)));
  const focus = document.activeElement === frame ? await hand.focused() : undefined;
  isOnItsWay = true;
  given = query.size > 0 && String(query).length < most ? String(query) : '';
  const full = [ageMs > 0 && `studio-age=${ageMs}`, given].filter(Boolean).join('&');
  await open(full ? address + (address.includes('?') ? '&' : '?') + full : address);
  await hand.shown();
  // Another one is on its way.
  if (mine !== shows) return;
  isOnItsWay = false;
  for (const [name, value] of values) if (!fits(value)) await hand.give(name, value);
  if (focus) await hand.refocus(focus);
};

export const showKept = () => showForm(new URLSearchParams(typed.get(stage().form ?? '')));
if (typed.get(stage().form ?? '')) void showKept();

export const deeds: Readonly<Record<string, () => unknown>> = {
  fill: () => showForm(new URLSearchParams((scenes()?.samples ?? []).map(([name, value]) => [name, value]))),
  again: () => showForm(),
};
