/** Steps of delivery: outputs, mails to the visitor, and the confirmation link that one may wait for. */

import type { CheckReport, MailReport, OutputReport, SubmissionReport } from '@form-relay/dry-run/report';
import { Icon, type IconName } from '@form-relay/ui/controls';
import type { ComponentChildren } from 'preact';
import { isMap, listOf, type Path, valueAt } from '../../edit/model.ts';
import type { ReportState, Tone } from '../../src/state.ts';
import { config, showPath } from '../store.ts';
import { PayloadTable } from './bytes.tsx';
import { SentTabs } from './sent.tsx';
// Steps before the outputs: what arrived, and the result of each check.

export function Received({ report }: { readonly report: SubmissionReport }) {
  const { form, values, page, ignored, outputs, isConfirmed } = report;
  const count = values.length === 1 ? '1 field' : `${values.length} fields`;
  const isIgnored = new Set(ignored);
  const nameOf = (name: string) =>
    isIgnored.has(name) ? name : <Key pathOf={() => pathOfField(form, name)}>{name}</Key>;
  return (
    <Stop
      tone="quiet"
      icon="down"
      title={isConfirmed ? 'Confirmed' : 'Received'}
      says={isConfirmed ? `${count}, held in the link that was clicked` : count}
    >
      {page && (
        <p class="aside">
          {page.url === '' ? 'Page unknown' : `From ${page.url}${page.title && `, “${page.title}”`}`}
        </p>
      )}
      {ignored.length > 0 && (
        <p class="aside">
          Not in the config, so ignored: <code>{ignored.join(', ')}</code>
        </p>
      )}
      {values.length > 0 && (
        <details open={outputs.length === 0}>
          <summary>Submitted values</summary>
          <PayloadTable of={values} nameOf={nameOf} />
        </details>
      )}
    </Stop>
  );
}

/** Falls back to `fields` if the config no longer has the field. */
function pathOfField(form: string, name: string): Path {
  const fields = listOf(valueAt(config.peek().value, pathIn(form, 'fields')));
  const index = fields.findIndex((field) => isMap(field) && field.name === name);
  return pathIn(form, 'fields', ...(index < 0 ? [] : [index]));
}

/** Config keys whose feature has another name, or that are inside a block of the form. */
const keysOf: Readonly<Record<string, readonly string[]>> = {
  honeypot: ['spam', 'honeypot'],
  min_fill: ['spam', 'min_fill_seconds'],
  origin: ['origins'],
  schedule: ['closes'],
  proof: ['spam', 'proof_of_work'],
  doubt: ['spam', 'doubt'],
  validation: ['fields'],
  keys: ['keys_env'],
};

const keyOf = (check: string) => keysOf[check] ?? [check];

const titleOf = (check: string) =>
  check === 'min_fill'
    ? 'Min-fill'
    : check.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());

export function Checks({ report: { form, checks } }: { readonly report: SubmissionReport }) {
  const withVerdict = (wanted: CheckReport['verdict']) => checks.filter(({ verdict }) => verdict === wanted);
  const off = withVerdict('off').map(({ check }) => keyOf(check).join('.'));
  const left = withVerdict('not_reached').map(({ check }) => titleOf(check));
  return (
    <>
      {off.length > 0 && <Stop tone="off" icon="ring" title="Not in the config:" says={off.join(', ')} />}
      {checks.map((check) => (
        <Check key={check.check} form={form} report={check} />
      ))}
      {withVerdict('ended').length > 0 && (
        <Stop
          tone="off"
          icon="ring"
          title="Not reached:"
          says={[...left, 'outputs'].join(', ').toLowerCase()}
        />
      )}
    </>
  );
}

function Check({ form, report }: { readonly form: string; readonly report: CheckReport }) {
  const { check, verdict, says, signals = [], silent = [] } = report;
  if (verdict !== 'passed' && verdict !== 'ended') return null;
  const isBot = check === 'honeypot' || check === 'min_fill';
  return (
    <Stop
      tone={verdict === 'passed' ? (signals.length > 0 ? 'warn' : 'ok') : isBot ? 'quiet' : 'warn'}
      icon={verdict === 'passed' ? 'check' : 'cross'}
      path={pathIn(form, ...keyOf(check))}
      title={titleOf(check)}
      says={says}
    >
      {signals.length + silent.length > 0 && <Signals {...{ signals, silent }} />}
    </Stop>
  );
}

/** Spam signals with their points; the longest bar is the largest signal. */
function Signals({ signals, silent }: Required<Pick<CheckReport, 'signals' | 'silent'>>) {
  const most = signals[0]?.points ?? 0;
  return (
    <table class="signals">
      {signals.map(({ signal, points, why }) => (
        <tr key={signal}>
          <th scope="row">{signal}</th>
          <td>
            <meter min={0} low={0} high={most} max={most} optimum={0} value={points} aria-hidden="true" />{' '}
            {points}
          </td>
          <td>{why}</td>
        </tr>
      ))}
      {silent.map(({ signal, why }) => (
        <tr key={signal}>
          <th scope="row">{signal}</th>
          <td>–</td>
          <td>not evaluated: {why}</td>
        </tr>
      ))}
    </table>
  );
}

interface Stopped {
  /** `off`: the step was skipped. */
  readonly tone: Tone | 'off';
  readonly icon: IconName;
  readonly title: ComponentChildren;
  /** The path of the key in the config. */
  readonly path?: Path;
  readonly says: ComponentChildren;
  /** The receiver. */
  readonly to?: string;
  readonly children?: ComponentChildren;
}

/** A step in the processing of a submission. */
export const Stop = ({ tone, icon, title, path, says, to, children }: Stopped) => (
  <li class={tone}>
    <span class="dot">
      <Icon name={icon} />
    </span>
    <p>
      {path === undefined ? <b>{title}</b> : <Key pathOf={() => path}>{title}</Key>}{' '}
      <span class="says">
        {says}
        {to && <span class="to"> → {to}</span>}
      </span>
    </p>
    {children}
  </li>
);

/** A button that shows a place in the config. `pathOf` runs on click, because the config may have changed. */
const Key = ({ pathOf, children }: { readonly pathOf: () => Path; readonly children: ComponentChildren }) => (
  <button type="button" class="key" title="Show this in the config" onClick={() => showPath(pathOf())}>
    {children}
  </button>
);

const pathIn = (form: string, ...keys: Path): Path => ['forms', form, ...keys];

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
      {isKept && note(isDelivered ? keptFirst : `${reason}; a relay queues the delivery, and retries`)}
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
    {onError === 'fail' ? 'so the submission failed' : 'so the submission still counts as accepted'}
  </p>
);

const hostOf = (target: string) => /^https?:\/\/([^/?#]+)/.exec(target)?.[1] ?? target;

const keptFirst = 'A relay queues the delivery before the answer, and delivers afterwards.';

/** A mail to the visitor. If it contains the confirmation link and is not sent, the submission fails. */
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
          {reason}; {isWaitedFor ? 'the visitor is asked to try again' : 'the visitor is not told'}
        </p>
      )}
      <SentTabs legend="Sent to the visitor" {...{ of, sent }} />
    </Stop>
  );
}

/** Lets the owner click the link in the visitor's place. */
export const Waiting = ({ link }: { readonly link: string }) => (
  <Stop tone="quiet" icon="clock" title="Outputs" says="receive the submission when the link is clicked">
    <p>
      <a class="tool" target="_blank" href={link} rel="noopener">
        <Icon name="open" /> Click the link, as the visitor does
      </a>
    </p>
  </Stop>
);
