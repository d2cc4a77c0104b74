/** `accept_undeclared`: a form accepts fields that its config does not declare. */

import { maxValueBytes, withoutEmpty } from '@form-relay/base/values';
import { outputExtension } from '@form-relay/core/extensions';
import type { Outcome, Plugin, Submission } from '@form-relay/core/index';
import { invalid } from '@form-relay/core/pipeline/validate';
import { feature } from '@form-relay/core/plugin';
import { guard, refused } from '@form-relay/core/submission';
import { boolean } from '@form-relay/schema/scalars';
import { withDefault } from '@form-relay/schema/schema';

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly accept_undeclared: (name: string) => boolean;
  }
}

const mostNames = 100;
/** Per name. */
const mostValues = 100;
/** In bytes. */
const mostOfName = 200;

/** Rejects more than the form accepts. A body has at most 64 KB of text, so there is no limit for the total. */
function tooMuch(submission: Submission, isTaken: (name: string) => boolean): Outcome | undefined {
  // Ignores empty values, because browsers send every empty control.
  const others = [...submission.sent].filter(([name, all]) => isTaken(name) && withoutEmpty(all).length > 0);
  if (others.length > mostNames || others.some(([, all]) => all.length > mostValues)) {
    // Otherwise, the form that is shown again would contain them.
    submission.sent = new Map([...submission.sent].filter(([name]) => !isTaken(name)));
    return refused(422, 'too_many_undeclared');
  }
  const isLong = (text: string, most: number) => Buffer.byteLength(text) > most;
  const long = others.filter(
    ([name, all]) => isLong(name, mostOfName) || all.some((value) => isLong(value, maxValueBytes)),
  );
  return long.length > 0 ? invalid(long.map(([field]) => ({ field, code: 'too_many_bytes' }))) : undefined;
}

const acceptUndeclared = feature({
  name: 'accept_undeclared',
  before: ['captcha'],
  keys: {
    form: {
      accept_undeclared: withDefault(
        'false',
        'Accepts undeclared fields as text, also for `mapping: "*"`: at most 100, each with 100 values of 10,000 bytes. Names have at most 200 bytes and don’t begin with `_`. Exceeding a limit causes a 422.',
        boolean(),
      ),
    },
  },
  configure: ({ form: { accept_undeclared: isOn }, fields }) => {
    if (!isOn) return undefined;
    const declared = new Set(fields.map(({ name }) => name));
    const parts = fields.flatMap(({ name, inputs }) => (inputs ? `${name}.` : []));
    // Programs start their own names with `_`, as the relay does.
    const isTaken = (name: string) =>
      !/^_|^$|[\0-\x1f\x7f-\x9f]/.test(name) &&
      !declared.has(name) &&
      !parts.some((part) => name.startsWith(part));
    return {
      provides: isTaken,
      takesUndeclared: isTaken,
      beforeValidation: guard((submission) =>
        tooMuch(submission, submission.form.takesUndeclared ?? isTaken),
      ),
    };
  },
});

/** Outputs that send all fields add these after the others, in the order in which they were sent. */
const sendUndeclared = outputExtension({
  name: 'accept_undeclared',
  keys: {},
  configure: ({ output: { mapping }, provided }) => {
    const isTaken = provided.get('accept_undeclared');
    if (!isTaken || mapping instanceof Map) return undefined;
    return {
      wrapTransport: (inner) => ({
        ...inner,
        send: (delivery, call) => {
          const others = [...delivery.values].map(([name, all]) => [name, withoutEmpty(all)] as const);
          const undeclared = new Map(others.filter(([name, all]) => all.length > 0 && isTaken(name)));
          // A static value overrides an undeclared one.
          const added = mapping === '*' ? undeclared : [];
          const payload = [...new Map([...delivery.payload, ...added, ...delivery.payload])];
          return inner.send({ undeclared, ...delivery, payload }, call);
        },
      }),
    };
  },
});

export const plugin: Plugin = {
  name: 'accept_undeclared',
  features: [acceptUndeclared],
  outputExtensions: [sendUndeclared],
  messages: {
    en: {
      too_many_undeclared: 'This form accepts at most 100 fields. Leave some out.',
    },
  },
};
