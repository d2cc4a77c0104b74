import { Icon } from '@form-relay/ui/controls';
import { type ComponentChildren, render } from 'preact';
import type { Connected } from '../src/state.ts';

/**
 * Renders Markdown from the manual: `code`, and links as plain text, because the manual's pages are not
 * available here. Does not interpret HTML.
 */
export const Prose = ({ text }: { readonly text: string }) => (
  <>
    {text
      .replaceAll(/ \(docs\/[\w./#-]+\)/g, '')
      .replaceAll(/\[([^\]`]+)\]\([^)…]*\)/g, '$1')
      .split(/`+([^`]+)`+/)
      .map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part))}
  </>
);

/** A DOM element for the editor, which cannot render components. */
export function elementOf(content: ComponentChildren, kind = 'span', className = ''): HTMLElement {
  const box = Object.assign(document.createElement(kind), { className });
  render(content, box);
  return box;
}

// A check's findings, each with its remedy.

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

/** Text in which web addresses become links. */
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
