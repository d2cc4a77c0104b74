import { Icon } from '@form-relay/ui/controls';
import { useEffect, useRef } from 'preact/hooks';
import type { FormState, OutputState } from '../../src/state.ts';
import { go, showPane } from '../shell/address.ts';
import { showPath, state } from '../store.ts';
import { frame } from './form_hand.ts';
import { fillIn, followForm, startOver } from './live_form.ts';

/** *Behind the form*: checks, outputs, and missing parts. */
export function About({ form }: { readonly form: FormState }) {
  const { checks, fieldCount, outputs, keep, notes, id } = form;
  return (
    <details id="about">
      <summary>Behind the form</summary>
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
