import { Icon } from '@form-relay/ui/controls';
import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { FormState, OutputState } from '../../src/state.ts';
import { post } from '../relay.ts';
import { go, showPane, tab } from '../shell/address.ts';
import { showPath, state } from '../store.ts';
import { shown as formShown, frame, give, isSampleFile, open, typed as typedNow } from './form_hand.ts';

/** *How the form is processed*: checks, outputs, and missing parts. */
export function About({ form }: { readonly form: FormState }) {
  const { checks, fieldCount, outputs, keep, notes, id } = form;
  return (
    <details id="about">
      <summary>How the form is processed</summary>
      <h2>Checks</h2>
      <dl>
        {checks.map(({ name, says }) => [<dt key={name}>{name}</dt>, <dd key={`${name} says`}>{says}</dd>])}
        <dt>validation</dt>
        <dd>of {fieldCount === 1 ? '1 field' : `${fieldCount} fields`}</dd>
      </dl>
      <h2>Outputs</h2>
      <ol>
        {outputs.map((output, index) => (
          <Output key={index} output={output} index={index} form={id} />
        ))}
      </ol>
      {keep && (
        <>
          <h2>Keep</h2>
          <p>{keep}</p>
        </>
      )}
      {notes.length > 0 && (
        <>
          <h2>On this machine</h2>
          <ul class="notes">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </>
      )}
    </details>
  );
}

interface OutputProps {
  readonly output: OutputState;
  readonly index: number;
  readonly form: string;
}

function Output({ output, index, form }: OutputProps) {
  const { type, target, onError, when } = output;
  const show = () => {
    showPath(['forms', form, 'outputs', index]);
    showPane('config');
  };
  return (
    <li>
      <p class="kind">
        <button type="button" class="key" title="Show it in the config" onClick={show}>
          <code>{type}</code>
        </button>{' '}
        <span>on_error: {onError}</span>
      </p>
      <p class="to">
        {target || `no such output type: every submission${when ? ' to it' : ''} is answered 500`}
      </p>
      {when && <p class="aside">Only when {when}.</p>}
    </li>
  );
}

/** The live form, as a visitor has it: with what is behind it. */

export function TryPane() {
  const form = state.value?.form;
  return (
    <div class="try">
      {form && <Languages form={form} />}
      <Device />
      {form && <About form={form} />}
    </div>
  );
}

function Languages({ form: { language, languages } }: { readonly form: FormState }) {
  if (languages.length < 2) return null;
  return (
    <p class="language">
      <label for="look-language">Language</label>
      <select
        id="look-language"
        value={language}
        onChange={({ currentTarget: { value } }) => go({ lang: value })}
      >
        {languages.map(({ tag, name }) => (
          <option key={tag} value={tag} lang={tag}>
            {name}
          </option>
        ))}
      </select>
    </p>
  );
}

/** Actions for the form that is shown, next to the tabs. */
export function Deeds() {
  const { form } = state.value ?? {};
  if (!form) return null;
  return (
    <span class="deeds">
      <button type="button" class="tool" id="fill" onClick={fillIn}>
        <Icon name="pen" /> Fill in
      </button>
      <button type="button" class="tool" id="again" onClick={startOver}>
        <Icon name="again" /> Start over
      </button>
      <a class="tool" target="_blank" rel="noopener" title="Open alone" href={form.frame}>
        <Icon name="open" />
        <span class="unseen">Open alone</span>
      </a>
    </span>
  );
}

/** The box around the frame. */
function Device() {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.append(frame);
    followForm();
  }, []);
  const { form } = state.value ?? {};
  return <div ref={place} class="device" hidden={!form} />;
}

// The form that is shown, with what was typed into it.

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
const fillIn = () =>
  showForm(new URLSearchParams(state.value?.form?.samples.map(([name, value]) => [name, value])));
/** Places are free again, too. */
const startOver = async () => {
  await post('/studio/start_over', {});
  await showForm();
};

/** Follows the config: shows the form again when a visitor would see another. Begins when the frame is in the page. */
const followForm = () =>
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
