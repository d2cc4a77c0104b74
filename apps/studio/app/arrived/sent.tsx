/** Messages that an output sent, or that went to the visitor by mail. */
import type { ReadableContent } from '@form-relay/core/services';
import type { Sent } from '@form-relay/dry-run/report';
import { Icon } from '@form-relay/ui/controls';
import { type ComponentChildren, Fragment } from 'preact';
import { type Mail, mailAddress, mailSandbox, mailsIn } from '../../src/mails.ts';
import type { ReportState } from '../../src/state.ts';
import { Tabs, type View } from '../inputs.tsx';
import { Copyable, Text } from './bytes.tsx';

interface SentTabs {
  readonly of: ReportState;
  readonly sent: readonly Sent[];
  readonly legend: string;
  /** The mapping's result: shown directly if the request has no readable text, else in a tab. */
  readonly values?: ComponentChildren;
}

/** Each message: first rendered, then byte for byte. */
export function SentTabs({ of, sent, legend, values }: SentTabs) {
  const views = sent.flatMap((one, index) => {
    const count = sent.length > 1 ? ` ${index + 1}` : '';
    const answer = <p class="aside">Its answer: {one.answer}</p>;
    return viewsOf(one, of, answer, values).map(({ title, show }) => ({ title: title + count, show }));
  });
  const isShown = sent.some((one) => one.kind === 'http' && !one.says);
  const more =
    values && !isShown ? [{ title: 'Values', show: () => <div class="request">{values}</div> }] : [];
  return views.length > 0 ? <Tabs legend={legend} views={[...views, ...more]} /> : null;
}

function viewsOf(
  sent: Sent,
  { number, report }: ReportState,
  answer: ComponentChildren,
  values: ComponentChildren,
): readonly View[] {
  const view = (title: string, content: ComponentChildren): View => ({
    title,
    show: () => [content, answer],
  });
  const said = (title: string, says: ReadableContent) => view(title, <SaidView {...says} />);
  switch (sent.kind) {
    case 'mail':
      return mailViews({ mail: sent, number, index: mailsIn(report).indexOf(sent as Mail) }, answer);
    case 'entry':
      return [said('Entry', sent.says), { title: 'Document', show: () => <Copyable text={sent.text} /> }];
    case 'http':
      return [
        sent.says
          ? said('Message', sent.says)
          : view('Request', <div class="request">{values || noValues(sent.bytes)}</div>),
        { title: 'Exact bytes', show: () => <Copyable text={sent.bytes} /> },
      ];
  }
}

const noValues = (bytes: string) => (
  <p class="aside">
    {/\r?\n\r?\n$/.test(bytes) ? 'A request with an empty body.' : 'A request without field values.'}
  </p>
);

/** A chat message, or an archived entry, as readable text. */
const SaidView = ({ title, entries, footer }: ReadableContent) => (
  <div class="request">
    <p class="subject">{title}</p>
    <table>{entries.map(row)}</table>
    {footer.map(below)}
  </div>
);

const row = ({ label, value }: ReadableContent['entries'][number]) => (
  <tr>
    <th scope="row">{label}</th>
    <td>{value}</td>
  </tr>
);

const below = (line: string) => <p class="aside">{line}</p>;

interface Placed {
  readonly mail: Mail;
  /** The report's number, and the mail's place in `mailsIn`. */
  readonly number: number;
  readonly index: number;
}

/** A mail: rendered, and its source. */
function mailViews(placed: Placed, answer: ComponentChildren): readonly View[] {
  const { mail } = placed;
  const view = (title: string, body: ComponentChildren): View => ({
    title,
    show: () => (
      <>
        <div class="mail">
          <Head mail={mail} />
          {body}
        </div>
        {answer}
      </>
    ),
  });
  const text = <Text text={mail.text} />;
  const bytes: View = { title: 'Exact bytes', show: () => <Copyable text={mail.source} /> };
  if (mail.html === undefined) return [view('Mail', text), bytes];
  return [view('HTML', <MailFrame {...placed} />), view('Text', text), bytes];
}

function Head({ mail }: { readonly mail: Mail }) {
  const { subject, from, to, cc, bcc, replyTo, attachments, server } = mail;
  const lines: readonly (readonly [name: string, value: ComponentChildren])[] = [
    ['From', from],
    ['To', to.join(', ')],
    ['Cc', cc.length > 0 && cc.join(', ')],
    [
      'Bcc',
      bcc.length > 0 && (
        <>
          {bcc.join(', ')} <span class="aside">in no header</span>
        </>
      ),
    ],
    ['Reply-To', replyTo],
    ['Attached', attachments.length > 0 && attachments.join(', ')],
    ['Through', server],
  ];
  return (
    <>
      <p class="subject">{subject === '' ? '(no subject)' : subject}</p>
      <dl>
        {lines.map(
          ([name, value]) =>
            value && (
              <Fragment key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </Fragment>
            ),
        )}
      </dl>
    </>
  );
}

/** A mail's HTML page, in the browser's colour scheme. */
function MailFrame({ mail, number, index }: Placed) {
  const address = mailAddress(number, index);
  return (
    <div class="letter">
      <p class="open-mail">
        <a class="tool" href={address} target="_blank" rel="noopener">
          <Icon name="open" /> Open the mail in its own tab
        </a>
      </p>
      <iframe title={`The mail: ${mail.subject}`} src={address} sandbox={mailSandbox} loading="lazy" />
    </div>
  );
}
