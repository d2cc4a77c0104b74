import type { Given } from '../guard/puzzle.ts';

/** A value of a field. `true` is a ticked box; `false`, `null` and `undefined` are not sent. */
export type SubmitValue = string | number | boolean | File | null | undefined;

/** A field that the relay rejected. */
export interface SubmitError {
  /** The field's name. */
  readonly field: string;
  /** The reason, for programs. */
  readonly code: string;
  /** The reason, for the visitor. */
  readonly message: string;
  readonly label: string;
  /** The message in a form for lists, where it needs no label: "Enter your name." */
  readonly summary?: string;
  /** The field as a JSON Pointer (RFC 6901): `/topics/1` is the second of several values. */
  readonly pointer: string;
}

/** A field for sending the form again, if the form has `spam.min_fill_seconds` or a proof of work. */
export interface SubmitToken {
  readonly name: string;
  readonly value: string;
  /** How long to wait before sending: a submission sent earlier would be taken for a bot's. */
  readonly wait_ms?: number;
  /** The challenge to solve first, in ALTCHA's format (version 1), and the name of the field for its solution. */
  readonly challenge?: object;
  readonly proof_field?: string;
}

/** All possible results. */
export type SubmitResult =
  /** The relay accepted the submission. */
  | {
      readonly kind: 'sent';
      readonly confirmation: string;
      /** The same text as markup, if the owner's text contains a link. */
      readonly confirmationHtml?: string;
      readonly redirect?: string;
    }
  | { readonly kind: 'invalid'; readonly errors: readonly SubmitError[]; readonly token?: SubmitToken }
  /** The page was open for longer than `form_ttl`. With the token, the form can be sent again at once. */
  | { readonly kind: 'expired'; readonly token: SubmitToken }
  /** The form was not delivered, or the result is unknown: without a `status`, the relay did not respond. */
  | {
      readonly kind: 'failed';
      readonly status?: number;
      readonly code?: string;
      readonly message: string;
      /** The owner's text, for example another way to reach them. */
      readonly failureMessage?: string;
      readonly failureMessageHtml?: string;
      readonly retryAfterSeconds?: number;
      readonly token?: SubmitToken;
    };

/**
 * Sends a form to the relay. Never rejects.
 *
 * @param url Where to send the form: `https://forms.example.com/api/v1/submit/contact`.
 * @param send Replaces `fetch`, for example to show the progress.
 */
export async function submitForm(
  url: string | URL,
  data: HTMLFormElement | FormData | Readonly<Record<string, SubmitValue | readonly SubmitValue[]>>,
  send = fetch,
): Promise<SubmitResult> {
  try {
    const body = new FormData();
    let hasFiles: boolean | undefined;
    const isForm = 'nodeType' in data;
    const isRecord = !isForm && !(data instanceof FormData);
    const entries = isForm
      ? new FormData(data as HTMLFormElement)
      : isRecord
        ? Object.entries(data)
        : (data as FormData);
    for (const [name, values] of entries) {
      for (const value of [values].flat()) {
        hasFiles ||= value instanceof File;
        // FormData turns all values except files into text, with line breaks as browsers send them (WHATWG URL-encoded form data).
        const text = isRecord ? value : (value as string).replace?.(/\r?\n/g, '\r\n');
        if ((value ?? false) !== false)
          body.append(name, value === true ? 'on' : ((text ?? value) as string));
      }
    }
    // The form's URL may ask for a page.
    const address = `${url}`.replace(/\bas=page\b/, '');
    const headers = { accept: 'application/problem+json' };
    const response = await send(address, {
      method: 'POST',
      headers,
      body: hasFiles ? body : new URLSearchParams(body as unknown as Record<string, string>),
    });
    // A step without errors is answered with 204.
    const answer = response.status === 204 ? { message: 'ok' } : await response.json();
    const { code, detail, errors, token } = answer;
    if (response.ok && answer.message === 'ok') {
      return {
        kind: 'sent',
        confirmation: answer.confirmation,
        confirmationHtml: answer.confirmation_html,
        redirect: answer.redirect,
      };
    }
    if (errors) return { kind: 'invalid', errors, token };
    if (code === 'form_expired' && token) return { kind: 'expired', token };
    if (detail) {
      return {
        kind: 'failed',
        status: response.status,
        code,
        message: detail,
        failureMessage: answer.failure_message,
        failureMessageHtml: answer.failure_message_html,
        retryAfterSeconds: +(response.headers.get('retry-after') as string) || undefined,
        token,
      };
    }
  } catch {
    // There is no network, or another server answered.
  }
  return { kind: 'failed', message: english.not_sent };
}

/** Hooks around each attempt to send a form. */
interface Prover {
  /** Adds the data known so far. */
  prepare(body: Body, isSecond: boolean): Promise<void>;
  take(token: Given): void | Promise<void>;
}

type Body = FormData | URLSearchParams;

/** Sends a form, and sends it again if the relay asks for a proof that the browser can compute. */
export const sendProving =
  (send: typeof fetch, { prepare, take }: Prover): typeof fetch =>
  async (input, init = {}) => {
    const body = init.body as Body;
    for (let isSecond = false; ; isSecond = true) {
      await prepare(body, isSecond);
      const response = await send(input, init);
      if (response.ok) return response;
      const { code = '', token } = await problemIn(response);
      if (token) await take(token);
      if (isSecond || !token?.challenge || !/^challenge_(proof|used)$/.test(code)) return response;
      body.set(token.name, token.value);
      await new Promise((resolve) => setTimeout(resolve, token.wait_ms));
    }
  };

interface Problem {
  readonly code?: string;
  readonly token?: Given;
}

/** A proxy in front of the relay may respond with anything. */
const problemIn = async (response: Response): Promise<Problem> => {
  try {
    return (await response.clone().json()) ?? {};
  } catch {
    return {};
  }
};
