import { useState } from 'preact/hooks';
import { Icon } from '../icons.tsx';
import { say } from '../store.ts';

/** Text to take along, with a button that copies it. */
export function Copyable({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    say('Copied.');
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <div class="copyable">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <button type="button" class="tool" onClick={copy}>
        <Icon name="copy" /> {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
