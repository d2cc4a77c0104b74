import { signal } from '@preact/signals';
import type { Mark, Query } from '../../src/api.ts';
import { about, titleOf } from '../about.ts';
import { type Choice, choose, chooseOnly, query } from '../address.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icons.tsx';
import { beginning, dateOf, dayOf, stateWords } from '../words.ts';

const isShown = signal(false);
/** The box keeps what is typed, with its spaces, while the choice means the same. */
let typed = '';
const typedOf = (chosen = '') => (typed.trim() === chosen ? typed : chosen);

let typing: ReturnType<typeof setTimeout> | undefined;

/** Searches while a person types; one step back leads to the list before. */
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
  const { outputs = [] } = about.value ?? {};
  const { state, output, mark, unread, since, until, sender } = query.value;
  return (
    <div class="choices" id="filters">
      <label>
        State
        <select
          value={state ?? ''}
          onChange={({ currentTarget: { value } }) =>
            choose({ state: (value || undefined) as Query['state'] })
          }
        >
          <option value="">Any</option>
          {Object.entries(stateWords).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <label>
        Output
        <select
          value={output ?? ''}
          onChange={({ currentTarget: { value } }) => choose({ output: value || undefined })}
        >
          <option value="">Any</option>
          {outputs.map((type) => (
            <option key={type} value={type}>
              {type}
            </option>
          ))}
        </select>
      </label>
      <label>
        Mark
        <select
          value={mark ?? ''}
          onChange={({ currentTarget: { value } }) =>
            choose({ mark: (value || undefined) as Mark | undefined })
          }
        >
          <option value="">Any</option>
          <option value="spam">Spam</option>
          <option value="ham">Not spam</option>
        </select>
      </label>
      <label>
        Sender
        <input
          type="text"
          value={sender ?? ''}
          onChange={({ currentTarget: { value } }) => choose({ sender: value.trim() || undefined })}
        />
      </label>
      <label>
        From
        <input
          type="date"
          value={since === undefined ? '' : dayOf(since)}
          onChange={({ currentTarget: { value } }) => choose({ since: beginning(value) })}
        />
      </label>
      <label>
        To
        <input
          type="date"
          value={until === undefined ? '' : dayOf(until - 1)}
          onChange={({ currentTarget: { value } }) => choose({ until: beginning(value, 1) })}
        />
      </label>
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

function Chips() {
  const { form, state, sender, output, mark, unread, since, until, search: words } = query.value;
  const chips: [keyof Query, string][] = [];
  if (words) chips.push(['search', `“${words}”`]);
  if (form) chips.push(['form', titleOf(form)]);
  if (state) chips.push(['state', stateWords[state] ?? state]);
  if (sender) chips.push(['sender', `From ${sender}`]);
  if (output) chips.push(['output', `Output ${output}`]);
  if (mark) chips.push(['mark', mark === 'spam' ? 'Marked as spam' : 'Marked as not spam']);
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
