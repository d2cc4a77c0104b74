/** docs/logs.md names every event and every outcome that the log can have, each once, and no other. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { logEvents } from '../../packages/relay/src/base/log_event.ts';
import { pathOf, read } from './papers.ts';

const page = read('docs/logs.md');
const [, , eventsPart = ''] =
  /^## How a submission ended$(.*)^## Every event$(.*)^## Tips$/ms.exec(page) ?? [];
/** The first cell of each row, sorted. */
const namedIn = (part: string) =>
  [...part.matchAll(/^\| `(\w+)` \|(?! Level)/gm)].map(([, name]) => name).toSorted();

test('every event has one row', () => {
  expect(namedIn(eventsPart).filter((name) => name !== 'event')).toEqual([...logEvents].toSorted());
});

const source = readdirSync(pathOf('packages'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('/log_event.ts'))
  .map((path) => readFileSync(pathOf(`packages/${path}`), 'utf8'))
  .join('\n');

test('each event has the levels that its row names', () => {
  const levels = new Map(
    [...eventsPart.matchAll(/^\| `(\w+)` \| ([a-z, ]+) \|/gm)].map(([, event, level]) => [event, level]),
  );
  const logged = [...source.matchAll(/'(info|warn|error)', '(\w+)', /g)].filter(([, , event = '']) =>
    levels.has(event),
  );
  expect(logged.length).toBeGreaterThan(40);
  for (const [, level, event] of logged)
    expect([event, levels.get(event)?.split(', ')]).toEqual([event, expect.arrayContaining([level])]);
});

test('every event of the list is logged by something', () => {
  expect(logEvents.filter((event) => !source.includes(`'${event}'`))).toEqual([]);
});
