import type { SubmissionReport } from '@form-relay/dry-run/report';
import { Icon } from '@form-relay/ui/controls';
import type { ReportState } from '../../src/state.ts';
import { isOpen, toggle, touch } from './arrivals.ts';
import { Copyable } from './bytes.tsx';
import { Checks, Received } from './checks.tsx';
import { Output, VisitorMail, Waiting } from './outputs.tsx';
import { Stop } from './stop.tsx';

/** A submission: a line, and behind it each stop on its way. */
export function Report({ of }: { readonly of: ReportState }) {
  const { number, answeredAt, report, ending } = of;
  const at = new Date(answeredAt);
  const isShown = isOpen(number);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the summary is the control, and keys click on it.
    <details id={`s${number}`} class="report" open={isShown} onClick={() => touch(number)}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a control. */}
      <summary
        onClick={(event) => {
          // Open and closed are kept in one place (arrivals.ts).
          event.preventDefault();
          toggle(number);
        }}
      >
        <span class={`badge ${ending.tone}`}>
          <Icon name={ending.icon} />
          {ending.word}
        </span>
        <b>{report.form}</b>
        <time dateTime={at.toISOString()}>{at.toTimeString().slice(0, 8)}</time>
        <span class="says">{report.says}</span>
      </summary>
      {isShown && <Way of={of} />}
    </details>
  );
}

function Way({ of }: { readonly of: ReportState }) {
  const { report, link } = of;
  return (
    <>
      <ol class="pipeline">
        <Received report={report} />
        <Checks report={report} />
        {report.outputs.map((output) => (
          <Output key={output.index} {...{ of, output }} />
        ))}
        {report.mails.map((mail) => (
          <VisitorMail key={mail.key} {...{ of, mail }} />
        ))}
        {link !== undefined && <Waiting link={link} />}
        <Answered {...report.answer} />
      </ol>
      {report.notes.length > 0 && <ul class="notes">{report.notes.map(note)}</ul>}
    </>
  );
}

const note = (words: string) => <li>{words}</li>;

function Answered({ status, contentType, body }: SubmissionReport['answer']) {
  const [, format] = /(json|html)\b/.exec(contentType) ?? [];
  const text = body.trim();
  return (
    <Stop
      tone={status < 400 ? 'ok' : status < 500 ? 'warn' : 'bad'}
      icon="up"
      title={`Answered ${status}`}
      says={format ? `with ${format.toUpperCase()}` : 'and sent on to another page'}
    >
      {text !== '' && (
        <details>
          <summary>The answer</summary>
          <Copyable length={text.length}>{text}</Copyable>
        </details>
      )}
    </Stop>
  );
}
