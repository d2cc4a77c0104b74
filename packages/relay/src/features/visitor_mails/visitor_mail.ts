import type { Mailbox } from '../../base/effects.ts';
import type { LinkedTemplate } from '../../outputs/linked_template.ts';
import type { Output, PlacedTemplate } from '../../outputs/output.ts';
import type { Template } from '../../schema/template/render.ts';

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
  /** Whose server carries it: the place of an output among the form's, or one that does nothing else. */
  readonly through?: number | Output | undefined;
  /** How many of them the form sends in an hour. */
  readonly per_hour: number;
}

/** One with a link, until whose click nothing is delivered. */
export interface DoubleOptIn extends VisitorMail {
  /** How long the link can be used, in milliseconds. */
  readonly expires: number;
}

/** The output whose server carries it. Default: the form's first that sends mails. */
export function carrierOf(
  { through }: Pick<VisitorMail, 'through'>,
  outputs: readonly Output[],
): Output | undefined {
  if (typeof through === 'object') return through;
  return through === undefined ? outputs.find(({ carry }) => carry) : outputs[through];
}

/** Every template of such a mail, with its place. */
export const templatesOf = ({
  subject,
  text,
  footer = [],
  reply_to: reply,
}: VisitorMail): readonly PlacedTemplate[] => [
  { path: ['subject'], template: subject },
  ...Object.entries({ text, footer }).flatMap(([key, words]) =>
    words.flatMap((part) => ('href' in part ? [] : [{ path: [key], template: part }])),
  ),
  ...(reply ? [{ path: ['reply_to'], template: reply }] : []),
];
