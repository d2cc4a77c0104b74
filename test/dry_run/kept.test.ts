/** What outputs owe, in a run that leaves nothing behind: kept, tried and delivered, as its story tells it. */
import { describe, expect, test } from 'vitest';
import { err } from '../../packages/relay/src/base/result.ts';
import { type Config, parseInLanguages } from '../../packages/relay/src/config/parse.ts';
import { createDryRun } from '../../packages/relay/src/dry_run/dry_run.ts';
import { createRelay } from '../../packages/relay/src/relay.ts';
import type { OutputStory } from '../../packages/relay/src/telling/output_story.ts';
import type { Story } from '../../packages/relay/src/telling/story.ts';

const minute = 60_000;

function stage({ form = 'keep: failed', top = 'in: /var/lib/form-relay' } = {}) {
  const stories: Story[] = [];
  const sequels: Story[] = [];
  const clock = { now: Date.UTC(2030, 0, 1) };
  let fault: string | undefined = 'refused';
  let config = `
keep: {${top}}
forms:
  contact:
    ${form}
    fields: [{name: email, type: email, required: true}]
    outputs:
      - {type: http_post, url: "https://crm.example.com/leads", mapping: "*", retries: 0}
      - {type: http_post, url: "https://hooks.example.com/", mapping: "*"}
`;
  const { settings, effects } = createRelay({
    config: '',
    env: {},
    effects: { log: () => {}, now: () => clock.now, sleep: async () => {} },
  });
  let current: Config | undefined;
  const load = async () => {
    const parsed = await parseInLanguages(config, 'webform.yaml', async () => err('no file is beside it'));
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
    current = parsed.value;
  };
  const { handle, kept } = createDryRun({
    settings,
    config: {
      sourceName: 'webform.yaml',
      state: 'fresh',
      get current() {
        return current;
      },
      get: () => current,
    },
    effects,
    onStory: (story) => stories.push(story),
    onSequel: (story) => sequels.push(story),
    faultOf: (_, output) => (output === 0 ? fault : undefined),
  });
  return {
    stories,
    sequels,
    kept,
    edit: async (change: (text: string) => string) => {
      config = change(config);
      await load();
    },
    fail: (name: string | undefined) => {
      fault = name;
    },
    send: async () => {
      if (!current) await load();
      await handle({
        method: 'POST',
        path: '/api/v1/submit/contact',
        query: '',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: Buffer.from('email=a@b.example'),
      });
      return stories.at(-1) as Story;
    },
    pushOn: async (ms: number) => {
      clock.now += ms;
      await kept.tryDue();
    },
  };
}

const first = (story: Story | undefined) => story?.outputs[0] as OutputStory;
const keyIn = (output: OutputStory) =>
  output.sent.map((sent) => sent.kind === 'http' && /idempotency-key: (\S+)/.exec(sent.bytes)?.[1]);

describe('the story of what is kept', () => {
  test('it waits, it is tried when it is due, and it is delivered', async () => {
    const at = stage();
    const story = await at.send();
    expect(story).toMatchObject({
      outcome: 'delivered',
      says: 'to 1 of 2 outputs, 1 kept',
      answer: { status: 200 },
      keep: { what: 'failed', in: '/var/lib/form-relay' },
    });
    const waiting = first(story);
    expect(waiting).toMatchObject({
      result: 'kept',
      reason: 'connect ECONNREFUSED',
      kept: { state: 'waiting', nextMs: minute, tries: [{ ageMs: 0 }] },
    });
    expect(story.outputs[1]).toMatchObject({ result: 'delivered' });
    expect(story.outputs[1]).not.toHaveProperty('kept');

    await at.pushOn(minute - 1);
    expect(at.sequels).toEqual([]);
    await at.pushOn(1);
    expect(first(at.sequels[0])).toMatchObject({
      result: 'kept',
      kept: { state: 'waiting', nextMs: 5 * minute, tries: [{ ageMs: 0 }, { ageMs: minute }] },
    });

    at.fail(undefined);
    await at.pushOn(4 * minute);
    expect(at.sequels).toHaveLength(2);
    expect(at.sequels[1]).toMatchObject({ id: story.id, says: 'to 2 of 2 outputs', answer: story.answer });
    const delivered = first(at.sequels[1]);
    expect(delivered).toMatchObject({ result: 'delivered', kept: { state: 'delivered' } });
    expect(delivered).not.toHaveProperty('reason');
    expect(delivered.kept?.tries.map(({ ageMs }) => ageMs)).toEqual([0, minute, 5 * minute]);
    expect(keyIn(delivered)).toEqual(keyIn(waiting));
    expect(at.stories).toHaveLength(1);
    await at.pushOn(24 * 60 * minute);
    expect(at.sequels).toHaveLength(2);
  });

  test('what is always kept is told before it is tried, and after', async () => {
    const at = stage({ form: 'keep: always' });
    expect(first(await at.send())).toMatchObject({
      result: 'kept',
      sent: [],
      kept: { state: 'waiting', nextMs: 0, tries: [] },
    });
    expect(at.stories[0]?.says).toBe('for 2 of 2 outputs');
    at.fail(undefined);
    await at.kept.tryDue();
    expect(at.sequels.at(-1)?.says).toBe('to 2 of 2 outputs');
    expect(first(at.sequels.at(-1))).toMatchObject({
      result: 'delivered',
      sent: [{ kind: 'http' }],
      kept: { tries: [{ ageMs: 0, reason: undefined }] },
    });
  });

  test.each([
    ['aside', { result: 'kept', kept: { state: 'aside' } }],
    ['delete', { result: 'failed', kept: { state: 'deleted' } }],
  ])('when its time is over: then: %s', async (then, told) => {
    const at = stage({ top: `in: /var/lib/form-relay, for: 10m, then: ${then}` });
    await at.send();
    for (const minutes of [1, 4, 10]) await at.pushOn(minutes * minute);
    expect(first(at.sequels.at(-1))).toMatchObject(told);
    expect(first(at.sequels.at(-1)).kept).not.toHaveProperty('nextMs');
    expect(await at.kept.nextAfter(0)).toBeUndefined();
  });

  test('what waits for its owner is tried when they ask for it', async () => {
    const at = stage({ top: 'in: /var/lib/form-relay, for: 1m' });
    const { kept } = first(await at.send());
    await at.pushOn(minute);
    expect(first(at.sequels[0]).kept?.state).toBe('aside');
    at.fail(undefined);
    await at.pushOn(minute);
    expect(at.sequels).toHaveLength(1);
    await at.kept.retry('another');
    await at.kept.retry(kept?.id ?? '');
    expect(first(at.sequels[1])).toMatchObject({ result: 'delivered' });
    await at.kept.retry(kept?.id ?? '');
    expect(at.sequels).toHaveLength(2);
  });

  test('a config that was mended is the one that is delivered with', async () => {
    const at = stage();
    await at.send();
    await at.edit((text) => text.replace('crm.example.com/leads', 'crm.example.com/v2/leads'));
    at.fail(undefined);
    await at.pushOn(minute);
    const told = first(at.sequels.at(-1));
    expect(told.result).toBe('delivered');
    expect(told.kept?.tries).toHaveLength(2);
  });

  test('what is forgotten is not tried', async () => {
    const at = stage();
    await at.send();
    expect(await at.kept.nextAfter(0)).toBe(Date.UTC(2030, 0, 1) + minute);
    await at.kept.forget();
    expect(await at.kept.nextAfter(0)).toBeUndefined();
    await at.pushOn(minute);
    expect(at.sequels).toEqual([]);
  });
});
