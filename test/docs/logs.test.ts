/** docs/logs.md names every event and every outcome that the log can have, each once, and no other. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { logEvents } from '../../packages/relay/src/base/log_event.ts';
import type { Outcome } from '../../packages/relay/src/base/outcome.ts';
import { pathOf, read } from './papers.ts';

const page = read('docs/logs.md');
const [, outcomesPart = '', eventsPart = ''] =
  /^## How a submission ended$(.*)^## Every event$(.*)^## Tips$/ms.exec(page) ?? [];
/** The first cell of each row, sorted. */
const namedIn = (part: string) =>
  [...part.matchAll(/^\| `(\w+)` \|(?! Level)/gm)].map(([, name]) => name).toSorted();

/** Those of `Outcome`, as the compiler knows them, and the one that the log makes of deliveries that are only kept. */
const outcomes: Readonly<Record<Outcome['kind'] | 'kept', true>> = {
  bad_request: true,
  busy: true,
  captcha_failed: true,
  challenged: true,
  closed: true,
  delivered: true,
  dropped: true,
  expired: true,
  full: true,
  held: true,
  in_progress: true,
  invalid: true,
  kept: true,
  key_refused: true,
  key_reused: true,
  limited: true,
  link_needed: true,
  no_config: true,
  no_public_url: true,
  no_token_secret: true,
  not_open: true,
  origin_refused: true,
  rate_limited: true,
  registered: true,
  replayed: true,
  saved: true,
  script_needed: true,
  token_missing: true,
  uncounted: true,
  undelivered: true,
  unknown_form: true,
};

test('every event has one row', () => {
  expect(namedIn(eventsPart).filter((name) => name !== 'event')).toEqual([...logEvents].toSorted());
});

test('every outcome has one row', () => {
  expect(namedIn(outcomesPart).filter((name) => name !== 'outcome')).toEqual(
    Object.keys(outcomes).toSorted(),
  );
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
