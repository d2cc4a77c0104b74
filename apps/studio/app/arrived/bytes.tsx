/** Texts to read exactly and to copy. */

import type { Payload } from '@form-relay/core/submission';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../icons.tsx';
import { say } from '../store.ts';

/** An HTTP request or a mail as it goes over the connection, with its names highlighted. */
export function Bytes({ bytes }: { readonly bytes: string }) {
  const [, head = bytes, blank = '', body = ''] = /^(.*?)(\r?\n\r?\n)(.*)$/s.exec(bytes) ?? [];
  const isPairs = /^content-type: application\/x-www-form-urlencoded/im.test(head);
  return (
    <Copyable length={bytes.length}>
      {head.split(/(?<=\n)/).map(headLine)}
      {blank}
      {isPairs ? body.split(/(?<=&)/).map(pair) : body}
    </Copyable>
  );
}

/** Lines may break between pairs. */
function pair(text: string) {
  const [, name = '', rest = ''] = /^([^=]*)(.*)$/s.exec(text) ?? [];
  return (
    <>
      <span class="name">{name}</span>
      {rest}
      <wbr />
    </>
  );
}

function headLine(line: string) {
  const [, method, target, version] = /^([A-Z]+) (\S+)( HTTP\/[\d.]+\r?\n?)$/.exec(line) ?? [];
  if (method !== undefined)
    return (
      <>
        <b>{method}</b> <span class="target">{target}</span>
        <i>{version}</i>
      </>
    );
  const [, name, value] = /^([\w-]+:)(.*)$/s.exec(line) ?? [];
  if (name === undefined) return line;
  return (
    <>
      <span class="name">{name}</span>
      {value}
    </>
  );
}

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

/** An address that breaks after a slash or an @, not within a word. */
export const Address = ({ text }: { readonly text: string }) => (
  <>{text.split(/(?<=[^:/]\/|@)/).map(breakable)}</>
);

const breakable = (part: string) => (
  <>
    {part}
    <wbr />
  </>
);

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
