import { useSignal } from '@preact/signals';
import type { MessageFile, MessageView } from '../../src/api.ts';
import { addressOf } from '../ask.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icons.tsx';
import { bytes, counted } from '../words.ts';

/** The most files drawn at once; the rest appear on demand. */
const mostFiles = 50;

export function Files({ message: { attached, id } }: { readonly message: MessageView }) {
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
  readonly file: MessageFile;
  readonly address: string;
}

function File({ file, address }: FileProps) {
  const { name, type, size, field, preview } = file;
  const isBroken = useSignal(false);

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
        <a class="tool" href={`${address}?save`} download={name}>
          <Icon name="down" />
          Save <span class="unseen">{name}</span>
        </a>
      </div>
      {preview && !isBroken.value && (
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
