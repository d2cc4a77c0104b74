import { type SentFile, sizeInWords, type UploadedFile } from '../files.ts';
import { attributes, html } from '../html.ts';
import { err, ok } from '../result.ts';
import { optional, withDefault } from '../schema/keys.ts';
import { flag, list, number, text } from '../schema/kinds.ts';
import { size } from '../schema/size.ts';
import { fieldType } from './field.ts';
import { controlAttributes } from './text_like.ts';

export const file = fieldType({
  type: 'file',
  summary:
    'One or several files. What a file is, its first bytes say; its name and its declared type have to agree.',
  missing: { code: 'missing_file' },
  keys: {
    accept: optional(
      'What is taken: `pdf`, `image`, `office`, `text`, `audio`, `video`, or media types such as `image/png`.',
      list(text(), { least: 1 }),
    ),
    max_size: withDefault('5MB', 'How large each file may be.', size()),
    multiple: withDefault('false', 'Whether several files may be chosen.', flag()),
    max_files: withDefault(
      '10',
      'How many files may be chosen, where `multiple` is set.',
      number({ least: 1, most: 100, whole: true }),
    ),
  },
  hint: ({ max_size }) => ({ code: 'file_hint', params: { size: sizeInWords(max_size) } }),
  takesSeveral: ({ multiple }) => multiple,
  // What comes as text is a name alone: the form was not sent as multipart/form-data.
  checkValue: () => ({ code: 'file_not_sent' }),
  takeFiles: ({ max_size }, sent) => {
    const large = sent.findIndex(({ bytes }) => bytes.length > max_size);
    if (large >= 0)
      return err({
        code: 'file_too_large',
        params: { name: sent[large]?.name, size: sizeInWords(max_size) },
        at: large,
      });
    return ok(sent.map(taken));
  },
  control: (field, state) =>
    html`<input${attributes({ type: 'file', ...controlAttributes(field, state, 'input'), multiple: field.multiple })}>`,
});

const taken = ({ name, type, bytes }: SentFile): UploadedFile => ({ name, type, bytes });
