/** Texts to read exactly and to copy. */

import type { Payload } from '@form-relay/core/submission';
import { Icon } from '@form-relay/ui/controls';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { say } from '../store.ts';

/** An HTTP request or a mail as it goes over the connection. */
export const Bytes = ({ bytes }: { readonly bytes: string }) => (
  <Copyable length={bytes.length}>{bytes}</Copyable>
);

/** A text so long scrolls in a box of its own; a shorter one would scroll by a few pixels. */
const isLong = (length: number) => length > 4_000;

/** A text as it is. Focusable, so that the keyboard can scroll it. */
export const Text = ({
  length,
  children,
}: {
  readonly length: number;
  readonly children: ComponentChildren;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, nothing scrolls by keyboard.
  <pre tabIndex={0} class={isLong(length) ? 'long' : undefined}>
    {children}
  </pre>
);

/** A text with a button that copies it. */
export function Copyable(props: { readonly length: number; readonly children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const [copied, setCopied] = useState(0);
  useEffect(() => {
    if (copied === 0) return;
    const timer = setTimeout(() => setCopied(0), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    await navigator.clipboard.writeText(box.current?.querySelector('pre')?.textContent ?? '');
    setCopied(copied + 1);
    say('Copied.');
  };
  return (
    <div class="copyable" ref={box}>
      <Text {...props} />
      <button type="button" class="tool" onClick={copy}>
        <Icon name="copy" />
        <span>{copied > 0 ? 'Copied' : 'Copy'}</span>
      </button>
    </div>
  );
}

/** Names and values, as a table. `nameOf`: how a name is shown. */
export const PayloadTable = ({
  of,
  nameOf = (name) => name,
}: {
  readonly of: Payload;
  readonly nameOf?: (name: string) => ComponentChildren;
}) => (
  <table>
    {of.map(([name, values]) => (
      <tr key={name}>
        <th scope="row">{nameOf(name)}</th>
        <td>{values.map(oneValue)}</td>
      </tr>
    ))}
  </table>
);

const oneValue = (value: string) => <div>{value === '' ? <i>empty</i> : value}</div>;
