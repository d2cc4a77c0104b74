/** Stands in for `node:path` in a browser: names with slashes. */

export const basename = (path: string): string => path.replace(/\/+$/, '').replace(/^.*\//, '');
export const dirname = (path: string): string =>
  /^(.*)\//.exec(path)?.[1] || (path.startsWith('/') ? '/' : '.');
export const isAbsolute = (path: string): boolean => path.startsWith('/');

/** Without `.` and `..` inside. */
export function join(...parts: string[]): string {
  const path = parts.filter(Boolean).join('/');
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (part !== '' && part !== '.' && !(part === '..' && isAbsolute(path))) kept.push(part);
  }
  return (isAbsolute(path) ? '/' : '') + (kept.join('/') || (isAbsolute(path) ? '' : '.'));
}
export const extname = (path: string): string => /.(\.[^./]*)$/.exec(basename(path))?.[1] ?? '';
export const posix = { basename, dirname, isAbsolute, join };
export default {
  basename,
  dirname,
  extname,
  isAbsolute,
  join,
  parse: (path: string) => ({ base: basename(path) }),
};
