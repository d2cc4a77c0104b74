import { once } from 'node:events';
import { yieldToEventLoop } from '../base/event_loop.ts';
import { err, ok, type Result } from '../base/result.ts';
import { makeForm } from '../config/build_form.ts';
import type { ParseLarge } from '../config/cache.ts';
import { loadNamedIn } from '../config/late_parts.ts';
import {
  checkConfig,
  explain,
  makeCommon,
  makeConfig,
  makeTop,
  type Named,
  type ParseResult,
  parseInLanguages,
  readNamed,
} from '../config/parse.ts';
import type { Problem } from '../config/problem.ts';
import type { ReadBeside } from '../config/source.ts';
import type { Form } from '../form.ts';

/** The thread's input. */
export interface Task {
  readonly text: string;
  readonly file: string;
}

/** The thread's answer. Forms hold functions, which threads can't share, so the answer is their raw config. */
export type Answer = Result<Written, readonly Problem[]>;

interface Written {
  readonly named: Named;
  /** The config without its forms, as JSON. */
  readonly top: string;
  /** The name and the raw config of each form, as JSON. */
  readonly forms: readonly string[];
}

/** Thirty times as long as 10,000 forms take. Without a limit, a hanging thread would block all reloads. */
const mostMs = 60_000;

/**
 * Parses in a thread, and builds only the forms in this one, with pauses. If no thread can start, it logs that and
 * parses here.
 *
 * @param program The built `parse_worker.ts`.
 */
export const parseInWorker =
  (program: URL, timeoutMs = mostMs): ParseLarge =>
  async (text, file, log, readBeside) => {
    const task = { text, file };
    try {
      return ok(await resultOf(task, await ask(program, task, timeoutMs), readBeside));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // This process has the same limit, and would end.
      if (code === 'ERR_WORKER_OUT_OF_MEMORY') return err('parsing it takes more memory than there is');
      // Parsing would take as long here.
      if (code === 'ABORT_ERR') return err(`parsing it takes more than ${timeoutMs / 1_000} s`);
      log('warn', 'config_parsed_without_thread', { config: file, reason: message });
      return ok(await parseInLanguages(text, file, readBeside));
    }
  };

async function ask(program: URL, workerData: Task, timeoutMs: number): Promise<Answer> {
  // Loaded late, since most configs are small.
  const [{ Worker }, { getHeapStatistics }] = await Promise.all([
    import('node:worker_threads'),
    import('node:v8'),
  ]);
  const maxOldGenerationSizeMb = getHeapStatistics().heap_size_limit / 2 ** 20;
  const worker = new Worker(program, { workerData, resourceLimits: { maxOldGenerationSizeMb } });
  // A relay that stops doesn't wait for it.
  worker.unref();
  const signal = AbortSignal.timeout(timeoutMs);
  const ended = once(worker, 'exit', { signal }).then(() => {
    throw new Error('it ended without an answer');
  });
  try {
    const [answer] = await Promise.race([once(worker, 'message', { signal }), ended]);
    return answer;
  } finally {
    void worker.terminate();
  }
}

/** The limit of the raw config in characters: aliases take little memory only until they unfold. */
const mostCharacters = 64 * 1024 * 1024;

/** Runs in the thread. */
export async function answer({ text, file }: Task): Promise<Answer> {
  await loadNamedIn(text);
  const checked = checkConfig(text, file);
  if (!checked.ok) return err(await explain(checked.error));
  let characters = 0;
  const { value, named } = checked.value;
  const { forms: raw, ...top } = value as { readonly forms: object };
  const forms = Object.entries(raw).map((form) => {
    const written = JSON.stringify(form);
    characters += written.length;
    if (characters > mostCharacters) throw new Error('its aliases unfold to more than 64 MB');
    return written;
  });
  return ok({ named, top: JSON.stringify(top), forms });
}

/** How long to build forms before other work has its turn. */
const sliceMs = 5;

/** The result of `parseInLanguages` for the task, from the thread's answer. */
export async function resultOf(
  { text, file }: Task,
  answer: Answer,
  readBeside: ReadBeside,
): Promise<ParseResult> {
  if (!answer.ok) return answer;
  const { top, forms: written } = answer.value;
  await loadNamedIn(text);
  const beside = await readNamed(answer.value, text, file, readBeside);
  if (!beside.ok) return beside;
  const config = JSON.parse(top);
  const parsed = makeTop(config);
  const common = makeCommon(parsed, beside.value);
  const forms = new Map<string, Form>();
  let pauseAt = performance.now() + sliceMs;
  for (const form of written) {
    const [id, raw] = JSON.parse(form);
    forms.set(id, makeForm(id, raw, config, common));
    if (performance.now() < pauseAt) continue;
    await yieldToEventLoop();
    pauseAt = performance.now() + sliceMs;
  }
  return ok(makeConfig(text, file, parsed, forms, beside.value));
}
