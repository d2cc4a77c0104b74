/** What mails say: HTML with the same as text beside it, or a text of the owner's. */
import type {
  Common,
  Delivery,
  Field,
  OutputContext,
  OutputForm,
  Parsed,
  Plugin,
  Template,
  TemplateContext,
  Transport,
  Values,
} from '@form-relay/core/index';
import { boolean, optional, outputExtension, withDefault } from '@form-relay/core/kit';
import { filledIn } from './filled_in.ts';
import type { MailBody } from './html_mail.ts';
import { linkedTemplate, renderRuns } from './linked_template.ts';
import { readable } from './words.ts';

const keys = {
  text: optional(
    'What the mail says, as a template of one or several lines, instead of a line `key=value` for each value.',
    linkedTemplate(),
  ),
  html: withDefault(
    'false',
    'Sends the mail as HTML, with the same as text beside it: the form’s title, and each field’s label and value in the form’s order, or else `text`.',
    boolean(),
  ),
  intro: optional('What stands above the fields of an HTML mail. As `text`.', linkedTemplate()),
  footer: optional('What stands below them. As `text`.', linkedTemplate()),
};

type Written = Partial<Parsed<typeof keys>> & Pick<Common, 'mapping' | 'static'>;

const mailWords = outputExtension({
  name: 'mail_words',
  types: ['smtp', 'email'],
  keys,
  configure: ({ output }, at) => {
    const { text, html = false, intro, footer, mapping, static: fixed } = output;
    // They have no place in lines of `key=value`.
    for (const [key, words] of Object.entries({ intro, footer }))
      if (words && !html)
        at.in(key).error(
          `\`${key}\` is a part of HTML mails; add \`html: true\`, or write it into \`text\``,
          { aboutKey: true },
        );
    for (const [key, value] of Object.entries({ mapping, static: fixed }))
      if (text && value !== undefined)
        at.in(key).warning(
          `this has no effect beside \`text\`, which is all that the mail says; write what you want of ${key} into it`,
          { aboutKey: true },
        );
    if (!text && !html) return undefined;
    return {
      sendsOfItself: true,
      wrapTransport: (inner, context) => withWords(inner, { ...output, mapping, static: fixed }, context),
    };
  },
});

const withWords = (inner: Transport, written: Written, { form }: OutputContext): Transport => ({
  ...inner,
  send: async (delivery, timeoutMs) => {
    // A mail of a feature's has words of its own.
    if (delivery.mail?.to) return inner.send(delivery, timeoutMs);
    const words = await wordsOf(written, form, delivery);
    return inner.send({ ...delivery, mail: { ...delivery.mail, ...words } }, timeoutMs);
  },
});

async function wordsOf(
  { text, html, intro, footer, mapping, static: fixed }: Written,
  form: OutputForm,
  delivery: Delivery,
) {
  const { templateContext, mail } = delivery;
  const { page } = templateContext;
  const { translate, language = 'en', direction = 'ltr' } = form.locale;
  const seen = text || intro || footer ? withLinesOfFields(templateContext, form.fields) : templateContext;
  if (!html) return { text: ended(readable(text?.render(seen) ?? '')) };
  const runsOf = (words: Template | undefined) => (words ? renderRuns(words, seen) : []);
  const body: MailBody = {
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
    footer: [...runsOf(footer), ...(mail?.note ? ['\n\n', mail.note] : [])],
  };
  const { renderMail } = await import('./html_mail.ts');
  return renderMail(body);
}

const ended = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

const takesLines = ['textarea', 'hidden'];

/** Values of fields of one line, on one line: a stranger's line break would begin a line that looks like the owner's. */
function withLinesOfFields(context: TemplateContext, fields: readonly Field[]): TemplateContext {
  const isShort = (name: string) =>
    fields.some((field) => field.name === name && !field.shape && !takesLines.includes(field.type));
  let values: Values | undefined;
  return {
    // Most templates above and below the fields of a mail read none of them.
    get fields() {
      values ??= new Map(
        [...context.fields].map(([name, sent]) => [name, isShort(name) ? sent.map(inOneLine) : sent]),
      );
      return values;
    },
    labels(name) {
      const words = context.labels?.(name) ?? context.fields.get(name)?.join(', ') ?? '';
      return isShort(name) ? inOneLine(words) : words;
    },
    get page() {
      return context.page;
    },
    formId: context.formId,
    submittedAt: context.submittedAt,
    env: (name) => context.env(name),
  };
}

const inOneLine = (text: string) => text.replaceAll(/[\n\r\v\f\x85\u2028\u2029]+/g, ' ');

export const plugin: Plugin = {
  name: 'mail_words',
  outputExtensions: [mailWords],
  messages: { en: { mail_page: 'Page' } },
};
