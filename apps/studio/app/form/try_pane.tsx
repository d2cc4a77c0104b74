/** The live form, as a visitor has it: in all looks, and with what is behind it. */
import { useEffect, useRef } from 'preact/hooks';
import { modes, widths } from '../../src/looks.ts';
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
      {form && <Looks form={form} />}
      <Device />
      {form && <About form={form} />}
    </div>
  );
}

function Looks({ form }: { readonly form: FormState }) {
  const { look, language, languages } = form;
  return (
    <div class="looks">
      <Select
        id="look-mode"
        label="Page"
        value={look.mode}
        options={named(modes)}
        onChoose={(mode) => go({ mode })}
      />
      <Select
        id="look-width"
        label="Width"
        value={look.width}
        options={named(widths)}
        onChoose={(width) => go({ width })}
      />
      {languages.length > 1 && (
        <Select
          id="look-language"
          label="Language"
          value={language}
          options={languages.map(({ tag, name }) => [tag, name, tag])}
          onChoose={(lang) => go({ lang })}
        />
      )}
    </div>
  );
}

/** Actions for the form that is shown, beside the tabs. */
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

type Option = readonly [value: string, words: string, lang?: string];
const named = (all: Readonly<Record<string, string>>): readonly Option[] => Object.entries(all);

interface SelectProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly onChoose: (value: string) => void;
}

const Select = ({ id, label, value, options, onChoose }: SelectProps) => (
  <p>
    <label for={id}>{label}</label>
    <select id={id} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
      {options.map(([one, words, lang]) => (
        <option key={one} value={one} lang={lang}>
          {words}
        </option>
      ))}
    </select>
  </p>
);

/** The box around the frame. */
function Device() {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.append(frame);
    followForm();
  }, []);
  const { form } = state.value ?? {};
  return <div ref={place} class={`device ${form?.look.width ?? 'phone'}`} hidden={!form} />;
}
