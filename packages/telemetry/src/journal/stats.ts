import type {
  Feature,
  Form,
  PluginContext,
  RelayRequest,
  RelayResponse,
  RouteContext,
} from '@form-relay/core/index';
import { boolean, createThrottle, feature, optional, refused } from '@form-relay/core/kit';
import type { JournalLine } from './lines.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly stats: true;
  }
}

/** What happened to a form on pages. */
interface PageCounts {
  readonly views: number;
  readonly starts: number;
  readonly sends: number;
  /** How many people began each step, from the first. */
  readonly steps: readonly number[];
}

const minuteMs = 60_000;

/** Adds up what happened on pages, and writes a line for each form where something did. */
export function statsLines(write: (line: JournalLine) => void, now: () => number) {
  const byForm = new Map<string, PageCounts>();
  return {
    add(form: string, { views, starts, sends, steps }: PageCounts): void {
      const sum = byForm.get(form);
      byForm.set(form, {
        views: views + (sum?.views ?? 0),
        starts: starts + (sum?.starts ?? 0),
        sends: sends + (sum?.sends ?? 0),
        steps: steps.map((begun, index) => begun + (sum?.steps[index] ?? 0)),
      });
    },
    writeAll(): void {
      // No finer: a single person's visit could be told from it.
      const at = new Date(now() - (now() % minuteMs)).toISOString();
      for (const [form, { steps, ...counts }] of byForm)
        write({ kind: 'stats', at, form, ...counts, ...(steps.length > 0 && { steps }) });
      byForm.clear();
    },
  };
}

const mostBytes = 2_000;

/** Counts what happens to the form on pages, in the journal. */
export function statsFeature(count: (form: string, counts: PageCounts) => void): Feature {
  let throttle: (() => number | undefined) | undefined;
  return feature({
    name: 'stats',
    keys: {
      form: {
        stats: optional(
          'Whether the form’s script counts views, starts, steps and sends, per day in the `journal`, without anything about visitors (docs/journal.md#what-happens-on-pages).',
          boolean(),
        ),
      },
    },
    configure: ({ form: { stats }, sharedBy }, at) => {
      if (!stats) return undefined;
      if (!sharedBy.get('journal'))
        at.in('stats').error(
          'what is counted stands in the journal; write journal: {in: …} at the top of the file, or leave this out',
          { fix: 'remove' },
        );
      return {
        provides: true as const,
        browsersOnly: true,
        // Pages with `form.js` load `stats.js` beside it.
        renderMarkup: ({ medium }) =>
          medium === 'script' ? {} : { part: 'stats', sources: { 'connect-src': ["'self'"] } },
      };
    },
    routes: [
      {
        name: 'stats',
        method: 'POST',
        waitSeconds: (_, { services }: PluginContext) => {
          throttle ??= createThrottle(50, 200, services.now);
          return throttle();
        },
        dropsExcess: true,
        answer: (call) => takeCounts(call, count),
      },
    ],
  });
}

/**
 * `POST /api/v1/stats/{form}`: words such as `view start step1 send`, of what happened on one page since it last said so. They
 * count, and nothing else of the request is kept.
 */
async function takeCounts(
  call: RouteContext,
  count: (form: string, counts: PageCounts) => void,
): Promise<RelayResponse> {
  const { form, request, requestId, services, respond } = call;
  if (!form.provided.get('stats')) return respond(refused(404, 'unknown_page'));
  const { body = new Uint8Array() } = request;
  const submission = call.resume({ requestId, receivedAt: services.now(), values: new Map() });
  const refusal = form.provided.get('origin')?.refusal(submission);
  if (refusal) return respond(refusal);
  if (isRefusing(request) || request.isTooLong || body.length > mostBytes) return taken;
  const words = new Set(Buffer.from(body).toString('latin1').split(' '));
  const once = (word: string) => (words.has(word) ? 1 : 0);
  const counts = {
    views: once('view'),
    starts: once('start'),
    sends: once('send'),
    steps: stepsOf(form).map((_, index) => once(`step${index + 1}`)),
  };
  if (counts.views + counts.starts + counts.sends + counts.steps.filter(Boolean).length > 0)
    count(form.id, counts);
  return taken;
}

/** The steps of a form, which another feature may provide. */
const stepsOf = ({ provided }: Form): readonly unknown[] => provided.get('steps') ?? [];

/** Browsers of people who do not want to be counted say so. */
const isRefusing = ({ headers }: RelayRequest) => headers['sec-gpc'] === '1' || headers.dnt === '1';

const taken: RelayResponse = { status: 204, headers: { 'cache-control': 'no-store' }, body: '' };
