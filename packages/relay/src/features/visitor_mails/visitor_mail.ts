import type { Mailbox } from '../../base/effects.ts';
import type { VisitorMailKey } from '../../base/event.ts';
import type { Form } from '../../form.ts';
import { momentWords } from '../../messages/moment_words.ts';
import type { LinkedTemplate } from '../../outputs/linked_template.ts';
import type { Output, PlacedTemplate } from '../../outputs/output.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { Template } from '../../schema/template/render.ts';
import { captcha } from '../captcha/captcha.ts';
import { minFill } from '../min_fill.ts';

/** Such a mail, as the config says it. Its words are the owner's, in the form's language. */
export interface VisitorMail {
  /** The field that holds the address. */
  readonly to: string;
  readonly subject: Template;
  readonly text: LinkedTemplate;
  readonly html: boolean;
  readonly footer?: LinkedTemplate | undefined;
  /** Default: whoever the carrying output sends for. */
  readonly from?: Mailbox | undefined;
  readonly reply_to?: Template | undefined;
  /** The output whose server carries it: its place among the form's outputs, or one that does nothing else. */
  readonly through?: number | Output | undefined;
  /** Shows what was sent: what was chosen, or all of it. */
  readonly copy?: 'choices' | 'all' | undefined;
  /** How many of them the form sends in an hour. */
  readonly per_hour: number;
}

/** A mail with a link; nothing is delivered before its click. */
export interface DoubleOptIn extends VisitorMail {
  /** How long the link can be used, in milliseconds. */
  readonly expires: number;
  /** `click`: only the button of the link's page confirms, and no script. */
  readonly confirm: 'open' | 'click';
}

/** The keys of `resume`. */
export interface ResumeKeys extends Omit<VisitorMail, 'to' | 'subject' | 'text'> {
  readonly to?: string | undefined;
  readonly subject?: Template | undefined;
  readonly text?: LinkedTemplate | undefined;
  /** How long the link can be used, in milliseconds. */
  readonly expires: number;
  /** The page of the owner's that shows the form. Default: the relay's own. */
  readonly page?: URL | undefined;
}

export type Resume = ResumeKeys &
  Pick<VisitorMail, 'to'> & {
    /** In which the mail says how long the link works. */
    readonly zone?: string | undefined;
  };

/** An output that sends mails. */
export type Carrier = Output & { readonly carry: NonNullable<Output['carry']> };

/** The output whose server carries it, which every config that loads has. Default: the form's first that sends mails. */
export function carrierOf({ through }: Pick<VisitorMail, 'through'>, outputs: readonly Output[]): Carrier {
  if (through === undefined) return outputs.find(({ carry }) => carry) as Carrier;
  return (typeof through === 'object' ? through : outputs[through]) as Carrier;
}

/** `resume` has words of its own where the owner has none. */
type Words = Partial<Pick<VisitorMail, 'subject' | 'text' | 'footer' | 'reply_to'>>;

/** Every template of such a mail, with its place. */
export const templatesOf = ({
  subject,
  text = [],
  footer = [],
  reply_to: reply,
}: Words): readonly PlacedTemplate[] => [
  ...(subject ? [{ path: ['subject'], template: subject }] : []),
  ...Object.entries({ text, footer }).flatMap(([key, words]) =>
    words.flatMap((part) => ('href' in part ? [] : [{ path: [key], template: part }])),
  ),
  ...(reply ? [{ path: ['reply_to'], template: reply }] : []),
];

/** Those of the mail and of a server that carries it alone, with their places in the form. */
export function placedTemplates(
  key: VisitorMailKey,
  mail: Words & Pick<VisitorMail, 'through'>,
): readonly PlacedTemplate[] {
  const { through } = mail;
  const ofCarrier = typeof through === 'object' ? through.templates : [];
  return [
    ...templatesOf(mail).map(({ path, template }) => ({ path: [key, ...path], template })),
    ...ofCarrier.map(({ path, template }) => ({ path: [key, 'through', ...path], template })),
  ];
}

/** A honeypot keeps out bots that fill in any form, and not those that aim at this one. */
export function mailWarnings(
  key: VisitorMailKey,
  { through }: Pick<VisitorMail, 'through'>,
  form: Form,
): readonly Finding[] {
  const ofCarrier = typeof through === 'object' ? through.warnings : [];
  return [
    ...(captcha.of(form) || minFill.of(form) ? [] : [finding('visitor_mail_unguarded', [key])]),
    ...ofCarrier.map((one) => ({ ...one, path: [key, 'through', ...one.path] })),
  ];
}

/** The mail with the words of the form's language where the owner has none. `until`: the link's end, in milliseconds since the epoch. */
export function resumeMail(
  asked: Resume,
  form: Pick<Form, 'say' | 'id' | 'title'>,
  until?: number,
): VisitorMail {
  const params = {
    title: form.title ?? form.id,
    time: until === undefined ? '' : momentWords(until, asked.zone),
  };
  const say = (code: 'resume_subject' | 'resume_text') => {
    const words = form.say({ code, params });
    return new Template(words, words);
  };
  return {
    ...asked,
    subject: asked.subject ?? say('resume_subject'),
    text: asked.text ?? [say('resume_text')],
  };
}
