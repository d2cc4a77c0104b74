import { useSignal } from '@preact/signals';
import type { Letter, LetterFile } from '../../src/api.ts';
import { addressOf, asked, wordsOf } from '../ask.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icons.tsx';
import { bytes, counted } from '../words.ts';

/** A browser draws so many at once; others appear when asked for. */
const mostFiles = 50;
const mostTextCharacters = 100_000;

export function Files({ letter: { attached, id } }: { readonly letter: Letter }) {
  const shown = useSignal(mostFiles);
  if (attached.length === 0) return null;
  return (
    <section class="part files">
      <h3>{counted(attached.length, 'file')}</h3>
      <ul>
        {attached.slice(0, shown.value).map((file) => (
          <File key={file.nth} file={file} address={`${addressOf(id)}/files/${file.nth}`} />
        ))}
      </ul>
      {attached.length > shown.value && (
        <Button onClick={() => (shown.value += mostFiles)}>
          Show {Math.min(mostFiles, attached.length - shown.value)} more
        </Button>
      )}
    </section>
  );
}

interface FileProps {
  readonly file: LetterFile;
  readonly address: string;
}

function File({ file, address }: FileProps) {
  const { name, type, size, field, preview } = file;
  const text = useSignal<string | undefined>(undefined);
  const trouble = useSignal<string | undefined>(undefined);
  const isBroken = useSignal(false);
  const toggleText = async () => {
    if (text.value !== undefined) {
      text.value = undefined;
      return;
    }
    try {
      const whole = await (await asked(address)).text();
      const more = whole.length - mostTextCharacters;
      text.value = more > 0 ? `${whole.slice(0, mostTextCharacters)}\n… (${more} more characters)` : whole;
      trouble.value = undefined;
    } catch (error) {
      trouble.value = wordsOf(error);
    }
  };
  return (
    <li class="file">
      <div class="file-line">
        <Icon name="clip" />
        <span class="file-name">
          <bdi>{name}</bdi>
          <span class="aside">
            {bytes(size)} · <bdi>{type}</bdi> · <bdi>{field}</bdi>
          </span>
        </span>
        {preview === 'text' && (
          <Button aria-expanded={text.value !== undefined} onClick={() => toggleText()}>
            {text.value === undefined ? 'Show' : 'Hide'} <span class="unseen">{name}</span>
          </Button>
        )}
        <a class="tool" href={`${address}?save`} download={name}>
          <Icon name="down" />
          Save <span class="unseen">{name}</span>
        </a>
      </div>
      {trouble.value && <p class="reason">{trouble.value}</p>}
      {text.value !== undefined && <TextBox label={`The text of ${name}`} text={text.value} />}
      {preview === 'image' && !isBroken.value && (
        <img
          src={address}
          alt={`Preview of ${name}`}
          loading="lazy"
          onError={() => (isBroken.value = true)}
        />
      )}
      {isBroken.value && <p class="reason">The browser cannot show this image.</p>}
    </li>
  );
}

/** A long text that scrolls by itself. */
export const TextBox = ({ label, text }: { readonly label: string; readonly text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard
  <section class="text" tabIndex={0} aria-label={label}>
    <pre dir="auto">{text}</pre>
  </section>
);
