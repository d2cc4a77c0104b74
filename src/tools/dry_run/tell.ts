import { readBody } from '../../bodies/body.ts';
import type { Form, FormOutput } from '../../form.ts';
import type { RelayRequest, RelayResponse } from '../../http.ts';
import { say } from '../../messages/message.ts';
import type { Outcome } from '../../outcome.ts';
import { decodeSegment } from '../../url.ts';
import type { Values } from '../../values.ts';
import { tellChecks } from './checks.ts';
import type { OutputStory, Story } from './story.ts';

/** All that was seen of a submission. */
interface Seen {
  /** The request id. */
  readonly id: string;
  readonly request: RelayRequest;
  readonly receivedAt: number;
  readonly answer: RelayResponse;
  readonly outcome: Outcome;
  /** `undefined` when the config has no such form. */
  readonly form: Form | undefined;
  /** By their place in the form's `outputs`. */
  readonly outputs: readonly (OutputStory | undefined)[];
  readonly formTokenSecret: string;
  readonly notes: readonly string[];
}

/** Makes a story of it. */
export function tell(seen: Seen): Story {
  const { id, request, receivedAt, answer, outcome, form, notes } = seen;
  const body = readBody(request);
  const values: Values = body.ok ? body.value : new Map();
  const reachedOutputs = outcome.kind === 'delivered' || outcome.kind === 'undelivered';
  const outputs = form && reachedOutputs ? outputsOf(form, seen.outputs) : [];
  return {
    id,
    form: form?.id ?? nameIn(request.path),
    receivedAt,
    outcome: outcome.kind,
    says: sentence(outcome, outputs),
    answer: {
      status: answer.status,
      contentType: answer.headers['content-type'] ?? '',
      body: answer.body,
    },
    values: [...values],
    ignored: form ? ignoredNames(form, values) : [],
    checks: form && outcome.kind !== 'bad_request' ? tellChecks({ ...seen, form, values }) : [],
    outputs,
    notes,
  };
}

/** What was asked for, where there is no such form. */
function nameIn(path: string): string {
  const segment = path.slice(path.lastIndexOf('/') + 1);
  return decodeSegment(segment) ?? segment;
}

/** An output of an unregistered type has no story of its own (SPEC: Submission rules 6). */
const outputsOf = ({ outputs }: Form, stories: Seen['outputs']): readonly OutputStory[] =>
  outputs.map((output, index) => stories[index] ?? unregistered(output, index));

const unregistered = ({ type }: FormOutput, index: number): OutputStory => ({
  index,
  type,
  target: '',
  onError: 'fail',
  payload: [],
  result: 'failed',
  reason: 'no such output type',
  warnings: [],
  sent: [],
});

function sentence(outcome: Outcome, outputs: readonly OutputStory[]): string {
  switch (outcome.kind) {
    case 'delivered': {
      const failed = outputs.filter(({ result }) => result === 'failed').length;
      const taken = `to ${outputs.length - failed} of ${outputs.length} outputs`;
      return failed === 0 ? taken : `${taken}; the others say on_error: continue`;
    }
    case 'undelivered': {
      const failed = outputs.filter(({ result, onError }) => result === 'failed' && onError === 'fail');
      return `${failed.map(({ index, type }) => `outputs[${index}] (${type})`).join(', ')} did not take it`;
    }
    case 'dropped':
      return `by ${outcome.by}: ${outcome.reason}`;
    case 'invalid':
      return outcome.errors.map(({ field }) => field).join(', ');
    case 'expired':
      return 'the form had been open for longer than form_ttl';
    case 'captcha_failed':
      return outcome.reason;
    case 'bad_request':
      return say(outcome.refusal);
    case 'unknown_form':
      return 'the config has no such form';
    case 'no_config':
      return 'the config has not loaded';
    case 'no_token_secret':
      return 'FORM_TOKEN_SECRET is not set';
  }
}

function ignoredNames({ usedNames, spam, captcha }: Form, values: Values): readonly string[] {
  const ofChecks = [spam?.honeypot, spam?.minFill?.tokenField, captcha?.tokenField];
  return [...values.keys()].filter((name) => !usedNames.has(name) && !ofChecks.includes(name));
}
