import { Button, Icon } from '@form-relay/ui/controls';
import { useSignal } from '@preact/signals';
import type { MessageFile, MessageView } from '../../src/api.ts';
import { may } from '../about.ts';
import { addressOf } from '../ask.ts';
import { bytes, counted, exactTime } from '../words.ts';
import { act, isBusy } from './message_now.ts';

/** The most files shown at first; the rest are shown on request. */
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
          <Icon name="download" />
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

export const Deliveries = ({ message: { deliveries, id, form } }: { readonly message: MessageView }) =>
  deliveries.length === 0 ? null : (
    <section class="part deliveries">
      <h3 id="deliveries">Queued deliveries</h3>
      <table aria-labelledby="deliveries">
        <thead>
          <tr>
            <th scope="col">Output</th>
            <th scope="col">Next attempt</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map(({ output, type, target, reason, nextAt, waitsForOwner }) => (
            <tr key={output}>
              <td>
                <b>{type}</b>
                {target && target !== type && <bdi class="target">{target}</bdi>}
              </td>
              <td>
                {waitsForOwner && 'Needs your attention'}
                {nextAt !== undefined && `${nextAt > Date.now() ? '' : 'Due since '}${exactTime(nextAt)}`}
                {reason && <p class="reason">{reason}</p>}
                {may('act', form) && (
                  <Button disabled={isBusy.value} onClick={() => void act(id, { action: 'deliver', output })}>
                    Deliver now
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
