/** Requests to the studio's server. */

interface Answer {
  readonly ok: boolean;
  readonly text: string;
}

/** Sends a request to the server; returns `undefined` if the server has stopped. */
export async function ask(path: string, body?: string): Promise<Answer | undefined> {
  try {
    const answer = await fetch(path, body === undefined ? {} : { method: 'POST', body });
    return { ok: answer.ok, text: await answer.text() };
  } catch {
    return undefined;
  }
}

/** The server's JSON answer; `undefined` if the server has stopped, or refuses. */
export async function askJson<T>(path: string, body?: string): Promise<T | undefined> {
  const answer = await ask(path, body);
  return answer?.ok ? JSON.parse(answer.text) : undefined;
}

/** Loads JSON once; after a failure, the next call retries. */
export function loader<T>(path: string, take: (loaded: T) => void): () => Promise<void> {
  let loading: Promise<void> | undefined;
  return () => {
    loading ??= askJson<T>(path).then((loaded) => {
      if (loaded) take(loaded);
      else loading = undefined;
    });
    return loading;
  };
}
