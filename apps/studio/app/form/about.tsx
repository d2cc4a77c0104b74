import { Button, Icon } from '@form-relay/ui/controls';
import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { FormState, OutputState } from '../../src/state.ts';
import { ask } from '../relay.ts';
import { go, showPane, tab } from '../shell/address.ts';
import { showPath, state } from '../store.ts';
import { shown as formShown, frame, give, isSampleFile, open, typed as typedNow } from './form_hand.ts';

/** How the form is processed: checks, outputs, and what is missing. */
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
          <Output key={index} {...output} index={index} form={id} />
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

type OutputProps = OutputState & { readonly index: number; readonly form: string };

function Output({ type, target, onError, when, index, form }: OutputProps) {
  const show = () => {
    showPath(['forms', form, 'outputs', index]);
    showPane('config');
  };
  return (
    <li>
      <p class="kind">
        <button type="button" class="key" title="Show this in the config" onClick={show}>
          <code>{type}</code>
        </button>{' '}
        <span>on_error: {onError}</span>
      </p>
      <p class="to">
        {target || `no such output type: every submission${when ? ' to it' : ''} is answered with 500`}
      </p>
      {when && <p class="aside">Only when {when}.</p>}
    </li>
  );
}

/** The live form as visitors see it, and what happens behind it. */

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

/** Actions for the current form, next to the tabs. */
export function Deeds() {
  const { form } = state.value ?? {};
  if (!form) return null;
  return (
    <span class="deeds">
      <Button id="fill" onClick={fillIn}>
        <Icon name="pen" /> Fill in
      </Button>
      <Button id="again" onClick={startOver}>
        <Icon name="again" /> Start over
      </Button>
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

// The current form, and the values typed into it.

/** Values for the form's URL: the relay renders them, and the fields that they make visible. */
type Values = URLSearchParams;
/** Values typed into each form, restored when the form is shown again, even after a reload. */
const typed = new Map<string, string>(JSON.parse(sessionStorage.getItem('typed') ?? '[]'));
/** While the form loads, nothing can be typed, so there is nothing to store. */
let isOnItsWay = true;
/** The query with which the form was loaded. */
let given = '';
/** The form in the frame. */
let shown: { readonly id: string; readonly frame: string; readonly shape: string } | undefined;

function keepTyped(id = shown?.id): void {
  if (id !== undefined && !isOnItsWay) typed.set(id, typedNow(given));
}
addEventListener('pagehide', () => {
  keepTyped();
  sessionStorage.setItem('typed', JSON.stringify([...typed]));
});

/** Values too long for a URL (servers accept 16 KB at most), and fields that links cannot fill, are filled in after loading. */
const longest = 300;
const most = 12_000;
const fits = ([name, value]: readonly [string, string]) =>
  value.length <= longest && !isSampleFile(value) && !state.value?.form?.byHand.includes(name);

let shows = 0;
/** Loads the form with these values. Resolves when it is shown. */
async function showForm(values: Values = new URLSearchParams()): Promise<void> {
  shows += 1;
  const mine = shows;
  const query = new URLSearchParams([...values].filter(fits));
  isOnItsWay = true;
  given = query.size > 0 && String(query).length < most ? String(query) : '';
  const address = state.value?.form?.frame ?? 'about:blank';
  await open(given ? address + (address.includes('?') ? '&' : '?') + given : address);
  await formShown();
  // Another load has started.
  if (mine !== shows) return;
  isOnItsWay = false;
  const left = [...values].filter((one) => !fits(one)).map(([name]) => name);
  for (const name of new Set(left)) give(name, values.getAll(name));
}

/** Fills in every field with a sample value. */
const fillIn = () =>
  showForm(new URLSearchParams(state.value?.form?.samples.map(([name, value]) => [name, value])));
/** Also frees the places that were taken. */
const startOver = async () => {
  await ask('/studio/start_over', '');
  await showForm();
};

/** Reloads the form when it looks different to visitors. Starts when the frame is mounted. */
const followForm = () =>
  effect(() => {
    const form = state.value?.form;
    // In the builder, the frame is not visible, so changes need not reload it.
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
