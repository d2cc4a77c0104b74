/** Outputs that send or store each submission as a PDF, too. */

import { stackOf } from '@form-relay/base/client_error';
import { clientNetwork } from '@form-relay/base/networks';
import { outputExtension } from '@form-relay/core/extensions';
import type {
  Delivery,
  Middleware,
  OutputContext,
  OutputHooks,
  Plugin,
  Transport,
  UploadedFile,
} from '@form-relay/core/index';
import { within } from '@form-relay/core/outputs/delivery';
import { feature } from '@form-relay/core/plugin';
import { array, object } from '@form-relay/schema/collections';
import { boolean, text } from '@form-relay/schema/scalars';
import { isMap, optionalBlock, required, withDefault } from '@form-relay/schema/schema';
import { pdfName } from './archive_layout.ts';
import type { Paper } from './make_pdf.ts';

declare module '@form-relay/core/plugin' {
  interface Shared {
    pdf: Fonts;
  }
  interface Provided {
    pdf: Fonts & { readonly zone: string | undefined };
  }
}

interface Fonts {
  /** Forms with a PDF. */
  readonly forms: ReadonlySet<string>;
  /** Paths of the fonts, as in the config. */
  readonly fonts: readonly string[];
}

const noFonts: Fonts = { forms: new Set(), fonts: [] };

/** The client network of each submission in delivery, by the submission's id. */
const clients = new Map<string, string>();

const paper = feature({
  name: 'pdf',
  after: ['time_zone'],
  keys: {
    top: {
      pdf: optionalBlock(
        'How PDFs of submissions look, for outputs with `pdf: true` (docs/pdf.md).',
        object(
          {
            fonts: required(
              'Paths of TTF, OTF, TTC or OTC files (`[NotoSans.ttf]`), absolute or relative to the working directory. The first font that has a character is used for it. A font in a collection follows `#`: `NotoSansCJK-Regular.ttc#NotoSansCJKjp-Regular`.',
              array(text(), { least: 1 }),
            ),
          },
          '{fonts: [/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf]}',
        ),
      ),
    },
  },
  configureTop: ({ pdf: { fonts } = noFonts }, at, { forms }) => {
    const asking = [...forms].filter(([, { outputs }]) => listOf(outputs).some(asksForPdf));
    const pdf: Fonts = { forms: new Set(asking.map(([id]) => id)), fonts };
    // Reads no fonts if no output asks for a PDF.
    if (asking.length === 0) return pdf;
    return import('./pdf/fonts.ts').then(({ openFace }) => {
      for (const [index, named] of pdf.fonts.entries()) {
        const face = openFace(named);
        if ('problem' in face) at.in('pdf', 'fonts', index).error(face.problem, { mayPass: face.mayPass });
      }
      return pdf;
    });
  },
  configure: ({ formId, shared = noFonts, provided }) => ({
    provides: { ...shared, zone: provided.get('time_zone') },
    ...(shared.forms.has(formId) && { aroundDelivery: knowingClient }),
  }),
});

/** Clients take turns with PDFs, so that a client with many submissions does not delay others. */
const knowingClient: Middleware = (next) => async (submission) => {
  const { client, requestId } = submission;
  if ('address' in client) clients.set(requestId, clientNetwork(client.address));
  try {
    return await next(submission);
  } finally {
    clients.delete(requestId);
  }
};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const asksForPdf = (output: unknown): boolean => isMap(output) && output.pdf === true;

const pdf = outputExtension({
  name: 'pdf',
  types: ['smtp', 'email', 'folder', 's3'],
  keys: {
    pdf: withDefault(
      'false',
      'Adds the submission as a PDF: the form’s title, time, page, labels, values and pictures (docs/pdf.md).',
      boolean(),
    ),
  },
  configure: ({ type, output, provided }): OutputHooks | undefined => {
    if (!output.pdf) return undefined;
    const { fonts = [], zone } = provided.get('pdf') ?? {};
    const { mapping, static: fixed } = output;
    const look = provided.get('look');
    const paper = { fonts, zone, mapping, static: fixed, showsField: shownBy(type, mapping), look };
    return {
      sendsOfItself: true,
      wrapTransport: (inner, context) => withPdf(inner, type, paper, context),
    };
  },
});

/** The fields that the output's PDF shows. `undefined`: the same as an HTML mail. */
function shownBy(type: string, mapping: Paper['mapping']): Paper['showsField'] {
  if (type === 'smtp' || type === 'email') return undefined;
  const names = mapping instanceof Map ? [...mapping.values()] : undefined;
  return (field) => names?.includes(field) ?? true;
}

/** A single PDF takes a tenth of a second, but many may be queued. */
const mostPdfMs = 5_000;

const replaced = 'some characters are in no font of the PDF and were replaced; add a font to `pdf.fonts`';
const leftOut = 'the PDF could not be created; the submission was delivered without it';

const withPdf = (inner: Transport, type: string, paper: Paper, context: OutputContext): Transport => ({
  ...inner,
  send: async (delivery, call) => {
    const { timeoutMs } = call;
    // A feature's mail is not about a submission.
    if (delivery.mail?.to) return inner.send(delivery, call);
    const startedAt = context.services.now();
    const made = await pdfOf(paper, delivery, Math.min(mostPdfMs, timeoutMs / 2), context);
    if (made) context.services.show?.({ pdf: made.file });
    const whole =
      type === 'smtp' || type === 'email'
        ? withMailed(delivery, made?.file, context)
        : { ...delivery, files: new Map([...delivery.files, [pdfName, made ? [made.file] : []]]) };
    const leftMs = Math.max(1, timeoutMs - (context.services.now() - startedAt));
    const warning = await inner.send(whole, within(call, leftMs));
    if (!made) return leftOut;
    return warning ?? (made.isComplete ? undefined : replaced);
  },
});

/** Never rejects, because a failed PDF must not cost a submission. */
async function pdfOf(paper: Paper, delivery: Delivery, timeoutMs: number, { form, services }: OutputContext) {
  try {
    const { makePdf } = await import('./make_pdf.ts');
    return await makePdf(paper, form, delivery, timeoutMs, clients.get(delivery.requestId) ?? '');
  } catch (error) {
    services.log('error', 'internal_error', { request_id: delivery.requestId, stack: stackOf(error) });
    return undefined;
  }
}

/** If there is no PDF, the mail says so. */
const withMailed = (
  delivery: Delivery,
  file: UploadedFile | undefined,
  { form }: OutputContext,
): Delivery => {
  const { mail } = delivery;
  const parts = file
    ? { attachments: [...(mail?.attachments ?? []), file] }
    : { note: form.locale.translate({ code: 'pdf_failed' }) };
  return { ...delivery, mail: { ...mail, ...parts } };
};

export const plugin: Plugin = {
  name: 'pdf',
  features: [paper],
  outputExtensions: [pdf],
  messages: {
    en: {
      mail_page: 'Page',
      pdf_received: 'Received',
      pdf_failed: 'The PDF of this submission could not be created.',
    },
  },
};
