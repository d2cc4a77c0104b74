import { createHash } from 'node:crypto';
import {
  type Effects,
  type Form,
  parseQuery,
  parseUrlencoded,
  type RelayRequest,
  type RelayResponse,
} from '@form-relay/relay/base';
import type { Settings } from '@form-relay/relay/schema';
import type { FormTest, LookEffects, TestReport } from '@form-relay/relay/send_test';
import { answer, nothing } from './answers.ts';
import { isOwnPage } from './guard.ts';
import type { LiveConfig } from './live_config.ts';
import type { TestAnswer, TestPlan } from './test_state.ts';
import { makeTest } from './test_values.ts';

export interface TestsOptions {
  readonly settings: Settings;
  /** Those that really send. */
  readonly effects: Effects & LookEffects;
  /** `false`: it shows where a test would go, and sends none. */
  readonly isLive: boolean;
}

/** Answers requests to `/studio/test`. */
export type AnswerTest = (request: RelayRequest, config: LiveConfig) => Promise<RelayResponse>;

/** Sends tests of forms through their real outputs, for the studio's page alone, and only what it has shown before. */
export function createTests({ settings, effects, isLive }: TestsOptions): AnswerTest {
  const prepare = async (asked: Asked, config: LiveConfig): Promise<Prepared> => {
    const form = config.current?.forms.get(asked.form);
    if (!form) return { says: 'there is no such form' };
    if (config.state !== 'fresh') return { says: 'the config has a mistake: correct it first', form };
    const test = await makeTest(form, { to: asked.to }, { settings, effects });
    return test.ok ? { form, test: test.value } : { form, says: test.error };
  };
  const plan = async (asked: Asked, config: LiveConfig): Promise<TestPlan> => {
    const { test, says } = await prepare(asked, config);
    const report = await test?.plan();
    const refusal = says ?? (isLive ? undefined : notLive);
    return { refusal, report, key: report ? keyOf(report) : '' };
  };
  const send = async (asked: Asked, config: LiveConfig): Promise<TestAnswer> => {
    if (!isLive) return { refusal: notLive };
    const { test, says = '' } = await prepare(asked, config);
    if (!test) return { refusal: says };
    if (keyOf(await test.plan()) !== asked.key) return { refusal: changed };
    return { report: await test.send() };
  };
  return async (request, config) => {
    if (request.method !== 'POST') return json(await plan(askedIn(parseQuery(request.query)), config));
    // A page of another server on this machine must not make the studio send.
    if (!isOwnPage(request)) return nothing(404);
    const sent = await send(askedIn(parseUrlencoded(request.body ?? new Uint8Array())), config);
    return json(sent, 'report' in sent ? 200 : 409);
  };
}

interface Asked {
  readonly form: string;
  readonly to: string | undefined;
  readonly key: string;
}

/** `says`: why there is no test. */
interface Prepared {
  readonly form?: Form;
  readonly test?: FormTest;
  readonly says?: string;
}

function askedIn(values: ReadonlyMap<string, readonly string[]> | undefined): Asked {
  const first = (name: string) => values?.get(name)?.[0]?.trim() ?? '';
  return { form: first('form'), to: first('to') || undefined, key: first('key') };
}

const notLive = 'this studio sends nothing: it runs without --live';
const changed = 'the config was changed meanwhile: look again where the test goes';

/** The same for the same plan, whatever its times. */
const keyOf = (report: TestReport): string =>
  createHash('sha256').update(JSON.stringify(report)).digest('base64url');

const json = (value: TestPlan | TestAnswer, status = 200) =>
  answer('application/json', JSON.stringify(value), {}, status);
