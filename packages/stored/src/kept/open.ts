import { ClientError } from '@form-relay/base/client_error';
import { err, ok, type Result } from '@form-relay/base/result';
import type { Config } from '@form-relay/core/config';
import type { Form } from '@form-relay/core/form';
import type { FormOutput } from '@form-relay/core/outputs/output';
import type { Services } from '@form-relay/core/services';
import type { Settings } from '@form-relay/core/settings';
import type { ContentKeys } from '@form-relay/queue/content';
import {
  findOutput,
  type Listed,
  openContent,
  type Queued,
  type QueuedSubmission,
} from '@form-relay/queue/index';

/** The keys that open the content of queued deliveries. */
export const keysOf = (
  { env }: Pick<Services, 'env'>,
  { allowedOrigins }: Pick<Settings, 'allowedOrigins'>,
): ContentKeys => ({ allowedOrigins, keepSecret: env('KEEP_SECRET') ?? '' });

/** The queued submission, or a text that explains why it cannot be read. */
export function readKept(
  kept: Parameters<typeof openContent>[0],
  keys: ContentKeys,
): Result<QueuedSubmission, string> {
  const opened = openContent(kept, keys);
  return opened.ok ? opened : err(reasons[opened.error]);
}

/** Like `readKept`, for a listed delivery, whose content may be stored elsewhere. */
export async function readListed(
  { kept, content }: Listed,
  keys: ContentKeys,
): Promise<Result<QueuedSubmission, string>> {
  try {
    return readKept(content ? { ...kept, content: await content() } : kept, keys);
  } catch (error) {
    if (error instanceof ClientError) return err(error.message);
    throw error;
  }
}

const reasons = {
  damaged: 'is damaged: its content was altered',
  other_secret: 'is encrypted with another KEEP_SECRET, damaged, or altered in the store',
  unencrypted: 'is not encrypted, so it may be forged; to read it, unset KEEP_SECRET',
  altered: 'was altered in the store: its output or time was changed',
  no_secret: "is encrypted; set KEEP_SECRET to the relay's value",
};

/** The output for a queued delivery. */
export interface QueuedOutput {
  readonly form: Form;
  /** The index in the form's `outputs`. */
  readonly place: number;
  readonly output: FormOutput;
}

/**
 * Finds the output in a config that may have changed; or returns a text that explains why it cannot be determined.
 *
 * @param place The owner's choice for a delivery whose output was removed. A delivery whose output still exists
 * keeps it, because several outputs of a form may have failed, and their deliveries must not be mixed up.
 */
export function queuedOutput(
  kept: Queued,
  { forms }: Pick<Config, 'forms'>,
  place?: number,
): Result<QueuedOutput, string> {
  // The head of the entry is damaged, or a newer relay wrote it.
  if (kept.output.of === 0) return err(kept.why?.words ?? '');
  const form = forms.get(kept.form);
  if (!form) return err(`the config has no form "${kept.form}"`);
  const found = findOutput(form, kept.output) ?? place;
  if (found === undefined) return err(`"${form.id}" no longer has this output; choose another with --output`);
  const output = form.outputs[found];
  return output ? ok({ form, place: found, output }) : err(`"${form.id}" has no outputs[${found}]`);
}

/** For example `http_post to https://crm.example.com/leads`. */
export const outputInWords = ({ output: { type, transport } }: Pick<QueuedOutput, 'output'>): string =>
  transport?.target ? `${type} to ${transport.target}` : type;

/** The type of an output, which a damaged entry does not tell. */
export const typeInWords = (type: string): string => type || 'unknown output';
