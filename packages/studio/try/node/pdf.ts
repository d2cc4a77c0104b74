/** Stands in for outputs/make_pdf.ts in a browser: there is no font to read, and the page only shows the file's name. */
import type { Job } from '@form-relay/relay/base';

type Filing = Pick<Job, 'requestId' | 'formId' | 'receivedAt'>;

export const makePdf = async (_: unknown, { formId, requestId }: Filing) => ({
  file: {
    name: `${encodeURIComponent(formId)}-${requestId}.pdf`,
    type: 'application/pdf',
    bytes: new TextEncoder().encode('(the relay writes the PDF here)'),
  },
  isComplete: true,
});

export const timeInWords = () => '';

export const fontProblems = () => ({ fonts: [], forms: [] });
