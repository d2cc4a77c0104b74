import type { ArchiveDocument } from '@form-relay/more-outputs/archive_layout';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Letter } from '../../src/api.ts';
import { about, tell } from '../about.ts';
import { wordsOf } from '../ask.ts';
import { Icon } from '../icons.tsx';
import type { Sealed } from '../sealed/sealed.ts';
import { askForIdentity, unlocked } from '../sealed/sealed_now.ts';
import { bytes, counted } from '../words.ts';
import { Fields } from './fields.tsx';
import { openedFields } from './reply.tsx';

/** The values of a sealed submission, which this browser alone opens. */
export function SealedLetter({ letter: { id, language } }: { readonly letter: Letter }) {
  const document = useSignal<ArchiveDocument | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const sealed = unlocked.value;
  useEffect(() => {
    document.value = undefined;
    problem.value = undefined;
    openedFields.value = undefined;
    if (!sealed) return;
    sealed.open(id).then(
      (opened) => {
        if (opened.ok) {
          document.value = opened.value;
          openedFields.value = { id, fields: opened.value.fields };
        } else problem.value = opened.error;
      },
      (error: unknown) => {
        problem.value = wordsOf(error);
      },
    );
  }, [id, sealed]);
  const ask = () =>
    askForIdentity(about.peek()?.config ?? '').catch((error: unknown) => tell(wordsOf(error), true));
  if (!sealed)
    return (
      <div class="notice quiet sealed">
        <Icon name="lock" />
        <p>
          <b>Sealed.</b> Its values can be read with the identity alone, which stays in this browser.
        </p>
        <button type="button" class="tool" onClick={() => void ask()}>
          Open
        </button>
      </div>
    );
  if (problem.value)
    return (
      <div class="notice bad" role="alert">
        <p>{problem.value}</p>
      </div>
    );
  if (!document.value) return <p class="says">Opening…</p>;
  const { fields, files } = document.value;
  return (
    <>
      <Fields fields={fields} language={language} />
      <OpenedFiles id={id} files={files} sealed={sealed} />
    </>
  );
}

interface OpenedFilesProps {
  readonly id: string;
  readonly files: ArchiveDocument['files'];
  readonly sealed: Sealed;
}

function OpenedFiles({ id, files, sealed }: OpenedFilesProps) {
  if (files.length === 0) return null;
  const save = async (nth: number) => {
    const file = await sealed.openFile(id, nth).catch((error: unknown) => ({
      ok: false as const,
      error: wordsOf(error),
    }));
    if (!file.ok) return tell(file.error, true);
    const link = window.document.createElement('a');
    // Of no type that a browser shows: nothing a visitor sent may run.
    link.href = URL.createObjectURL(new Blob([file.value.bytes], { type: 'application/octet-stream' }));
    link.download = file.value.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  return (
    <section class="part files">
      <h3>{counted(files.length, 'file')}</h3>
      <ul>
        {files.map(({ name, type, size }, index) => (
          <li class="file" key={index}>
            <div class="file-line">
              <Icon name="clip" />
              <span class="file-name">
                <bdi>{name}</bdi>
                <span class="aside">
                  {bytes(size)} · <bdi>{type}</bdi>
                </span>
              </span>
              <button type="button" class="tool" onClick={() => void save(index + 1)}>
                <Icon name="down" />
                Save <span class="unseen">{name}</span>
              </button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
