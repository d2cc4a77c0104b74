/** Requests to the studio's server. */

/** The server's answer. */
export interface Answer {
  readonly ok: boolean;
  readonly text: string;
}

/** Asks it for something, or has it do something; nothing comes where it has stopped. */
export async function ask(path: string, body?: string | URLSearchParams): Promise<Answer | undefined> {
  try {
    const answer = await fetch(path, body === undefined ? {} : { method: 'POST', body });
    return { ok: answer.ok, text: await answer.text() };
  } catch {
    return undefined;
  }
}

/** Loads JSON once; after a failure, the next call tries again. */
export function loader<T>(path: string, take: (loaded: T) => void): () => Promise<void> {
  let loading: Promise<void> | undefined;
  return () => {
    loading ??= ask(path).then((answer) => {
      if (answer?.ok) take(JSON.parse(answer.text));
      else loading = undefined;
    });
    return loading;
  };
}

export const post = (path: string, values: Readonly<Record<string, string>>) =>
  ask(path, new URLSearchParams(values));
