import type { Observer, RelayResponse } from '@form-relay/relay/base';
import { answer, nothing } from './answers.ts';

/** Limits, since pictures can make one 10 MB. The latest stays. */
const mostPdfs = 100;
const mostBytes = 30_000_000;

export const pdfPath = '/studio/pdf/';

/** The PDFs of this run, in memory, by submission and place of the output. */
export class Pdfs {
  readonly #all = new Map<string, Uint8Array>();

  readonly observe: Observer =
    ({ requestId }) =>
    (event) => {
      if (event.kind !== 'pdf_made') return;
      this.#all.set(`${requestId}-${event.output}`, event.file.bytes);
      let bytes = [...this.#all.values()].reduce((sum, one) => sum + one.length, 0);
      for (const [id, one] of this.#all) {
        if (this.#all.size === 1 || (this.#all.size <= mostPdfs && bytes <= mostBytes)) break;
        bytes -= one.length;
        this.#all.delete(id);
      }
    };

  clear(): void {
    this.#all.clear();
  }

  /** In base64, since answers are text. */
  serve(path: string): RelayResponse {
    const bytes = this.#all.get(path.slice(pdfPath.length));
    return bytes ? answer('text/plain', Buffer.from(bytes).toString('base64')) : nothing(404);
  }
}
