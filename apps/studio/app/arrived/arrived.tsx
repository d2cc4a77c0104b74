import { Button, Icon } from '@form-relay/ui/controls';
import { useEffect } from 'preact/hooks';
import { post } from '../relay.ts';
import { busy, knownBefore, reports, say } from '../store.ts';
import './arrived.css';
import './sent.css';
import './report.css';
import type { SubmissionReport } from '@form-relay/dry-run/report';
import { effect, signal, untracked } from '@preact/signals';
import type { ReportState } from '../../src/state.ts';
import { side } from '../shell/address.ts';
import { Copyable } from './bytes.tsx';
import { Checks, Output, Received, Stop, VisitorMail, Waiting } from './stops.tsx';

/** The content of the pane. The pane stays in the page while another pane hides it: it announces reports. */
export function Arrived() {
  useEffect(followArrivals, []);
  return (
    <>
      <div class="bar">
        <h2 id="inbox-title">What arrived</h2>
        <Busy />
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

const clear = () => void post('/studio/clear', {});

const Busy = () => <span class="busy">{busy.value > 0 && `${busy.value} …`}</span>;

const Empty = () => (
  <div class="empty">
    <p>
      <b>Send the form to see here what happens to it.</b>
    </p>
    <p>
      You will see each check, each outgoing request and mail, byte for byte, and the answer to the visitor.
    </p>
  </div>
);

/** A submission: a line, and behind it each stop on its way. */
function Report({ of }: { readonly of: ReportState }) {
  const { number, answeredAt, report, ending } = of;
  const at = new Date(answeredAt);
  const isShown = isOpen(number);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the summary is the control, and keys click on it.
    <details id={`s${number}`} class="report" open={isShown} onClick={() => touch(number)}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a control. */}
      <summary
        onClick={(event) => {
          // Open and closed are kept in one place, `opened`.
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
          <Copyable length={text.length}>{text}</Copyable>
        </details>
      )}
    </Stop>
  );
}

// Notices new reports, and old ones that change: opens the newest, and announces the result of each.

/** The numbers of the open reports. */
const opened = signal<ReadonlySet<number>>(new Set());
/** The one that opened itself; it closes when the next one does. */
let openedItself: number | undefined;

const isOpen = (number: number): boolean => opened.value.has(number);

/** A report that the owner touched stays open. */
function touch(number: number): void {
  if (openedItself === number) openedItself = undefined;
}

function toggle(number: number): void {
  const next = new Set(opened.value);
  if (!next.delete(number)) next.add(number);
  opened.value = next;
}

/** Numbers that were there at the last look. */
let known: ReadonlySet<number> = new Set();

/** Stories up to number `last` are no news: the page was not there yet. */
function look(now: readonly ReportState[], last: number): void {
  const before = known;
  known = new Set(now.map(({ number }) => number));
  // The newest stands first, and is announced last.
  for (const one of now.toReversed()) if (!before.has(one.number) && one.number > last) arrive(one);
}

function arrive(one: ReportState): void {
  const next = new Set(opened.value);
  if (openedItself !== undefined) next.delete(openedItself);
  opened.value = next.add(one.number);
  openedItself = one.number;
  // In a window with two columns, it may be hidden behind the config.
  side.value = 'arrived';
  say(`${one.report.form}: ${one.ending.word}, ${one.report.says}`);
}

/** Follows the reports until the returned function is called. */
const followArrivals = (): (() => void) =>
  effect(() => {
    const now = reports.value;
    const last = knownBefore.value;
    if (last !== undefined) untracked(() => look(now, last));
  });
