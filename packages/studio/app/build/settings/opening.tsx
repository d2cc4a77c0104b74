/** When something is open: closed days, and hours that hold each day or by weekday. */
import type { Json, Path } from '../../../edit/index.ts';
import { ProblemList } from '../../problem.tsx';
import { isMap } from '../../schema_nodes.ts';
import { asOne, ValuesInput } from './condition.tsx';
import { type ControlProps, nameOf, put } from './controls.tsx';
import { change, focusWithin } from './draft.ts';
import { AsText, Frame } from './frame.tsx';
import { emptiest, held, words as inWords, isScalar, problemsAt } from './places.ts';
import { KeyInput, ListControl, RemoveButton } from './rows.tsx';

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const usual = '09:00-17:00';

/** The first and the last weekday of `monday-friday`; `undefined` for what is none. */
function daysIn(key: string): readonly [first: string, last: string] | undefined {
  const [, first = '', last = first] = /^([a-z]+)(?:(?: to | ?[-–] ?)([a-z]+))?$/i.exec(key) ?? [];
  const days = [first.toLowerCase(), last.toLowerCase()] as const;
  return days.every((day) => weekdays.includes(day)) ? days : undefined;
}

const keyOf = (first: string, last: string) => (first === last ? first : `${first}-${last}`);

/** The weekdays from the first to the last, which may be past Sunday. */
function between(key: string): readonly string[] {
  const [from, to] = (daysIn(key) ?? []).map((day) => weekdays.indexOf(day));
  if (from === undefined || to === undefined) return [];
  return weekdays.filter((_, day) => (from <= to ? from <= day && day <= to : from <= day || day <= to));
}

/** Boxes for the weekdays, below the list that other days are typed into. */
export function ClosedControl(props: ControlProps) {
  const { path } = props;
  const name = nameOf(props);
  const stored = held(path);
  const entries = Array.isArray(stored) ? stored.map(String) : [];
  const days = entries.map(between);
  const toggle = (day: string) => {
    const index = days.findIndex((all) => all.includes(day));
    if (index < 0 && entries.length > 0) {
      change({ do: 'insert', path, index: entries.length, value: day }, `Closed on ${day}`);
      return;
    }
    // Several weekdays in a row fall apart.
    const others = (days[index] ?? []).filter((one) => one !== day);
    if (index < 0) put(path, [day], name);
    else if (entries.length === 1 && others.length === 0) put(path, undefined, name);
    else
      change(
        [
          { do: 'remove', path: [...path, index] },
          ...others.map((value, nth) => ({ do: 'insert', path, index: index + nth, value }) as const),
        ],
        `Open on ${day}`,
      );
  };
  return (
    <ListControl
      {...props}
      placeholder="2030-12-24 to 2030-12-26"
      others={
        <span class="set-boxes">
          {weekdays.map((day) => (
            <label key={day}>
              <input type="checkbox" checked={days.flat().includes(day)} onChange={() => toggle(day)} />
              {inWords(day)}
            </label>
          ))}
        </span>
      }
    />
  );
}

/** @param hasWeek Its weekdays may differ: it asks for a day, too. */
export function HoursControl({ hasWeek, ...props }: ControlProps & { readonly hasWeek: boolean }) {
  const { path } = props;
  const stored = held(path) ?? undefined;
  const name = nameOf(props);
  if (isMap(stored)) return <Week {...props} week={stored} />;
  const perDay = () => {
    if (put(path, { 'monday-friday': stored ?? usual }, name)) focusWithin(path);
  };
  return (
    <ListControl
      {...props}
      placeholder={usual}
      others={
        hasWeek && (
          <p>
            <button type="button" onClick={perDay}>
              Other hours on some weekdays
            </button>
          </p>
        )
      }
    />
  );
}

function Week({ week, ...props }: ControlProps & { readonly week: { readonly [key: string]: Json } }) {
  const { path } = props;
  const name = nameOf(props);
  const entries = Object.entries(week);
  const taken = (but?: string) => entries.flatMap(([key]) => (key === but ? [] : between(key)));
  const next = weekdays.find((day) => !taken().includes(day));
  const [, first = usual] = entries[0] ?? [];
  const perWeek = () => {
    if (put(path, first, name)) focusWithin(path);
  };
  return (
    <Frame {...props} isGroup>
      {() => (
        <>
          <ul class="set-rows">
            {entries.map(([key, hours], index) => (
              <li key={index} class="set-row set-days">
                <Days path={[...path, key]} taken={taken(key)} />
                <OpenHours path={[...path, key]} hours={hours} />
                <RemoveButton
                  of={key}
                  onClick={() => change({ do: 'remove', path: emptiest([...path, key]) }, `Removed ${key}`)}
                />
              </li>
            ))}
          </ul>
          <p class="set-buttons">
            {next && (
              <button
                type="button"
                onClick={() => change({ do: 'set', path: [...path, next], value: usual }, `Added ${next}`)}
              >
                Add a weekday
              </button>
            )}
            <button type="button" onClick={perWeek}>
              The same hours every day
            </button>
          </p>
        </>
      )}
    </Frame>
  );
}

/** The weekdays of a row: from one to another. Those of other rows cannot be chosen. */
function Days({ path, taken }: { readonly path: Path; readonly taken: readonly string[] }) {
  const key = String(path.at(-1));
  const days = daysIn(key);
  if (!days) return <KeyInput path={path} of={`Weekdays of ${key}`} />;
  const [first, last] = days;
  const write = (next: string) => change({ do: 'rename', path, key: next }, `Renamed ${key} to ${next}`);
  const select = (label: string, day: string, chosen: (day: string) => void) => (
    <select aria-label={label} value={day} onChange={({ currentTarget: { value } }) => chosen(value)}>
      {weekdays.map((one) => (
        <option key={one} value={one} disabled={one !== day && taken.includes(one)}>
          {inWords(one)}
        </option>
      ))}
    </select>
  );
  return (
    <span class="set-from-to">
      {select(`First weekday of ${key}`, first, (day) => write(keyOf(day, first === last ? day : last)))}
      <span aria-hidden="true">to</span>
      {select(`Last weekday of ${key}`, last, (day) => write(keyOf(first, day)))}
    </span>
  );
}

function OpenHours({ path, hours }: { readonly path: Path; readonly hours: Json }) {
  const key = String(path.at(-1));
  const all = [hours ?? []].flat();
  const problems = [path, ...all.map((_, nth) => [...path, nth])].flatMap(problemsAt);
  if (!all.every(isScalar)) return <AsText path={path} />;
  return (
    <>
      <ValuesInput
        of={`Hours of ${key}`}
        hint="09:00-12:00, 13:00-17:00"
        values={all.map(String)}
        isBad={problems.length > 0}
        write={(next) => {
          if (next.length > 0) change({ do: 'set', path, value: asOne(next) }, `Changed hours of ${key}`);
        }}
      />
      <ProblemList problems={problems} />
    </>
  );
}
