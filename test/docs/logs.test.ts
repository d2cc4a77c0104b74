/** docs/logs.md lists every event and outcome of the log exactly once, and no others. */
import { read, source } from './papers.ts';

const page = read('docs/logs.md');
const [, eventsPart = ''] = page.split('\n## Every event\n');
/** The names before each entry's colon, with the levels in the next parentheses. */
const entriesIn = (part: string) =>
  [...part.matchAll(/^- (`[^:]+):/gm)].flatMap(([, head = '']) =>
    [...head.matchAll(/`(\w+)`(?=[^(]*(?:\(([a-z, ]+)\))?)/g)].map(([, name = '', levels]) => ({
      name,
      levels,
    })),
  );
const namedIn = (part: string) =>
  entriesIn(part)
    .map(({ name }) => name)
    .toSorted();

test('every event is listed once', () => {
  const named = namedIn(eventsPart);
  expect(named).toEqual([...new Set(named)]);
  const logged = [...source.matchAll(/\blog\(\s*'(?:info|warn|error)',\s*'(\w+)'/g)].map(
    ([, event]) => event,
  );
  expect(logged.length).toBeGreaterThan(40);
  expect(named).toEqual(expect.arrayContaining(logged));
  // The example in the page's first part.
  expect(named.filter((event) => event !== 'event' && !source.includes(`'${event}'`))).toEqual([]);
});

test('each event has the documented levels', () => {
  const levels = new Map<string | undefined, string>(
    entriesIn(eventsPart).flatMap(({ name, levels }) => (levels ? [[name, levels] as const] : [])),
  );
  const logged = [...source.matchAll(/'(info|warn|error)', '(\w+)', /g)].filter(([, , event = '']) =>
    levels.has(event),
  );
  expect(logged.length).toBeGreaterThan(40);
  for (const [, level, event] of logged)
    expect([event, levels.get(event)?.split(', ')]).toEqual([event, expect.arrayContaining([level])]);
});
