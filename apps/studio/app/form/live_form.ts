/** The form that is shown, with what was typed into it. */
import { effect } from '@preact/signals';
import { post } from '../relay.ts';
import { tab } from '../shell/address.ts';
import { state } from '../store.ts';
import { shown as formShown, give, isSampleFile, open, typed as typedNow } from './form_hand.ts';

/** Values as the relay takes them in a form's address: it renders the form with them, and the fields they ask for. */
type Values = URLSearchParams;
/** The values typed into each form, for when the form is shown again, after a reload too. */
const typed = new Map<string, string>(JSON.parse(sessionStorage.getItem('typed') ?? '[]'));
/** Nothing can be typed while the form is on its way, and nothing is lost. */
let isOnItsWay = true;
/** The query with which the form was loaded. */
let given = '';
/** The form that the frame shows. */
let shown: { readonly id: string; readonly frame: string; readonly shape: string } | undefined;

function keepTyped(id = shown?.id): void {
  if (id !== undefined && !isOnItsWay) typed.set(id, typedNow(given));
}
addEventListener('pagehide', () => {
  keepTyped();
  sessionStorage.setItem('typed', JSON.stringify([...typed]));
});

/** Values too long for an address (servers take 16 KB at most), and fields that no link fills in, are filled in afterwards. */
const longest = 300;
const most = 12_000;
const fits = ([name, value]: readonly [string, string]) =>
  value.length <= longest && !isSampleFile(value) && !state.value?.form?.byHand.includes(name);

let shows = 0;
/** Shows the form with these values. Resolves when it is there. */
async function showForm(values: Values = new URLSearchParams()): Promise<void> {
  shows += 1;
  const mine = shows;
  const query = new URLSearchParams([...values].filter(fits));
  isOnItsWay = true;
  given = query.size > 0 && String(query).length < most ? String(query) : '';
  const address = state.value?.form?.frame ?? 'about:blank';
  await open(given ? address + (address.includes('?') ? '&' : '?') + given : address);
  await formShown();
  // Another one is on its way.
  if (mine !== shows) return;
  isOnItsWay = false;
  const left = [...values].filter((one) => !fits(one)).map(([name]) => name);
  for (const name of new Set(left)) give(name, values.getAll(name));
}

/** Fills in every field with a value that it takes. */
export const fillIn = () =>
  showForm(new URLSearchParams(state.value?.form?.samples.map(([name, value]) => [name, value])));
/** Places are free again, too. */
export const startOver = async () => {
  await post('/studio/start_over', {});
  await showForm();
};

/** Follows the config: shows the form again when a visitor would see another. Begins when the frame is in the page. */
export const followForm = () =>
  effect(() => {
    const form = state.value?.form;
    // While a form is built, each change would load it again, and nobody looks.
    if (form && tab.value !== 'try') return;
    if (form && form.id === shown?.id && form.frame === shown.frame && form.shape === shown.shape) return;
    const before = shown?.id;
    shown = form && { id: form.id, frame: form.frame, shape: form.shape };
    keepTyped(before);
    if (form) return void showForm(new URLSearchParams(typed.get(form.id)));
    shows += 1;
    isOnItsWay = true;
    void open('about:blank');
  });
