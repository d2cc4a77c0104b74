import type { Effects } from '../base/effects.ts';
import type { Listener } from '../base/event.ts';
import type { Files, SentFile } from '../base/files.ts';
import type { RelayRequest } from '../base/http.ts';
import type { Outcome } from '../base/outcome.ts';
import { pageAt } from '../base/page_context.ts';
import { parseUrl } from '../base/url.ts';
import type { Values } from '../base/values.ts';
import { unchecked } from '../features/index.ts';
import type { Form, Keeper } from '../form.ts';
import { createMemory } from '../memory/memory.ts';
import type { Output } from '../outputs/output.ts';
import type { Settings } from '../schema/settings/settings.ts';
import type { Transports } from '../transports/index.ts';
import { submissionBudgetMs } from './post_submission.ts';
import { submit } from './submit.ts';

/** A submission from an archive, which a person wants delivered. */
export interface Restored {
  readonly id: string;
  readonly receivedAt: number;
  readonly values: Values;
  readonly files: Files<SentFile>;
  readonly page: { readonly url: string; readonly title: string } | undefined;
  /** It was set aside, so that it has passed all that comes before the delivery. */
  readonly wasAside: boolean;
  /** The places of outputs that have got it already. */
  readonly taken: ReadonlySet<number>;
}

export interface RestoringWorld {
  readonly settings: Settings;
  readonly effects: Effects;
  readonly transports: Transports;
  /** Keeps what outputs owe. */
  readonly keeper: () => Promise<Keeper>;
}

/** Goes the way of a submission to the form, without the checks that turned it away or set it aside. */
export async function restore(
  form: Form,
  restored: Restored,
  world: RestoringWorld,
  tell: Listener,
): Promise<Outcome> {
  const { id, receivedAt, values, files, page } = restored;
  const { settings, effects, transports, keeper } = world;
  const restoredTo = withoutChecks(form, restored);
  const url = page && parseUrl(page.url);
  const submission = {
    values,
    files,
    page: url && pageAt(url, page?.title ?? '', settings.allowedOrigins),
    receivedAt,
    deadline: effects.now() + submissionBudgetMs,
    senderAddress: undefined,
    headers: {},
    endsOnPage: false,
    requestId: id,
  };
  const own = {
    request,
    settings,
    effects,
    memory: createMemory(effects, settings),
    transports,
    limitsMails: true,
    keeper,
    reader: (form: Form) => form,
    afterwards: (work: () => Promise<void>) => work(),
  };
  const keep = restoredTo.stages.owed?.(restoredTo, tell, own);
  const context = { form: restoredTo, world: own, effects, transports, tell, keep };
  return submit(submission, { ...context, mustProve: false, onTaken: undefined });
}

/** Nobody sends it: it comes from an archive. */
const request: RelayRequest = { method: 'POST', path: '', query: '', headers: {}, body: undefined };

function withoutChecks(form: Form, { wasAside, taken }: Restored): Form {
  const isOver = (aside: Output['aside'], place: number) =>
    taken.has(place) || (wasAside && aside === 'also');
  const outputs = form.outputs.map((one, place) =>
    // Such an output gets nothing, since nothing is set aside here.
    isOver(one.aside, place) ? { ...one, aside: 'only' as const } : one,
  );
  return { ...unchecked(form, wasAside), outputs };
}
