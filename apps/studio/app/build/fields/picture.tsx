/** HTML of the relay's own, as its form's stylesheet shows it. */
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Palette } from '../../../src/state.ts';
import { loader } from '../../relay.ts';

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

export interface PictureProps {
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
