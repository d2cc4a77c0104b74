import { sizeInWords } from '../../base/files.ts';
import type { Mask, Shown } from '../transport.ts';
import type { Archived } from './archive_message.ts';
import { documentName, fileName, folderOf, stemOf } from './entry.ts';
import { aboutFile, documentOf } from './store_entry.ts';

/** What would be stored of an entry, in clear. */
export function showEntry({ entry, sealFor }: Archived, archive: string, mask: Mask): Shown {
  const isSealed = sealFor !== undefined;
  const folder = folderOf(entry);
  const stem = stemOf(entry);
  const files = entry.files.map(({ field, file }, index) =>
    aboutFile(field, file, fileName(stem, index + 1, file.name, isSealed)),
  );
  const document = mask.json(JSON.stringify(documentOf(entry, files), undefined, 2));
  const paths = files.map(({ path, size }) => `${folder}/${path} (${sizeInWords(size)})`);
  const all = [...paths, `${folder}/${documentName(stem, isSealed)}`];
  const note = isSealed ? 'Sealed; this is what its owner reads:' : '';
  return {
    kind: 'entry',
    text: [archive, ...all.map((path) => `  ${path}`), '', ...(isSealed ? [note] : []), document].join('\n'),
    says: {
      title: entry.form,
      entries: [
        ...entry.fields.map(({ name, label, values }) => ({
          label,
          value: values.map((value) => mask.value(name, value)).join('\n'),
        })),
        ...files.map(({ field, name, size }) => ({ label: field, value: `${name} (${sizeInWords(size)})` })),
      ],
      footer: isSealed ? ['Sealed: its owner alone can read it.'] : [],
    },
  };
}
