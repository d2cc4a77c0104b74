/** The palette of field types, each shown as it will look. */
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PalettePart, Purpose } from '../../../src/state.ts';
import { add } from './actions.ts';
import { loadPalette, Picture, palette } from './picture.tsx';
import type { Slot } from './plan.ts';
import { Tool } from './tool.tsx';

/** Where the part is to be put; `undefined`: closed. */
export const adding = signal<Slot | undefined>(undefined);

const purposes: readonly Purpose[] = ['Text', 'Choice', 'Date and number', 'Files', 'Layout'];

/** All that have each of the words, in any of their own. */
function found(parts: readonly PalettePart[], typed: string): readonly PalettePart[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ title, type }: PalettePart) =>
    words.some((word) => title.toLowerCase().startsWith(word) || type.startsWith(word)) ? 0 : 1;
  return parts
    .filter(({ title, type, words: more, says }) =>
      words.every((word) => `${title} ${type} ${more} ${says}`.toLowerCase().includes(word)),
    )
    .toSorted((one, other) => rank(one) - rank(other));
}

export function PaletteDialog() {
  const slot = adding.value;
  return slot ? <Open slot={slot} /> : null;
}

function Open({ slot }: { readonly slot: Slot }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  // Before the next key is pressed.
  useLayoutEffect(() => {
    void loadPalette();
    dialog.current?.showModal();
  }, []);
  const parts = palette.value?.parts ?? [];
  const isSought = typed.trim() !== '';
  const shown = isSought
    ? found(parts, typed)
    : purposes.flatMap((purpose) => parts.filter((part) => part.purpose === purpose));
  const close = () => {
    adding.value = undefined;
  };
  const take = (part: PalettePart | undefined) => {
    if (!part) return;
    dialog.current?.close();
    close();
    add(part, slot);
  };
  const press = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') {
      event.preventDefault();
      take(shown[chosen]);
    } else if (by !== undefined) {
      event.preventDefault();
      const next = Math.min(Math.max(chosen + by, 0), shown.length - 1);
      setChosen(next);
      dialog.current?.querySelector(`#part-${shown[next]?.type}`)?.scrollIntoView({ block: 'nearest' });
    }
  };
  const option = (part: PalettePart) => (
    <Option key={part.type} part={part} isChosen={shown[chosen] === part} onTake={() => take(part)} />
  );
  return (
    <dialog class="b-palette" ref={dialog} aria-labelledby="palette-title" onClose={close}>
      <div class="b-palette-head">
        <h2 id="palette-title">Add a field</h2>
        <Tool icon="cross" name="Close" onClick={() => dialog.current?.close()} />
        <input
          type="text"
          {...combobox}
          class="set-input"
          aria-label="Search"
          aria-controls="palette-parts"
          aria-activedescendant={shown[chosen] ? `part-${shown[chosen].type}` : undefined}
          placeholder="Search, such as phone or upload"
          value={typed}
          autofocus
          onKeyDown={press}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            setChosen(0);
          }}
        />
      </div>
      <div class="b-parts" id="palette-parts" role="listbox" aria-label="What can be added">
        {isSought
          ? shown.map(option)
          : purposes.map((purpose) => (
              // biome-ignore lint/a11y/useSemanticElements: a listbox takes groups, not fieldsets.
              <div key={purpose} class="b-purpose" role="group" aria-label={purpose}>
                <p class="b-purpose-title" aria-hidden="true">
                  {purpose}
                </p>
                {shown.filter((part) => part.purpose === purpose).map(option)}
              </div>
            ))}
      </div>
      {shown.length === 0 && palette.value && <p class="b-none">Nothing is called that.</p>}
    </dialog>
  );
}

/** Without a list of the browser's own. */
const combobox = { role: 'combobox', list: undefined, 'aria-expanded': true } as const;

interface OptionProps {
  readonly part: PalettePart;
  readonly isChosen: boolean;
  readonly onTake: () => void;
}

const Option = ({ part, isChosen, onTake }: OptionProps) => (
  // The search box has the keyboard, and names the chosen one (ARIA: combobox).
  // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
  // biome-ignore lint/a11y/useFocusableInteractive: see above.
  <div class="b-part" id={`part-${part.type}`} role="option" aria-selected={isChosen} onClick={onTake}>
    <p class="b-part-title">
      {part.title} <code aria-hidden="true">{part.type}</code>
    </p>
    <div class="b-part-picture" aria-hidden="true">
      <Picture html={part.picture} />
    </div>
    <p class="b-part-says">{part.says.replaceAll('`', '')}</p>
  </div>
);
