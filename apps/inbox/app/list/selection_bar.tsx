import { about } from '../about.ts';
import { query } from '../address.ts';
import { actionsOf, actionWords, mayActOnAll, planRun } from '../attention/attention.tsx';
import type { RunPlan } from '../attention/run.ts';
import { dialog } from '../dialogs/dialog.tsx';
import { toggleDone } from '../message/work_now.ts';
import { counted, number } from '../words.ts';
import { hasMore, mostRows, total, trouble } from './entries.ts';
import { clear, permitted, readAll, readSelected, running, selectAll, selected } from './selection.ts';

/** How many there are, and what can be done with several at once. */
export function SelectionBar() {
  const isBusy = running.value !== undefined;
  const isAny = selected.value.size > 0;
  const button = (label: string, onClick: () => unknown, more = '') => (
    <button type="button" class={`tool ${more}`} disabled={isBusy} onClick={() => void onClick()}>
      {label}
    </button>
  );
  const erasable = permitted('erase');
  return (
    <div class="selection">
      <p class="sum aside" role="status">
        {sumOf()}
      </p>
      {isAny ? (
        <fieldset aria-label="Selected submissions">
          {button('Read', () => readSelected(true))}
          {button('Unread', () => readSelected(false))}
          {about.value?.work && permitted('act').length > 0 && (
            <>
              {button('Done', toggleDone)}
              {button('Label', () => (dialog.value = { kind: 'labels' }))}
              {button('Assign', () => (dialog.value = { kind: 'assign' }))}
            </>
          )}
          {actionsOfSelected().map((plan) => button(actionWords(plan.request), () => planRun(plan)))}
          {button('Export', () => (dialog.value = { kind: 'export', ids: [...selected.peek().keys()] }))}
          {erasable.length > 0 &&
            button(
              'Delete',
              () => (dialog.value = { kind: 'delete', entries: erasable, of: selected.peek().size }),
              'danger',
            )}
          {button('Select none', clear)}
        </fieldset>
      ) : (
        total.value !== undefined &&
        total.value > 0 && (
          <fieldset aria-label="All submissions of the list">
            {mayActOnAll() &&
              !hasMore.value &&
              actionsOf(query.value).map((request) =>
                button(`${actionWords(request)}: all ${number(total.value ?? 0)}`, () =>
                  planRun({ request, count: total.peek() ?? 0, form: query.peek().form }),
                ),
              )}
            {button('Select all', selectAll)}
            {hasUnread() && button('Mark all as read', readAll)}
          </fieldset>
        )
      )}
    </div>
  );
}

/** Actions on the selected submissions. */
function actionsOfSelected(): readonly RunPlan[] {
  const all = permitted('act');
  const plan = (request: RunPlan['request'], some = all): readonly RunPlan[] => {
    const form = some[0]?.form;
    return some.length > 0 ? [{ request, ids: some.map(({ id }) => id), count: some.length, form }] : [];
  };
  const isOneForm = new Set(all.map(({ form }) => form)).size === 1;
  return [
    ...plan(
      { action: 'deliver' },
      all.filter(({ state }) => state === 'kept'),
    ),
    ...plan(
      { action: 'restore' },
      all.filter(({ state }) => state === 'dropped'),
    ),
    ...plan({ action: 'mark', mark: 'spam' }),
    ...plan({ action: 'mark', mark: 'ham' }),
    ...(isOneForm
      ? plan(
          { action: 'again', output: 0 },
          all.filter(({ isSealed }) => !isSealed),
        )
      : []),
  ];
}

function sumOf(): string {
  const { done, of } = running.value ?? { done: 0, of: 0 };
  if (of > 1) return `${number(done)} of ${number(of)}…`;
  if (selected.value.size > 0) return `${number(selected.value.size)} selected`;
  if (total.value === undefined) return trouble.value ? '' : 'Loading…';
  const sum = `${hasMore.value ? 'More than ' : ''}${counted(total.value, 'submission')}`;
  return total.value > mostRows ? `${sum}, of which the newest ${number(mostRows)} are listed` : sum;
}

const hasUnread = () =>
  about.value?.forms.some(({ id, unread }) => unread > 0 && (query.value.form ?? id) === id) === true;
