import { Button, Icon, type IconName } from '@form-relay/ui/controls';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Reason, RunRequest, Standing } from '../../src/api.ts';
import { about, may, titleOf } from '../about.ts';
import { type Choice, choose, chooseOnly, isFormsOpen, page, paramsOf, query } from '../address.ts';
import { ask, wordsOf } from '../ask.ts';
import { Confirm, Dialog, dialog, Radios } from '../controls.tsx';
import { painted } from '../list/entries.ts';
import { counted, number, shortTime, standingWords, weekdayOf } from '../words.ts';
import { cancelRun, closeRun, type RunPlan, run, runInWords, startRun, undoRun } from './run.ts';

/** States that need attention, the most urgent first, each with its icon and explanation. */
const sets = {
  failed: ['alert', 'These deliveries failed, and the relay does not retry them.'],
  waiting: ['clock', 'The relay retries these deliveries automatically.'],
  dropped: ['slash', 'Spam checks rejected these submissions. Most visitors were not told.'],
  doubted: ['help', 'These submissions look like spam, but not enough to be rejected.'],
} as const satisfies Partial<Record<Standing, readonly [IconName, string]>>;
type Set = keyof typeof sets;
const names = Object.keys(sets) as readonly Set[];

/** Dropped submissions need attention only while they are unmarked. */
export const setOf = (state: Set): Choice => (state === 'dropped' ? { state, mark: 'none' } : { state });

export const attention = (state: Set): number =>
  about.value?.forms.reduce((sum, form) => sum + form.attention[state], 0) ?? 0;

