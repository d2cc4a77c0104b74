/** The live form, as a visitor has it: with what is behind it. */
import { useEffect, useRef } from 'preact/hooks';
import type { FormState } from '../../src/state.ts';
import { Icon } from '../icons.tsx';
import { go } from '../shell/address.ts';
import { state } from '../store.ts';
import { About } from './about.tsx';
import { frame } from './form_hand.ts';
import { fillIn, followForm, startOver } from './live_form.ts';

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
