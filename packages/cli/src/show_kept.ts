import type { KeptSubmission } from '@form-relay/queue/index';
import { writeDocument } from '@form-relay/stored/archive/document';
import { chooser, documentOf, factsOf, type SubmissionDocument } from '@form-relay/stored/kept/list';
import { readListed } from '@form-relay/stored/kept/open';
import { type IdentityOption, keysOf, type StoreOptions, Troubles, withStore } from './open_kept.ts';
import { saveFile } from './save_file.ts';

export interface ShowOptions extends StoreOptions, IdentityOption {
  /** Also what the visitor wrote. */
  readonly show?: boolean;
  /** The folder that the files are written to. */
  readonly files?: string;
}

/** Prints all that is known of a delivery, as JSON; of a submission, all of its deliveries. */
export const showKept = (ids: readonly string[], options: ShowOptions): Promise<void> =>
  withStore(options, async (open) => {
    const { config, store } = open;
    const keys = await keysOf(open, options);
    const troubles = new Troubles();
    const { isChosen, unmet } = chooser({ ids });
    const names = new Set<string>();
    for await (const one of store.list()) {
      if (!isChosen(one)) continue;
      const { kept } = one;
      const read = await readListed(one, keys);
      const document = read.ok ? documentOf(read.value, config?.forms.get(kept.form)) : undefined;
      const shown = document && (options.show ? document : withoutValues(document));
      print({ ...factsOf(one, config), ...shown });
      if (!read.ok) troubles.tell(kept.id, read.error);
      else if (options.files !== undefined) await saveFiles(read.value, options.files, names);
    }
    troubles.unmet(unmet);
    troubles.end('that could not be shown');
  });

/** The structure of a submission, without its values. */
const withoutValues = ({ fields, files }: SubmissionDocument) => ({
  fields: fields.map(({ name, label, values }) => ({ name, label, values: values.length })),
  files: files.map(({ field, type, size }) => ({ field, type, size })),
});

function print(document: object): void {
  const text = writeDocument(document, 2);
  if (text.ok) process.stdout.write(`${text.value}\n`);
}

async function saveFiles({ files }: KeptSubmission, folder: string, names: Set<string>): Promise<void> {
  for (const file of [...files.values()].flat()) await saveFile(folder, file, names);
}
