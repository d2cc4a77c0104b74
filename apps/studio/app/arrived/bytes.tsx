/** Text to read verbatim and to copy. */

import type { Payload } from '@form-relay/core/submission';
import { Button, Icon } from '@form-relay/ui/controls';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { say } from '../store.ts';

interface TextProps {
  readonly text: string;
}

/** A text, verbatim. A long one scrolls in a box of its own that the keyboard can reach. */
export const Text = ({ text }: TextProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, nothing scrolls by keyboard.
  <pre tabIndex={0} class={text.length > 4_000 ? 'long' : undefined}>
    {text}
  </pre>
);

/** A text with a button that copies it. */
export function Copyable({ text }: TextProps) {
  const [copied, setCopied] = useState(0);
  useEffect(() => {
    if (copied === 0) return;
    const timer = setTimeout(() => setCopied(0), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(copied + 1);
    say('Copied.');
  };
  return (
    <div class="copyable">
      <Text text={text} />
      <Button onClick={copy}>
        <Icon name="copy" />
        <span>{copied > 0 ? 'Copied' : 'Copy'}</span>
      </Button>
    </div>
  );
}

interface PayloadProps {
  readonly of: Payload;
  readonly nameOf?: (name: string) => ComponentChildren;
}

/** A table of names and values. `nameOf`: maps a name to its label. */
export const PayloadTable = ({ of, nameOf = (name) => name }: PayloadProps) => (
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
