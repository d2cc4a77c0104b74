/** Stops before the outputs: what came, and what each check said of it. */

import type { CheckReport, SubmissionReport } from '@form-relay/dry-run/report';
import type { Path } from '../../edit/model.ts';
import { isMap, listOf, valueAt } from '../schema_nodes.ts';
import { config } from '../store.ts';
import { PayloadTable } from './bytes.tsx';
import { Key, pathIn, Stop } from './stop.tsx';

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

/** The fields themselves, if the config has no such field any more. */
function pathOfField(form: string, name: string): Path {
  const fields = listOf(valueAt(pathIn(form, 'fields'), config.peek().value));
  const index = fields.findIndex((field) => isMap(field) && field.name === name);
  return pathIn(form, 'fields', ...(index < 0 ? [] : [index]));
}

/** Keys in a form of features that are called otherwise, or stand in a block of it. */
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
          says={[...left, 'Outputs'].join(', ').toLowerCase()}
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

/** Signals of doubt with their points; the longest bar is the largest of them. */
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
          <td>says nothing: {why}</td>
        </tr>
      ))}
    </table>
  );
}
