import { required } from '../schema/keys.ts';
import { name } from '../schema/kinds.ts';
import { folderTarget } from '../transports/folder/folder_transport.ts';
import { archived, keepsFile, sealForOf, sealKeys, sealProblems, untemplated } from './archive_outputs.ts';
import { outputType } from './output.ts';
import { pdfKey } from './pdf_outputs.ts';

export const folder = outputType({
  type: 'folder',
  summary:
    'Keeps each submission in a folder: a JSON document and its files, of all fields or of what `mapping` names.',
  keys: {
    path: required(
      'The folder, which must be there: absolute, or from the folder in which the relay is started. Never templated.',
      untemplated(name()),
    ),
    ...sealKeys,
    ...pdfKey,
  },
  problems: sealProblems,
  target: (output) => folderTarget({ folder: output.path, sealFor: sealForOf(output) }),
  message: (output, job, scope) => ({ via: 'folder', folder: output.path, ...archived(output, job, scope) }),
  sendsOfItself: () => true,
  takesFile: keepsFile,
  showsField: keepsFile,
});
