import { Button, Icon, type IconName } from '@form-relay/ui/controls';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Reason, RunRequest, Standing } from '../../src/api.ts';
import { about, may, titleOf } from '../about.ts';
import { type Choice, choose, chooseOnly, isFormsOpen, page, paramsOf, query } from '../address.ts';
import { ask, wordsOf } from '../ask.ts';
import { Confirm, Dialog, dialog } from '../dialogs/dialog.tsx';
import { painted } from '../list/entries.ts';
import { counted, number, shortTime, standingWords, weekdayOf } from '../words.ts';
import { cancelRun, closeRun, type RunPlan, run, runInWords, startRun, undoRun } from './run.ts';

/** The sets that need a look, the most urgent first, and what each is. */
const sets = {
  failed: ['alert', 'These deliveries failed, and the relay does not retry them.'],
  waiting: ['clock', 'The relay retries these automatically.'],
  dropped: ['slash', 'Spam checks rejected these. Visitors were not told.'],
  doubted: ['help', 'These look like spam, but not enough to be rejected.'],
} as const satisfies Partial<Record<Standing, readonly [IconName, string]>>;
type Set = keyof typeof sets;
const names = Object.keys(sets) as readonly Set[];

/** Only those that nobody marked need a look. */
export const setOf = (state: Set): Choice => (state === 'dropped' ? { state, mark: 'none' } : { state });

export const attention = (state: Set): number =>
  about.value?.forms.reduce((sum, form) => sum + form.attention[state], 0) ?? 0;

/** On top of the list of forms. */
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

/** Above the list of such a set: why, and what helps. */
export function Reasons() {
  const { state } = query.value;
  const reasons = useSignal<readonly Reason[]>([]);
  const trouble = useSignal('');
  const asked = paramsOf(query.value).toString();
  useEffect(() => {
    if (!isSet(state)) return undefined;
    const stop = new AbortController();
    ask<{ reasons: readonly Reason[] }>(`/api/reasons?${asked}`, { signal: stop.signal }).then(
      (got) => {
        reasons.value = got.reasons;
        trouble.value = '';
      },
      (error: unknown) => {
        if (!stop.signal.aborted) trouble.value = wordsOf(error);
      },
    );
    return () => stop.abort();
  }, [asked, painted.value]);
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
              {state === 'failed' && ' Then deliver them now.'}
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

/** The run of this person, on top of the page. */
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
    'Delivers them even if the receiver already has them, with new keys that mark them as repeats. A delivery cannot be undone.',
  ],
  restore: [
    'Restore',
    '',
    'The relay delivers these submissions as usual and marks them as not spam. Sent mail cannot be recalled.',
  ],
} as const;

/** Says what a run does before it begins. */
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
        <fieldset class="options">
          <legend>Output</legend>
          {outputs.map((words, index) => (
            <label key={index}>
              <input
                type="radio"
                name="output"
                checked={output.value === index}
                onChange={() => (output.value = index)}
              />
              <bdi>{words}</bdi>
            </label>
          ))}
        </fieldset>
      )}
      <Confirm words={words} onGo={go} />
    </Dialog>
  );
}

/** Whether the person may act on some of the choice. */
export const mayActOnAll = (): boolean =>
  about.value?.forms.some(({ id }) => (query.value.form ?? id) === id && may('act', id)) ?? false;

export const actionWords = (request: RunRequest): string =>
  request.action === 'mark'
    ? request.mark === 'spam'
      ? 'Spam'
      : 'Not spam'
    : { deliver: 'Deliver now', again: 'Deliver again', restore: 'Restore' }[request.action];

/** Marks can be taken back, and are made at once. */
export function planRun(plan: RunPlan): void {
  if (plan.request.action === 'mark') void startRun(plan.request, plan.ids);
  else dialog.value = { kind: 'run', plan };
}

/** Actions that help a whole set, the likeliest first. */
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