export function Attention() {
  const some = names.filter((name) => attention(name) > 0);
  if (about.value === undefined) return null;
  return (
    <section aria-labelledby="attention">
      <h2 class="side-title" id="attention">
        Needs attention
      </h2>
      {some.length === 0 && (
        <p class="calm">
          <Icon name="check" />
          Nothing
        </p>
      )}
      <ul>
        {some.map((name) => (
          <li key={name}>
            <Button
              class={`form-line attention ${name}`}
              aria-current={query.value.state === name ? 'true' : undefined}
              onClick={() => {
                isFormsOpen.value = false;
                page.value = undefined;
                chooseOnly(setOf(name));
              }}
            >
              <Icon name={sets[name][0]} />
              <span>{standingWords[name]}</span>
              <span class="count">
                <b>{number(attention(name))}</b>
              </span>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const isSet = (state: Choice['state']): state is Set => names.some((name) => name === state);

/** Shown above such a list: the reasons, and what helps. */
export function Reasons() {
  const { state } = query.value;
  const reasons = useSignal<readonly Reason[]>([]);
  const trouble = useSignal('');
  const choice = paramsOf(query.value).toString();
  useEffect(() => {
    if (!isSet(state)) return undefined;
    const stop = new AbortController();
    ask<{ reasons: readonly Reason[] }>(`/api/reasons?${choice}`, { signal: stop.signal }).then(
      (got) => {
        reasons.value = got.reasons;
        trouble.value = '';
      },
      (error: unknown) => {
        if (!stop.signal.aborted) trouble.value = wordsOf(error);
      },
    );
    return () => stop.abort();
  }, [choice, painted.value]);
  if (!isSet(state)) return null;
  return (
    <section class="reasons" aria-label={`Why: ${standingWords[state]}`}>
      <p>{sets[state][1]}</p>
      {trouble.value && <p class="reason">{trouble.value}</p>}
      <ul>
        {reasons.value.map((one) => (
          <li key={`${one.form} ${one.reason} ${one.says}`}>
            <p>
              <b>{sinceOf(one)}.</b> {one.remedy}
              {one.until !== undefined && `; the relay retries until ${weekdayOf(one.until)}`}.
              {state === 'failed' && ' Then choose Deliver now.'}
            </p>
            <Button
              aria-pressed={query.value.reason === one.reason}
              onClick={() =>
                choose({ reason: query.value.reason === one.reason ? undefined : one.reason || undefined })
              }
            >
              {number(one.count)}
              <span class="unseen"> with this reason</span>
            </Button>
            {(about.value?.forms.length ?? 0) > 1 && !query.value.form && (
              <bdi class="aside">{titleOf(one.form)}</bdi>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const sinceOf = ({ says, since }: Reason) =>
  since === undefined ? says : `${says} since ${shortTime(since)}`;

export function RunNotice() {
  const now = run.value;
  if (!now) return null;
  const { state, of, done, failed, left, reasons, canUndo } = now;
  const isBad = failed + left > 0 && state !== 'running';
  return (
    <section class={`notice run ${isBad ? 'warn' : 'quiet'}`} aria-label="Work on several submissions">
      <p id="run" role={state === 'running' ? undefined : 'status'}>
        {runInWords(now)}
      </p>
      {state === 'running' ? (
        <>
          <progress aria-labelledby="run" value={done + failed} max={of} />
          <Button onClick={() => void cancelRun()}>Cancel</Button>
        </>
      ) : (
        <>
          {canUndo && (
            <Button onClick={() => void undoRun()}>
              <Icon name="undo" />
              Undo
            </Button>
          )}
          <Button onClick={() => void closeRun()}>Close</Button>
        </>
      )}
      {reasons.length > 0 && (
        <ul class="notes">
          {reasons.map(({ words, count }) => (
            <li key={words}>
              {number(count)} × {words}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const asks = {
  deliver: [
    'Deliver',
    'now',
    'Delivers each submission to every output that has not received it. A delivery cannot be undone.',
  ],
  again: [
    'Deliver',
    'again',
    'Delivers each submission even if the receiver already has it, with a new key that marks it as a repeat. A delivery cannot be undone.',
  ],
  restore: [
    'Restore',
    '',
    'The relay delivers these submissions as usual and marks them as not spam. Sent mail cannot be recalled.',
  ],
} as const;

export function AskRun({ request, ids, count, form }: RunPlan) {
  const { action } = request;
  const output = useSignal(0);
  if (action === 'mark') return null;
  const [verb, how, means] = asks[action];
  const { outputs = [] } = about.value?.forms.find(({ id }) => id === form) ?? {};
  const words = `${verb} ${counted(count, 'submission')}${how && ` ${how}`}`;
  const go = () => startRun(action === 'again' ? { action, output: output.value } : request, ids);
  return (
    <Dialog title={`${words}?`}>
      <p>{means}</p>
      <p>
        Submissions are processed one by one. You can cancel at any time, or close this page. If an output
        fails many times in a row, the rest is skipped.
      </p>
      {action === 'again' && (
        <Radios
          legend="Output"
          of={output}
          options={outputs.map((words, index) => [index, <bdi key={index}>{words}</bdi>])}
        />
      )}
      <Confirm words={words} onGo={go} />
    </Dialog>
  );
}

export const mayActOnAll = (): boolean =>
  about.value?.forms.some(({ id }) => (query.value.form ?? id) === id && may('act', id)) ?? false;

export const actionWords = (request: RunRequest): string =>
  request.action === 'mark'
    ? request.mark === 'spam'
      ? 'Spam'
      : 'Not spam'
    : { deliver: 'Deliver now', again: 'Deliver again', restore: 'Restore' }[request.action];

/** Marks can be undone, so they need no confirmation. */
export function planRun(plan: RunPlan): void {
  if (plan.request.action === 'mark') void startRun(plan.request, plan.ids);
  else dialog.value = <AskRun {...plan} />;
}

/** Actions for a whole set, the likeliest first. */
export const actionsOf = ({ state, form }: Choice): readonly RunRequest[] => {
  const again = form === undefined ? [] : [{ action: 'again', output: 0 } as const];
  switch (state) {
    case 'failed':
    case 'waiting':
      return [{ action: 'deliver' }];
    case 'dropped':
      return [{ action: 'restore' }, { action: 'mark', mark: 'spam' }];
    case 'doubted':
      return [{ action: 'mark', mark: 'ham' }, { action: 'mark', mark: 'spam' }, ...again];
    case 'delivered':
      return again;
    default:
      return [];
  }
};
