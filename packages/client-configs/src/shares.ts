/** Shares what SUBMISSION_LIMIT and UPLOAD_BUDGET allow among clients, so that a server that hangs for one costs no other. */
import { maxBodyBytes } from '@form-relay/core/http/request';
import { overloaded, uploadsBusy } from '@form-relay/core/http/resolve';
import type { Handler, Submission } from '@form-relay/core/submission';

interface Held {
  requests: number;
  bytes: number;
}

export class Shares {
  readonly #all: Held = { requests: 0, bytes: 0 };
  readonly #own = new Map<string, Held>();

  /** Refuses a submission if its client holds more than it leaves free: one may hold a half, two a third each, and so on. */
  limit(client: string, handler: Handler): Handler {
    const all = this.#all;
    const own = this.#own.get(client) ?? { requests: 0, bytes: 0 };
    this.#own.set(client, own);
    const add = (requests: number, bytes: number) => {
      for (const held of [all, own]) {
        held.requests += requests;
        held.bytes += bytes;
      }
    };
    return async (submission: Submission) => {
      const { settings, request } = submission;
      const length = request.body?.length ?? 0;
      const bytes = length > maxBodyBytes ? length : 0;
      if (own.requests >= settings.submissionLimit - all.requests) return overloaded;
      if (own.bytes > 0 && bytes > 0 && own.bytes + bytes > settings.uploadBudget - all.bytes)
        return uploadsBusy;
      add(1, bytes);
      try {
        return await handler(submission);
      } finally {
        add(-1, -bytes);
      }
    };
  }
}
