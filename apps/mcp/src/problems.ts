/** Problems of a config, as an assistant gets them. */
import type { Problem } from '@form-relay/yaml/problem';
import * as z from 'zod/v4';

/** The config's file. */
interface Named {
  readonly file: string;
}

export const problemShape = z.object({
  severity: z.enum(['error', 'warning']),
  file: z.string(),
  line: z.number(),
  column: z.number(),
  path: z.string().describe('The key, such as forms.contact.outputs[0].on_error.'),
  code: z.string(),
  message: z.string(),
  excerpt: z.string(),
});

/** Problems without what other files hold: lists have addresses of people. */
export const problemsOf = (
  problems: readonly Problem[],
  { file: config }: Named,
): z.input<typeof problemShape>[] =>
  problems.map(({ severity, file, line, column, path, code, message, excerpt }) => {
    const where = { severity, file, line, column, path, code };
    return file === config
      ? { ...where, message, excerpt }
      : { ...where, message: 'relay config validate shows the owner what is wrong there', excerpt: '' };
  });

/** Problems as text, without colours. */
export const asWords = (problems: readonly Problem[], named: Named): string =>
  problemsOf(problems, named)
    .map(({ file, line, column, path, message, excerpt }) =>
      [`${file}:${line}:${column}: ${path && `${path}: `}${message}`, excerpt].filter(Boolean).join('\n'),
    )
    .join('\n');
