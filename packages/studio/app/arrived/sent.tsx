/** Messages that an output or a mail to the visitor sent. */
import type { Sent } from '@form-relay/dry-run/report';
import type { ComponentChildren } from 'preact';
import { type Mail, mailsIn } from '../../src/mails.ts';
import type { StoryState } from '../../src/state.ts';
import { Bytes } from './bytes.tsx';
import { mailViews } from './mail.tsx';
import { Tabs, type View } from './tabs.tsx';

interface SentTabs {
  readonly of: StoryState;
  readonly sent: readonly Sent[];
  readonly legend: string;
  /** The mapping's result: shown at once for requests without readable text, else in a tab. */
  readonly values?: ComponentChildren;
}

/** Each message, first as people read it, then byte for byte. */
export function SentTabs({ of, sent, legend, values }: SentTabs) {
  const views = sent.flatMap((one, index) => {
    const count = sent.length > 1 ? ` ${index + 1}` : '';
    const answer = <p class="aside">Its answer: {one.answer}</p>;
    return viewsOf(one, of, answer, values).map(({ title, show }) => ({ title: title + count, show }));
  });
  const isShown = sent.some((one) => one.kind === 'http');
  const more =
    values && !isShown ? [{ title: 'Values', show: () => <div class="request">{values}</div> }] : [];
  return views.length > 0 ? <Tabs legend={legend} views={[...views, ...more]} /> : null;
}

function viewsOf(
  sent: Sent,
  { number, story }: StoryState,
  answer: ComponentChildren,
  values: ComponentChildren,
): readonly View[] {
  switch (sent.kind) {
    case 'mail':
      return mailViews({ mail: sent, number, index: mailsIn(story).indexOf(sent as Mail) }, answer);
    case 'entry':
      return [{ title: 'Document', show: () => <Bytes bytes={sent.text} /> }];
    case 'http':
      return [
        { title: 'Request', show: () => <Request {...{ answer }} values={values || noValues(sent.bytes)} /> },
        { title: 'Exact bytes', show: () => <Bytes bytes={sent.bytes} /> },
      ];
  }
}

const noValues = (bytes: string) => (
  <p class="aside">
    {/\r?\n\r?\n$/.test(bytes) ? 'A request with an empty body.' : 'A request without values of fields.'}
  </p>
);

const Request = ({ values, answer }: Readonly<Record<'values' | 'answer', ComponentChildren>>) => (
  <>
    <div class="request">{values}</div>
    {answer}
  </>
);
