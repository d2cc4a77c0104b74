import { useSignal } from '@preact/signals';
import type { Letter } from '../../src/api.ts';
import { addressOf, asked, wordsOf } from '../ask.ts';
import { TextBox } from './files.tsx';

/** The document as it is stored. */
export function Raw({ letter: { id, isSealed } }: { readonly letter: Letter }) {
  const text = useSignal<string | undefined>(undefined);
  const address = `${addressOf(id)}/document`;
  const load = async () => {
    try {
      const stored = await (await asked(address)).text();
      try {
        text.value = JSON.stringify(JSON.parse(stored), null, 2);
      } catch {
        text.value = stored;
      }
    } catch (error) {
      text.value = wordsOf(error);
    }
  };
  if (isSealed)
    return (
      <p class="part raw">
        <a class="tool" href={address} download="">
          Save the sealed document
        </a>
      </p>
    );
  return (
    <details
      class="part raw"
      onToggle={({ currentTarget }) => {
        if (currentTarget.open && text.value === undefined) void load();
      }}
    >
      <summary>Raw JSON</summary>
      <TextBox label="Raw JSON" text={text.value ?? 'Loading…'} />
    </details>
  );
}
