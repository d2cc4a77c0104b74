/** The contents of mails: HTML with a plain-text alternative, or the owner's own text. */

import { outputExtension } from '@form-relay/core/extensions';
import type {
  Common,
  Delivery,
  Field,
  Mail,
  OutputContext,
  OutputForm,
  Parsed,
  Plugin,
  Template,
  TemplateContext,
  Transport,
  Values,
} from '@form-relay/core/index';
import { boolean } from '@form-relay/schema/scalars';
import { optional, withDefault } from '@form-relay/schema/schema';
import { filledIn, readable } from './filled_in.ts';
import { type MailBody, renderMail } from './html_mail.ts';
import { linkedRuns, linkedTemplate, renderRuns } from './templates.ts';

const keys = {
  text: optional('Text of the mail. Default: a line `key=value` for each value.', linkedTemplate()),
  html: withDefault(
    'false',
    'Sends the mail as HTML, with a plain-text version: the form’s title, and labels and values in the form’s order, or `text`.',
    boolean(),
  ),
  intro: optional('Text above the fields of an HTML mail.', linkedTemplate()),
  footer: optional('Text below the fields of an HTML mail.', linkedTemplate()),
};

type Written = Partial<Parsed<typeof keys>> &
  Pick<Common, 'mapping' | 'static'> & { readonly look: MailBody['look'] };

const mailWords = outputExtension({
  name: 'mail_words',
  types: ['smtp', 'email'],
  keys,
  configure: ({ output, provided }, at) => {
    const { text, html = false, intro, footer, mapping, static: fixed } = output;
    // These texts do not fit into lines of `key=value`.
    for (const [key, words] of Object.entries({ intro, footer }))
      if (words && !html)
        at.in(key).error(`\`${key}\` is only for HTML mails; add \`html: true\`, or write it into \`text\``, {
          aboutKey: true,
        });
    for (const [key, value] of Object.entries({ mapping, static: fixed }))
      if (text && value !== undefined)
        at.in(key).warning(
          `this has no effect beside \`text\`, which is the whole mail; include what you need of ${key} into it`,
          { aboutKey: true },
        );
    if (!text && !html) return undefined;
    return {
      sendsOfItself: true,
      wrapTransport: (inner, context) =>
        withWords(inner, { ...output, mapping, static: fixed, look: provided.get('look') }, context),
    };
  },
});

const withWords = (inner: Transport, written: Written, { form }: OutputContext): Transport => ({
  ...inner,
  send: async (delivery, call) => {
    // A feature's mail has its own text.
    if (delivery.mail?.to) return inner.send(delivery, call);
    const mail = Object.assign({}, delivery.mail, wordsOf(written, form, delivery));
    return inner.send({ ...delivery, mail }, call);
  },
});

function wordsOf(
  { text, html, intro, footer, mapping, static: fixed, look }: Written,
  form: OutputForm,
  delivery: Delivery,
): Pick<Mail, 'text' | 'html'> {
  const { templateContext, mail } = delivery;
  const { page } = templateContext;
  const { translate, language = 'en', direction = 'ltr' } = form.locale;
  const seen =
    text || intro || footer ? new WithLinesOfFields(templateContext, form.fields) : templateContext;
  if (!html) return { text: ended(readable(text?.render(seen) ?? '')) };
  const runsOf = (words: Template | undefined) => (words ? renderRuns(words, seen) : []);
  const body: MailBody = {
    look,
    language,
    direction,
    title: form.title ?? form.id,
    intro: [...runsOf(intro), ...(intro && text ? ['\n\n'] : []), ...runsOf(text)],
    entries: text ? [] : filledIn({ mapping, static: fixed }, form, delivery),
    page: page && {
      label: translate({ code: 'mail_page' }),
      url: page.url,
      isLink: page.isOnOwnSite === true,
    },
    footer: [...runsOf(footer), ...(mail?.note ? ['\n\n', ...linkedRuns(mail.note)] : [])],
  };
  return renderMail(body);
}

const ended = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

const takesLines = ['textarea', 'hidden'];

/**
 * Joins the values of single-line fields into one line, because a visitor's line break would start a line that looks
 * like the owner's. A class, because a getter in an object literal would give every object its own shape.
 */
class WithLinesOfFields implements TemplateContext {
  readonly formId: string;
  readonly env: TemplateContext['env'];
  readonly page: TemplateContext['page'];
  readonly #context: TemplateContext;
  readonly #fields: readonly Field[];
  #values: Values | undefined;

  constructor(context: TemplateContext, fields: readonly Field[]) {
    this.formId = context.formId;
    this.env = context.env;
    this.page = context.page;
    this.#context = context;
    this.#fields = fields;
  }

  /** Evaluated on demand, because most texts above and below the fields use no field. */
  get fields(): Values {
    this.#values ??= new Map(
      [...this.#context.fields].map(([name, sent]) => [
        name,
        this.#isShort(name) ? sent.map(inOneLine) : sent,
      ]),
    );
    return this.#values;
  }

  labels(name: string): string {
    const words = this.#context.labels?.(name) ?? this.#context.fields.get(name)?.join(', ') ?? '';
    return this.#isShort(name) ? inOneLine(words) : words;
  }

  get submittedAt(): string {
    return this.#context.submittedAt;
  }

  #isShort(name: string): boolean {
    return this.#fields.some(
      (field) => field.name === name && !field.shape && !takesLines.includes(field.type),
    );
  }
}

const inOneLine = (text: string) => text.replaceAll(/[\n\r\v\f\x85\u2028\u2029]+/g, ' ');

/** Config keys that also load this plug-in. */
export const uses = ['top alerts'];

export const plugin: Plugin = {
  name: 'mail_words',
  outputExtensions: [mailWords],
  messages: { en: { mail_page: 'Page' } },
};
