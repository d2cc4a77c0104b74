import type { SubmissionReport } from '@form-relay/dry-run/report';
import { Button, Icon } from '@form-relay/ui/controls';
import { effect, signal, untracked } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ReportState } from '../../src/state.ts';
import { ask } from '../relay.ts';
import { side } from '../shell/address.ts';
import { busy, knownBefore, reports, say } from '../store.ts';
import { Copyable } from './bytes.tsx';
import { Checks, Output, Received, Stop, VisitorMail, Waiting } from './stops.tsx';
import './arrived.css';
import './sent.css';
import './report.css';

/** The pane's content, which stays mounted when covered, so that screen readers hear of new reports. */
export function Arrived() {
  useEffect(followArrivals, []);
  return (
    <>
      <div class="bar">
        <h2 id="inbox-title">What arrived</h2>
        <span class="busy">{busy.value > 0 && `${busy.value} …`}</span>
        {reports.value.length > 0 && <Button onClick={clear}>Clear</Button>}
      </div>
      {reports.value.length > 0 ? (
        <ol class="reports">
          {reports.value.map((one) => (
            <li key={one.number}>
              <Report of={one} />
            </li>
          ))}
        </ol>
      ) : (
        <Empty />
      )}
    </>
  );
}

const clear = () => void ask('/studio/clear', '');

const Empty = () => (
  <div class="empty">
    <p>
      <b>Send the form to see what happens to the submission.</b>
    </p>
    <p>
      You will see each check, each outgoing request and mail, byte for byte, and the answer to the visitor.
    </p>
  </div>
);

/** A submission: a summary line, and the steps of its processing. */
function Report({ of }: { readonly of: ReportState }) {
  const { number, answeredAt, report, ending } = of;
  const at = new Date(answeredAt);
  const isShown = opened.value.has(number);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the summary is the control, and keys click on it.
    <details id={`s${number}`} class="report" open={isShown} onClick={() => touch(number)}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a control. */}
      <summary
        onClick={(event) => {
          // `opened` alone decides which reports are open.
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
      says={format ? `with ${format.toUpperCase()}` : 'and redirected to another page'}
    >
      {text !== '' && (
        <details>
          <summary>The answer</summary>
          <Copyable text={text} />
        </details>
      )}
    </Stop>
  );
}

// Watches for new and changed reports: opens the newest, and announces each result.

/** Numbers of the open reports. */
const opened = signal<ReadonlySet<number>>(new Set());
/** The report that was opened automatically; it closes when the next one opens. */
let openedItself: number | undefined;

/** Keeps a report open after the owner has clicked it. */
function touch(number: number): void {
  if (openedItself === number) openedItself = undefined;
}

function toggle(number: number): void {
  const next = new Set(opened.value);
  if (!next.delete(number)) next.add(number);
  opened.value = next;
}

/** Numbers of the reports already seen. */
let known: ReadonlySet<number> = new Set();

/** Reports up to number `last` arrived before the page opened, so they are not news. */
function look(now: readonly ReportState[], last: number): void {
  const before = known;
  known = new Set(now.map(({ number }) => number));
  // The list is newest first; the newest is announced last.
  for (const one of now.toReversed()) if (!before.has(one.number) && one.number > last) arrive(one);
}

function arrive(one: ReportState): void {
  const next = new Set(opened.value);
  if (openedItself !== undefined) next.delete(openedItself);
  opened.value = next.add(one.number);
  openedItself = one.number;
  // With two columns, the config may cover the reports.
  side.value = 'arrived';
  say(`${one.report.form}: ${one.ending.word}, ${one.report.says}`);
}

/** Watches the reports until the returned function is called. */
const followArrivals = (): (() => void) =>
  effect(() => {
    const now = reports.value;
    const last = knownBefore.value;
    if (last !== undefined) untracked(() => look(now, last));
  });
