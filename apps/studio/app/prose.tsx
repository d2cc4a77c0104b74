import { Icon } from '@form-relay/ui/controls';
import { render } from 'preact';
import type { Connected } from '../src/state.ts';

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

// Findings of a check, each with its remedy.

export const inOneLine = ({ findings, trouble }: Connected) =>
  [trouble, ...findings.map(({ says }) => says)].filter(Boolean).join('. ');

const icons = { ok: 'check', warning: 'alert', failure: 'cross' } as const;

export const Findings = ({ of: { findings, trouble } }: { readonly of: Connected }) => (
  <ul class="findings">
    {trouble !== undefined && (
      <li data-level="failure">
        <Icon name="alert" /> <span>{trouble.replace(/^./, (first) => first.toUpperCase())}</span>
      </li>
    )}
    {findings.map(({ level, subject, says, remedy }, index) => (
      <li key={index} data-level={level}>
        <Icon name={icons[level]} />
        <span>
          <b>{subject}</b>: {says}
          {remedy && (
            <span class="findings-remedy">
              <Linked text={remedy} />
            </span>
          )}
        </span>
      </li>
    ))}
  </ul>
);

/** Words whose web addresses are links. */
export const Linked = ({ text }: { readonly text: string }) => (
  <>
    {text.split(/(https:[^\s,;]+[^\s,;.])/).map((part, index) =>
      index % 2 ? (
        <a key={index} href={part} target="_blank" rel="noopener">
          {part}
        </a>
      ) : (
        part
      ),
    )}
  </>
);
