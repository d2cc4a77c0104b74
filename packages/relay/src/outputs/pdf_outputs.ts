/** Shared by outputs that take each submission as a PDF along. */
import { late } from '../base/late.ts';
import { withDefault } from '../schema/keys.ts';
import { flag } from '../schema/kinds.ts';

export const pdfKey = {
  pdf: withDefault(
    'false',
    'Adds the submission as a PDF: the form’s title, when it came and from where, labels, values and pictures (docs/pdf.md).',
    flag(),
  ),
};

/** No config is searched for its name: it loads with the first output that has `pdf: true`. */
export const latePdf = late(() => import('./make_pdf.ts'));
