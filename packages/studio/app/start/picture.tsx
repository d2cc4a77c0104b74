/** A small picture of a form: the relay's own HTML and stylesheet, which nothing can be done with. */
import { useLayoutEffect, useRef } from 'preact/hooks';

interface PictureProps {
  readonly markup: string;
  readonly style: string;
}

/** All pictures share their stylesheet. */
let sheet: { readonly text: string; readonly made: CSSStyleSheet } | undefined;

function sheetOf(text: string): CSSStyleSheet {
  if (sheet?.text !== text) {
    const made = new CSSStyleSheet();
    made.replaceSync(`${text}${smaller}`);
    sheet = { text, made };
  }
  return sheet.made;
}

/** As on a page, seen from further away. */
const smaller = '.form-relay{zoom:.4;inline-size:100%;max-inline-size:34rem;padding:1.5rem;font-size:1rem}';

export function Picture({ markup, style }: PictureProps) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheetOf(style)];
    root.innerHTML = markup;
  }, [markup, style]);
  return <div ref={host} class="start-picture" inert aria-hidden="true" />;
}
