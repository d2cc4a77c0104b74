/** `pattern`: a regular expression that the whole value must match, in linear time. */
import type { Plugin, Submission } from '@form-relay/core/index';
import {
  feature,
  fieldExtension,
  guard,
  isTooLong,
  optional,
  refused,
  textParam,
  textSchema,
  visibleFields,
  withLineFeeds,
  withoutEmpty,
  withoutLinks,
} from '@form-relay/core/kit';
import type { Steps } from './automaton.ts';
import { Pattern, readPattern, stepsOnLoop } from './pattern.ts';
import type { MatchPatterns, PatternThread, Verdict } from './thread.ts';

declare module '@form-relay/core/services' {
  interface Services {
    /** Replaces the thread, where a platform has none. */
    readonly matchPatterns?: MatchPatterns;
  }
}

const types = ['text', 'email', 'url', 'tel', 'textarea'];

const keys = {
  pattern: optional(
    'A regular expression, as in HTML (with the `v` flag), that the whole value must match. Avoid repetition inside repetition, such as `(a+)+`: matching it can take very long.',
    textSchema<Pattern>(
      (source, at) =>
        readPattern(source) ??
        at.error('this is not a regular expression that browsers accept (HTML uses the v flag)'),
      { title: 'regular expression', type: ['string', 'number'] },
    ),
  ),
};

/** What a submission's patterns may still cost, and what a thread found about values that cost more. */
interface Progress {
  readonly steps: Steps;
  readonly verdicts: Map<string, Verdict>;
}

const progressKey = Symbol('patterns');

function progressOf(submission: Submission): Progress {
  const known = submission.getState(progressKey) as Progress | undefined;
  if (known) return known;
  const progress: Progress = { steps: stepsOnLoop(), verdicts: new Map() };
  submission.setState(progressKey, progress);
  return progress;
}

const keyOf = ({ source }: Pattern, value: string) => `${source}\0${value}`;

const pattern = fieldExtension({
  name: 'pattern',
  types,
  keys,
  configure: (field, at) => {
    const { pattern, help, type } = field;
    if (!pattern) return undefined;
    if (pattern.canTakeExponentialTime())
      at.in('pattern').warning(
        'some values take exponential time to match, in browsers too: like (a+)+, this can read the same text in many ways',
      );
    const mismatch = help
      ? { code: 'wrong_format_described', params: { help: textParam(help, withoutLinks) } }
      : { code: 'wrong_format' };
    return {
      check: (values, submission) => {
        const { steps, verdicts } = progressOf(submission);
        for (const [index, typed] of values.entries()) {
          const value = withLineFeeds(typed);
          const found = verdicts.get(keyOf(pattern, value));
          // A value that takes too long is most likely wrong, and its visitor can write another.
          const isWrong =
            found === undefined
              ? pattern.test(value, steps) === false
              : found === 'no_match' || found === 'too_slow';
          if (isWrong) return { ...mismatch, at: index };
        }
        return undefined;
      },
      // HTML has no pattern for text of several lines.
      ...(type !== 'textarea' && {
        attributes: ({ text }) => ({
          pattern: pattern.source,
          // Browsers show the title if the pattern does not match.
          title: help && withoutLinks(text(help)),
        }),
      }),
    };
  },
});

interface Task {
  readonly field: string;
  readonly pattern: Pattern;
  readonly value: string;
}

/** Asks a thread about values that would block the event loop. */
async function decide(
  tasks: readonly Task[],
  submission: Submission,
  match: MatchPatterns,
): Promise<undefined> {
  const { verdicts } = progressOf(submission);
  const { formId, services } = submission;
  const asked = tasks.map(({ pattern, value }) => ({ pattern: pattern.source, value }));
  const found = await (services.matchPatterns ?? match)(formId, asked);
  for (const [index, { pattern, value }] of tasks.entries()) {
    const verdict = found[index] ?? 'not_tried';
    const key = keyOf(pattern, value);
    // The same value may come in several fields.
    if (verdict !== 'not_tried' || !verdicts.has(key)) verdicts.set(key, verdict);
  }
  const slow = tasks[found.indexOf('too_slow')];
  if (slow) submission.log('warn', 'pattern_too_slow', { field: slow.field });
}

const patternOf = (field: object): Pattern | undefined =>
  'pattern' in field && field.pattern instanceof Pattern ? field.pattern : undefined;

const slowPatterns = (match: MatchPatterns) =>
  feature({
    name: 'slow_patterns',
    configure: ({ fields }) => {
      const isUsed = fields.some((field) => (field.inputs?.all ?? [field]).some(patternOf));
      if (!isUsed) return undefined;
      return {
        prepareValidation: (submission) => {
          const { form, sent } = submission;
          const { steps } = progressOf(submission);
          const tasks = visibleFields(form.fields, sent)
            .flatMap((field) => field.inputs?.asked(sent) ?? field)
            .flatMap((field) => {
              const pattern = patternOf(field);
              const values = pattern ? withoutEmpty(sent.get(field.name) ?? []) : [];
              return values.flatMap((typed) => {
                const value = withLineFeeds(typed);
                const isUndecided = pattern && !isTooLong(typed) && pattern.test(value, steps) === undefined;
                return isUndecided ? { field: field.name, pattern, value } : [];
              });
            });
          return tasks.length > 0 ? decide(tasks, submission, match) : undefined;
        },
        // A value that there was no time for may be right, so its sender is asked to send it again.
        afterValidation: guard((submission) =>
          [...progressOf(submission).verdicts.values()].includes('not_tried')
            ? {
                ...refused(503, 'busy'),
                by: 'validation',
                why: 'there was no time to match a pattern',
                headers: { 'retry-after': '5' },
              }
            : undefined,
        ),
      };
    },
  });

export const plugin = (): Plugin => {
  let loading: Promise<PatternThread> | undefined;
  const match: MatchPatterns = async (...asked) => {
    loading ??= import('./thread.ts').then(({ createPatternThread }) => createPatternThread());
    return (await loading).match(...asked);
  };
  return {
    name: 'pattern',
    fieldExtensions: [pattern],
    features: [slowPatterns(match)],
    onClose: async () => (await loading)?.close(),
    messages: {
      en: {
        wrong_format: 'Enter a value in the expected format.',
        wrong_format_described: 'Use the expected format: {help}',
        busy: 'this could not be checked just now; please send it again in a few seconds',
      },
    },
  };
};
