import { fetchApi } from '../ask.ts';

/** Has the browser save what the server sends. Rejects if that breaks off; nothing is saved then. */
export async function save(path: string, options: RequestInit, name: string): Promise<void> {
  const answer = await fetchApi(path, options);
  const blob = await answer.blob().catch((error: unknown) => {
    if (options.signal?.aborted) throw error;
    throw new Error('The download broke off. Nothing was saved.');
  });
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
