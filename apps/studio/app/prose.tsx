import { render } from 'preact';

/** Renders Markdown of the manual: `code`, and links as their words. The manual's pages are out of reach here. Nothing in it is read as HTML. */
export const Prose = ({ text }: { readonly text: string }) => (
  <>
    {text
      .replaceAll(/ \(docs\/[\w./#-]+\)/g, '')
      .replaceAll(/\[([^\]`]+)\]\([^)…]*\)/g, '$1')
      .split(/`+([^`]+)`+/)
      .map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part))}
  </>
);

/** The same as an element. */
export function manualText(text: string): HTMLElement {
  const box = document.createElement('span');
  render(<Prose text={text} />, box);
  return box;
}
