/** The palette of field types, each shown as it will look. */

import { Dialog } from '@form-relay/ui/controls';
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Palette, PalettePart, Purpose } from '../../../src/state.ts';
import { loader } from '../../relay.ts';
import { add } from './actions.ts';
import type { Slot } from './plan.ts';

// HTML of the relay's own, as its form's stylesheet shows it.

export const palette = signal<Palette | undefined>(undefined);

interface Typed {
  readonly type: string;
}
const factsOf = (type: string) => palette.value?.parts.find((part) => part.type === type);
/** As the relay checks them, once the palette is there. */
export const decides = ({ type }: Typed) => factsOf(type)?.decides !== false;
/** Keys of all fields that the type refuses, or does not need. */
export const idleKeys = (type: string): readonly string[] => factsOf(type)?.idleKeys ?? [];
/** Whether it is nothing without options. */
export const takesOptions = (type: string) => factsOf(type)?.value?.options !== undefined;
export const isInMails = ({ type }: Typed) => factsOf(type)?.isInMails !== false;

const sheet = new CSSStyleSheet();
/** The gaps between fields are those of the rows. */
const within = `
:host { display: block; font-size: 1rem; }
.form-relay { --form-relay-space: 0.75em; }
.form-relay > * { margin-block-end: 0 !important; }
`;

export const loadPalette = loader<Palette>('/studio/palette.json', (loaded) => {
  sheet.replaceSync(`${loaded.style}${within}`);
  palette.value = loaded;
});

interface PictureProps {
  /** The relay's own markup (src/canvas.ts, src/palette.ts). */
  readonly html: string;
  readonly direction?: 'ltr' | 'rtl' | undefined;
  readonly language?: string | undefined;
}

export function Picture({ html, direction, language }: PictureProps) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    const inside = document.createElement('div');
    inside.className = 'form-relay';
    if (direction) inside.dir = direction;
    if (language) inside.lang = language;
    inside.innerHTML = html;
    root.replaceChildren(inside);
  }, [html, direction, language]);
  return <div class="b-picture" ref={host} inert aria-hidden />;
}

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
      {shown.length === 0 && palette.value && <p class="b-none">No field type matches.</p>}
    </Dialog>
  );
}
