/** What the studio sees and changes inside the relay: PDFs, and the scripts of captchas. */
import type { BundledPlugin } from '@form-relay/config/bundled';
import type { Delivery, RelayResponse, UploadedFile } from '@form-relay/core/index';
import { feature, outputExtension } from '@form-relay/core/kit';
import { pdfName } from '@form-relay/more-outputs/pdf_name';
import { answer, nothing } from './answers.ts';

/** Limits, since pictures can make one 10 MB. The latest stays. */
const mostPdfs = 100;
const mostBytes = 30_000_000;

export const pdfPath = '/studio/pdf/';

/** The PDFs of this run, in memory, by submission and place of the output. */
export class Pdfs {
  readonly #all = new Map<string, UploadedFile>();

  add(deliveryId: string, file: UploadedFile): void {
    this.#all.set(deliveryId, file);
    let bytes = [...this.#all.values()].reduce((sum, one) => sum + one.bytes.length, 0);
    for (const [id, one] of this.#all) {
      if (this.#all.size === 1 || (this.#all.size <= mostPdfs && bytes <= mostBytes)) break;
      bytes -= one.bytes.length;
      this.#all.delete(id);
    }
  }

  clear(): void {
    this.#all.clear();
  }

  /** In base64, since answers are text. */
  serve(path: string): RelayResponse {
    const file = this.#all.get(path.slice(pdfPath.length));
    return file ? answer('text/plain', Buffer.from(file.bytes).toString('base64')) : nothing(404);
  }
}

/** Innermost, so that it sees deliveries as they are sent. */
export const studioPlugin = (pdfs: Pdfs): BundledPlugin => ({
  name: 'studio',
  owns: [],
  uses: ['form captcha', 'output pdf smtp email webhook folder s3'],
  load: async () => ({
    name: 'studio',
    features: [
      feature({
        name: 'studio_captcha',
        after: ['captcha'],
        before: ['proof', 'captcha_widget'],
        configure: ({ provided }) => {
          const captcha = provided.get('captcha');
          // A form without a site key has a page of its own in production, and none here.
          if (captcha)
            Object.assign(captcha, { script: '/studio/captcha.js', siteKey: captcha.siteKey ?? 'dry-run' });
          return undefined;
        },
      }),
    ],
    outputExtensions: [
      outputExtension({
        name: 'studio_pdf',
        keys: {},
        configure: ({ output }) =>
          Reflect.get(output, 'pdf') !== true
            ? undefined
            : {
                wrapTransport: (inner) => ({
                  ...inner,
                  send: (delivery, timeoutMs) => {
                    const file = pdfIn(delivery);
                    if (file) pdfs.add(delivery.id, file);
                    return inner.send(delivery, timeoutMs);
                  },
                }),
              },
      }),
    ],
  }),
});

/** Mails have it behind all other attachments. */
const pdfIn = ({ files, mail }: Delivery): UploadedFile | undefined =>
  files.get(pdfName)?.[0] ??
  (mail?.to ? undefined : mail?.attachments?.findLast(({ type }) => type === 'application/pdf'));
