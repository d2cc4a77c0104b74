import type { Given } from './puzzle.ts';

/** Hooks around each try to send a form. */
interface Prover {
  /** Puts into it what is known by now. */
  prepare(body: Body, isSecond: boolean): Promise<void>;
  take(token: Given): void | Promise<void>;
}

export type Body = FormData | URLSearchParams;

/** Sends a form, and sends it once more if the relay asks for a proof that the browser can compute. */
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

/** Something before the relay may answer with anything. */
const problemIn = async (response: Response): Promise<Problem> => {
  try {
    return (await response.clone().json()) ?? {};
  } catch {
    return {};
  }
};
