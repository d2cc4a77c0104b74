import { Button, Icon, Options } from '@form-relay/ui/controls';
import { signal } from '@preact/signals';
import type { Query, View } from '../../src/api.ts';
import { about, titleOf } from '../about.ts';
import { type Choice, choiceIn, choose, chooseOnly, isFormsOpen, paramsOf, query } from '../address.ts';
import { dialog } from '../controls.tsx';
import { removeView, SaveView } from '../dialogs/pick.tsx';
import { beginning, dateOf, dayOf, standingWords, stateWords } from '../words.ts';

const isShown = signal(false);
/** Keeps the text as typed, with its spaces, while it means the same search. */
let typed = '';
const typedOf = (chosen = '') => (typed.trim() === chosen ? typed : chosen);

let typing: ReturnType<typeof setTimeout> | undefined;

/** Searches as the person types; the whole search is one step in the browser's history. */
function search(text: string): void {
  typed = text;
  clearTimeout(typing);
  typing = setTimeout(() => {
    const before = query.peek().search;
    choose({ search: text.trim() || undefined } as Choice, before === undefined);
  }, 150);
}

export function Filters() {
  return (
    <search class="filters">
      <div class="search-line">
        <label class="search-field">
          <span class="unseen">Search</span>
          <Icon name="search" />
          <input
            id="search"
            type="search"
            placeholder="Search"
            maxLength={1000}
            value={typedOf(query.value.search)}
            onInput={(event) => search(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur();
            }}
          />
        </label>
        <Button
          aria-expanded={isShown.value}
          aria-controls="filters"
          onClick={() => (isShown.value = !isShown.value)}
        >
          Filters
        </Button>
      </div>
      {isShown.value && <Choices />}
      <Chips />
    </search>
  );
}

function Choices() {
  const { unread, since, until } = query.value;
  const work = about.value?.work;
  return (
    <div class="choices" id="filters">
      <Choose label="State" name="state" options={Object.entries(standingWords)} />
      <Choose label="Mark" name="mark" options={Object.entries(markWords)} />
      {work && (
        <>
          <Choose label="Status" name="work" options={Object.entries(workWords)} />
          <Choose label="Label" name="label" options={work.labels.map(({ name }) => [name, name])} />
          <Choose
            label="Assigned to"
            name="assigned"
            options={[['-', 'Nobody'], ...work.people.map((name) => [name, name] as const)]}
          />
        </>
      )}
      <Day label="From" at={since} onDay={(day) => choose({ since: beginning(day) })} />
      <Day label="To" at={until && until - 1} onDay={(day) => choose({ until: beginning(day, 1) })} />
      <label class="check">
        <input
          type="checkbox"
          checked={unread ?? false}
          onChange={({ currentTarget: { checked } }) => choose({ unread: checked || undefined })}
        />
        Unread only
      </label>
    </div>
  );
}

const workWords = { open: 'Open', done: 'Done' } as const;
const markWords: Readonly<Record<NonNullable<Query['mark']>, string>> = {
  spam: 'Spam',
  ham: 'Not spam',
  none: 'Not marked',
};

interface ChooseProps {
  readonly label: string;
  readonly name: 'state' | 'mark' | 'work' | 'label' | 'assigned';
  readonly options: readonly (readonly [value: string, words: string])[];
}

const Choose = ({ label, name, options }: ChooseProps) => (
  <label>
    {label}
    <select
      value={query.value[name] ?? ''}
      onChange={({ currentTarget: { value } }) => choose({ [name]: value || undefined })}
    >
      <option value="">Any</option>
      <Options of={options} />
    </select>
  </label>
);

interface DayProps {
  readonly label: string;
  readonly at: number | undefined;
  readonly onDay: (day: string) => void;
}

const Day = ({ label, at, onDay }: DayProps) => (
  <label>
    {label}
    <input
      type="date"
      value={at === undefined ? '' : dayOf(at)}
      onChange={({ currentTarget: { value } }) => onDay(value)}
    />
  </label>
);

function Chips() {
  const { form, state, mark, reason, unread, since, until, search: words } = query.value;
  const { label, assigned, work } = query.value;
  const chips: [keyof Query, string][] = [];
  if (words) chips.push(['search', `“${words}”`]);
  if (form) chips.push(['form', titleOf(form)]);
  if (state) chips.push(['state', stateWords[state] ?? state]);
  if (mark)
    chips.push([
      'mark',
      mark === 'none' ? 'Not marked' : `Marked as ${mark === 'spam' ? 'spam' : 'not spam'}`,
    ]);
  if (reason) chips.push(['reason', reason]);
  if (work) chips.push(['work', workWords[work]]);
  if (label) chips.push(['label', label]);
  if (assigned) chips.push(['assigned', assigned === '-' ? 'Unassigned' : `Assigned to ${assigned}`]);
  if (unread) chips.push(['unread', 'Unread']);
  if (since !== undefined) chips.push(['since', `From ${dateOf(since)}`]);
  if (until !== undefined) chips.push(['until', `To ${dateOf(until - 1)}`]);
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters in use">
      {chips.map(([name, label]) => (
        <li key={name}>
          <Button class="chip" onClick={() => choose({ [name]: undefined })}>
            <bdi>{label}</bdi>
            <Icon name="cross" />
            <span class="unseen">Remove this filter</span>
          </Button>
        </li>
      ))}
      {about.value?.work && (
        <li>
          <Button class="chip plain" onClick={() => (dialog.value = <SaveView />)}>
            Save view
          </Button>
        </li>
      )}
      {chips.length > 1 && (
        <li>
          <Button class="chip plain" onClick={() => chooseOnly({})}>
            Remove all
          </Button>
        </li>
      )}
    </ul>
  );
}

// Saved views: filters with a name, below the forms.

const keyOf = (choice: string) => [...new URLSearchParams(choice)].map(String).sort().join('\n');

export function openView({ query: saved }: View): void {
  isFormsOpen.value = false;
  chooseOnly(choiceIn(new URLSearchParams(saved)));
}

export function Views() {
  const { views = [] } = about.value?.work ?? {};
  if (views.length === 0) return null;
  const now = keyOf(String(paramsOf(query.value)));
  return (
    <section class="views" aria-labelledby="views">
      <h3 id="views">Views</h3>
      <ul>
        {views.map((view) => (
          <li key={view.nth}>
            <Button
              class="form-line"
              aria-current={keyOf(view.query) === now ? 'true' : undefined}
              onClick={() => openView(view)}
            >
              <bdi title={view.name}>{view.name}</bdi>
              {view.isShared && <span class="tag">shared</span>}
            </Button>
            {view.isOwn && (
              <Button
                class="tool quiet"
                aria-label={`Remove the view ${view.name}`}
                onClick={() => void removeView(view.nth)}
              >
                <Icon name="cross" />
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
