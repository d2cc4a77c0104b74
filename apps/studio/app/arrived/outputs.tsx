/** Stops of deliveries: outputs, mails to the visitor, and the link that one may wait for. */
import type { MailReport, OutputReport } from '@form-relay/dry-run/report';
import { Icon } from '@form-relay/ui/controls';
import type { ReportState } from '../../src/state.ts';
import { PayloadTable } from './bytes.tsx';
import { SentTabs } from './sent.tsx';
import { pathIn, Stop } from './stop.tsx';

export function Output({ of, output }: { readonly of: ReportState; readonly output: OutputReport }) {
  const { index, type, target, result, reason, onError, warnings, sent, payload, isKept } = output;
  const title = <code>{type}</code>;
  const path = pathIn(of.report.form, 'outputs', index);
  if (result === 'skipped')
    return <Stop tone="off" icon="ring" says={`skipped, since ${reason}`} {...{ title, path }} />;
  const table = payload.length > 0 && (
    <>
      <p class="subject">What {hostOf(target)} gets</p>
      <PayloadTable of={payload} />
    </>
  );
  const isDelivered = result === 'delivered';
  return (
    <Stop
      tone={isDelivered ? 'ok' : onError === 'fail' && result === 'failed' ? 'bad' : 'warn'}
      icon={isDelivered ? 'check' : result === 'kept' ? 'clock' : 'cross'}
      says={result}
      to={target}
      {...{ title, path }}
    >
      {result === 'failed' && <Failure {...{ reason, onError }} />}
      {isKept && note(isDelivered ? keptFirst : `${reason}; a relay keeps it, and tries it again`)}
      {warnings.map(note)}
      {sent.length > 0 ? (
        <SentTabs legend={`Sent by ${type}`} values={table} {...{ of, sent }} />
      ) : (
        table && <div class="request">{table}</div>
      )}
    </Stop>
  );
}

const note = (words: string) => <p class="aside">{words}</p>;

const Failure = ({ reason, onError }: Pick<OutputReport, 'reason' | 'onError'>) => (
  <p class="aside">
    {reason}; <code>on_error: {onError}</code>,{' '}
    {onError === 'fail' ? 'so the submission failed' : 'so the submission counts all the same'}
  </p>
);

const hostOf = (target: string) => /^https?:\/\/([^/?#]+)/.exec(target)?.[1] ?? target;

const keptFirst = 'A relay keeps it before the answer, and delivers it after.';

/** A mail to the visitor. A submission does not count without its mail only if that mail holds its link. */
export function VisitorMail({ of, mail }: { readonly of: ReportState; readonly mail: MailReport }) {
  const { key, target, result, reason, sent } = mail;
  const title = 'To the visitor';
  const path = pathIn(of.report.form, key);
  if (result === 'withheld')
    return <Stop tone="off" icon="ring" says={`no mail, since ${reason}`} {...{ title, path }} />;
  const isWaitedFor = key !== 'confirmation_mail';
  const isSent = result === 'sent';
  return (
    <Stop
      tone={isSent ? 'ok' : isWaitedFor ? 'bad' : 'warn'}
      icon={isSent ? 'check' : 'cross'}
      says={`a mail, ${result}`}
      to={target}
      {...{ title, path }}
    >
      {result === 'failed' && (
        <p class="aside">
          {reason}; {isWaitedFor ? 'the visitor is asked to try again' : 'the visitor learns nothing of it'}
        </p>
      )}
      <SentTabs legend="Sent to the visitor" {...{ of, sent }} />
    </Stop>
  );
}

/** Lets the owner do what the visitor would. */
export function Waiting({ link }: { readonly link: string }) {
  return (
    <Stop tone="quiet" icon="clock" title="Outputs" says="get it when the link is clicked">
      <p>
        <a class="tool" target="_blank" href={link} rel="noopener">
          <Icon name="open" /> Click the link, as the visitor does
        </a>
      </p>
    </Stop>
  );
}
