/** Records all that a submission of a dry run does outside the process, while it is answered. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { UploadedFile } from '@form-relay/base/values';
import type { Delivery, Transport } from '@form-relay/core/outputs/output';
import { type Observer, outputExtension, type Plugin } from '@form-relay/core/plugin';
import type { Mail, ShownContent } from '@form-relay/core/services';
import type { Payload } from '@form-relay/core/submission';
import type { Sent } from './report.ts';

/** The recording of one request to the relay. */
export interface Recording {
  answered: Parameters<Observer>[0] | undefined;
  /** Deliveries in the order begun, by id; each with all its tries. */
  readonly deliveries: Map<string, RecordedDelivery>;
  readonly logged: { readonly event: string; readonly fields: Readonly<Record<string, unknown>> }[];
}

export interface RecordedDelivery {
  readonly payload: Payload;
  /** A mail to the visitor. */
  readonly isToVisitor: boolean;
  readonly target: string;
  readonly sent: Sent[];
  readonly warnings: string[];
  readonly files: readonly UploadedFile[];
  pdf?: UploadedFile;
  /** Shows what the next message holds (`Services.show`). */
  shown?: ShownContent | undefined;
  /** Whether a client gave it a fake answer. */
  isFaked: boolean;
  error?: unknown;
  /** In a test: where its message goes, and the answer on one line, and its body. */
  heard: { to?: readonly string[]; says?: string; body?: string };
}

const recordings = new AsyncLocalStorage<{
  readonly recording: Recording;
  readonly delivery?: RecordedDelivery;
}>();

export const currentRecording = (): Recording | undefined => recordings.getStore()?.recording;
export const currentDelivery = (): RecordedDelivery | undefined => recordings.getStore()?.delivery;

export const record = <T>(recording: Recording, work: () => T): T => recordings.run({ recording }, work);

/** Tells which delivery sends what, and takes whatever an output makes of a fake answer. */
export const recordingPlugin = (isDelivering: boolean, titlePrefix?: string): Plugin => ({
  name: 'dry_run',
  outputExtensions: [
    outputExtension({
      name: 'dry_run',
      keys: {},
      configure: () => ({
        wrapTransport: (inner) => ({
          ...inner,
          send: async (delivery, call) => {
            const recording = currentRecording();
            if (!recording) return inner.send(delivery, call);
            const recorded = deliveryIn(recording, delivery.id, () => begun(delivery, inner));
            const warn = (warning: string) => {
              if (!recorded.warnings.includes(warning)) recorded.warnings.push(warning);
              delivery.warn?.(warning);
            };
            const watched = { ...delivery, ...(titlePrefix && { titlePrefix }), warn };
            try {
              const warning = await recordings.run({ recording, delivery: recorded }, () =>
                inner.send(watched, call),
              );
              if (warning) warn(warning);
              return warning;
            } catch (error) {
              recorded.error = error;
              if (!isDelivering && recorded.isFaked) return undefined;
              throw error;
            }
          },
        }),
      }),
    }),
  ],
});

const deliveryIn = ({ deliveries }: Recording, id: string, begin: () => Begun): RecordedDelivery => {
  const known = deliveries.get(id) ?? { ...begin(), sent: [], warnings: [], isFaked: false, heard: {} };
  deliveries.set(id, known);
  return known;
};

type Begun = Pick<RecordedDelivery, 'payload' | 'isToVisitor' | 'target' | 'files'>;

const begun = ({ payload, mail, files }: Delivery, { target = '' }: Transport): Begun => ({
  payload,
  isToVisitor: mail?.isAutoReply === true,
  target,
  files: [...files.values()].flat(),
});

/** A mail to the visitor goes through an output, or through a server that does nothing else. */
export function deliveryOf({ messageId, isAutoReply }: Mail, target: string): RecordedDelivery | undefined {
  const known = currentDelivery();
  const recording = currentRecording();
  if (known || !isAutoReply || !recording) return known;
  const [id = ''] = messageId.split('@');
  return deliveryIn(recording, id, () => ({
    payload: [],
    isToVisitor: true,
    target,
    files: [],
  }));
}
