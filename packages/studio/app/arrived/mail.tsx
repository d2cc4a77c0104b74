import { type ComponentChildren, Fragment } from 'preact';
import { useId, useState } from 'preact/hooks';
import { type Mail, mailAddress, mailSandbox, type Scheme, schemes } from '../../src/mails.ts';
import { Icon } from '../icons.tsx';
import { Choice } from '../shell/choice.tsx';
import { Address, Bytes, Text } from './bytes.tsx';
import type { View } from './tabs.tsx';

interface Placed {
  readonly mail: Mail;
  /** The story's number, and the mail's place in `mailsIn`. */
  readonly number: number;
  readonly index: number;
}

/** A mail as people read it, and its source. */
export function mailViews(placed: Placed, answer: ComponentChildren): readonly View[] {
  const { mail } = placed;
  const text = () => <Text length={mail.text.length}>{mail.text}</Text>;
  const view = (title: string, body: () => ComponentChildren): View => ({
    title,
    show: () => (
      <>
        <div class="mail">
          <Head mail={mail} />
          {body()}
        </div>
        {answer}
      </>
    ),
  });
  const bytes: View = { title: 'Exact bytes', show: () => <Bytes bytes={mail.source} /> };
  if (mail.html === undefined) return [view('Mail', text), bytes];
  return [view('HTML', () => <Letter {...placed} />), view('Text', text), bytes];
}

const Several = ({ all }: { readonly all: readonly string[] }) => (
  <>{all.map((one, index) => [index > 0 && ', ', <Address key={one} text={one} />])}</>
);

function Head({ mail }: { readonly mail: Mail }) {
  const { subject, from, to, cc, bcc, replyTo, attachments, envelope, server } = mail;
  const lines: readonly (readonly [name: string, value: ComponentChildren])[] = [
    ['From', <Several all={[from]} />],
    ['To', <Several all={to} />],
    ['Cc', cc.length > 0 && <Several all={cc} />],
    [
      'Bcc',
      bcc.length > 0 && (
        <>
          <Several all={bcc} /> <span class="aside">in no header</span>
        </>
      ),
    ],
    ['Reply-To', replyTo !== undefined && <Several all={[replyTo]} />],
    ['Return to', envelope.from === '' && <span class="aside">nobody, so that no program answers</span>],
    ['Attached', attachments.length > 0 && attachments.join(', ')],
    ['Through', <Several all={[server]} />],
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

const widths = { phone: 'Phone', desktop: 'Desktop' } as const;

/** The mail's own page, in light or dark colours, as wide as on a phone or a desk. */
function Letter({ mail, number, index }: Placed) {
  const id = useId();
  const [scheme, setScheme] = useState<Scheme>('light');
  const [width, setWidth] = useState<keyof typeof widths>('phone');
  const address = mailAddress(number, index, scheme);
  return (
    <div class={`letter ${width}`}>
      <div class="switches">
        <Choice
          name={`${id}-colours`}
          label="Colours"
          options={schemes}
          value={scheme}
          onChoose={setScheme}
        />
        <Choice name={`${id}-width`} label="Width" options={widths} value={width} onChoose={setWidth} />
        <a class="tool" title="Open alone" href={address} target="_blank" rel="noopener">
          <Icon name="open" />
          <span class="unseen">Open the mail alone</span>
        </a>
      </div>
      {scheme === 'dark' && (
        <p class="aside">
          As in programs that follow the mail’s own dark colours. Gmail and Outlook make their own.
        </p>
      )}
      <div class={`page-of-mail${isShort(mail.text) ? ' short' : ''}`}>
        {/* Another frame, since another address in the same one would be a step for Back. */}
        <iframe
          key={scheme}
          title={`The mail in ${scheme} colours: ${mail.subject}`}
          class={scheme}
          src={address}
          sandbox={mailSandbox}
          loading="lazy"
        />
      </div>
    </div>
  );
}

/** A guess: a frame without scripts cannot tell how high its page is. */
const isShort = (text: string) => text.split('\n').length + text.length / 40 < 16;
