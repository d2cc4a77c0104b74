/** The palette of field types, each shown as it will look. */

import { Dialog } from '@form-relay/ui/controls';
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { PalettePart, Purpose } from '../../../src/state.ts';
import { add } from './actions.ts';
import { loadPalette, Picture, palette } from './picture.tsx';
import type { Slot } from './plan.ts';

/** Where the part is to be put; `undefined`: closed. */
export const adding = signal<Slot | undefined>(undefined);

const purposes: readonly Purpose[] = ['Text', 'Choice', 'Date and number', 'Files', 'Layout'];

/** Whether it has each of the words, in any of its own. */
const isFound = ({ title, type, words: more, says }: PalettePart, typed: string) =>
  typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => `${title} ${type} ${more} ${says}`.toLowerCase().includes(word));

export function PaletteDialog() {
  const slot = adding.value;
  return slot ? <Open slot={slot} /> : null;
}

function Open({ slot }: { readonly slot: Slot }) {
  const [typed, setTyped] = useState('');
  useEffect(() => void loadPalette(), []);
  const parts = palette.value?.parts ?? [];
  const shown = purposes.flatMap((purpose) =>
    parts.filter((part) => part.purpose === purpose && isFound(part, typed)),
  );
  const close = () => {
    adding.value = undefined;
  };
  const take = (part: PalettePart | undefined) => {
    if (!part) return;
    close();
    add(part, slot);
  };
  return (
    <Dialog class="b-palette wide" title="Add a field" onClose={close}>
      <input
        type="search"
        class="set-input"
        aria-label="Search"
        placeholder="Search, such as phone or upload"
        value={typed}
        autofocus
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          take(shown[0]);
        }}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <ul class="b-parts">
        {shown.map((part) => (
          <li key={part.type} class="b-part" id={`part-${part.type}`}>
            <p class="b-part-title">
              <button type="button" onClick={() => take(part)}>
                {part.title}
              </button>{' '}
              <code aria-hidden="true">{part.type}</code>
            </p>
            <div class="b-part-picture" aria-hidden="true">
              <Picture html={part.picture} />
            </div>
            <p class="b-part-says">{part.says.replaceAll('`', '')}</p>
          </li>
        ))}
      </ul>
      {shown.length === 0 && palette.value && <p class="b-none">Nothing is called that.</p>}
    </Dialog>
  );
}
