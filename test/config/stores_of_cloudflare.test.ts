/** A config with a store that only Cloudflare Workers have loads in no other relay, however it is read. */
import { expect, onTestFinished, test } from 'vitest';
import { buildConfig } from '../../packages/relay/src/config/built/build_config.ts';
import { readBuilt } from '../../packages/relay/src/config/built/read_built.ts';
import type { ParseLarge } from '../../packages/relay/src/config/cache.ts';
import { parseInLanguages } from '../../packages/relay/src/config/parse.ts';
import { createIncrementalParser } from '../../packages/relay/src/config/parse_incrementally.ts';
import { createRelay, type RelayOptions } from '../../packages/relay/src/relay.ts';
import { startRelay } from '../support/relay.ts';

const form = `forms:
  contact:
    fields: [{name: name}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]
`;
const kept = 'keep: {in: "queue://KEPT/ASIDE"}\n';
const counted = 'counted_in: durable-object://COUNTS\n';

test('the relay is not ready, and its log says where each is and what to write', async () => {
  const relay = await startRelay({ config: `${kept}${counted}${form}` });
  onTestFinished(() => relay.close());
  expect((await relay.get('/readyz')).status).toBe(503);
  expect((await relay.submit('contact', 'name=Ada')).status).toBe(500);
  const [told] = relay.logged;
  expect([told?.level, told?.event]).toEqual(['error', 'config_invalid']);
  const words =
    'only Cloudflare Workers have this store, and a relay elsewhere does not load this config; there, write ';
  expect(told?.problems).toEqual([
    expect.stringContaining(
      `:1:13: keep.in: ${words}a folder such as /var/lib/form-relay, sqs://… or nats://…`,
    ),
    expect.stringContaining(`:2:13: counted_in: ${words}a folder such as /var/lib/form-relay, nats://`),
  ]);
});

test('a relay that runs keeps its last config', async () => {
  const texts = [form, kept + form];
  const relay = createRelay({
    env: { CACHE_TTL: '0s' },
    source: {
      name: 'webform.yaml',
      read: async () => ({ ok: true, value: texts.shift() ?? kept }),
      readBeside,
    },
    effects: { log: () => {} },
  });
  const first = await relay.config.get();
  expect(first?.forms.size).toBe(1);
  expect(await relay.config.get()).toBe(first);
  expect(relay.config.state).toBe('refresh_failed');
});

const readBeside = async () => ({ ok: false, error: 'there is none' }) as const;
const long = `${kept}${form}# ${'.'.repeat(70_000)}\n`;
const inThread: ParseLarge = async (text, file, _, read) => ({
  ok: true,
  value: await parseInLanguages(text, file, read),
});

test.each<[string, string, RelayOptions]>([
  ['small', kept + form, {}],
  ['large, in a thread', long, { parseLarge: inThread }],
  ['large, in slices', long, { parseIncrementally: createIncrementalParser() }],
  ['built', await built(kept + form), { readBuilt }],
])('the config is refused: %s', async (_, text, options) => {
  const load = async (more: RelayOptions) => {
    const texts = [form, text];
    const source = {
      name: 'webform.yaml',
      read: async () => ({ ok: true, value: texts.shift() ?? text }) as const,
      readBeside,
    };
    const events: string[] = [];
    const effects = { log: (_: string, event: string) => void events.push(event) };
    const relay = createRelay({
      env: { CACHE_TTL: '0s' },
      source,
      effects,
      triesAgain: false,
      ...options,
      ...more,
    });
    await relay.config.get();
    await relay.config.get();
    await expect.poll(() => events.filter((event) => event.startsWith('config_')).length).toBe(2);
    return events.filter((event) => event.startsWith('config_'));
  };
  expect(await load({})).toEqual(['config_loaded', 'config_invalid']);
  // On a platform with bindings, the same loads.
  expect(await load({ binding: () => ({}) })).toEqual(['config_loaded', 'config_loaded']);
});

async function built(yaml: string): Promise<string> {
  const result = await buildConfig(yaml, 'webform.yaml', readBeside);
  if (!result.ok) throw new Error(result.error.map(({ message }) => message).join());
  return result.value.text;
}
