import { decodeSegment } from '../url.ts';

/** The one method of each route, besides OPTIONS; GET means HEAD too. */
export const methods = { submit: 'POST', form: 'GET', token: 'GET' } as const;

/** What a path leads to. */
export interface Route {
  readonly name: keyof typeof methods;
  /** Empty when the path ends before it; `undefined` when it cannot be decoded, so that it names no form. */
  readonly formId: string | undefined;
}

/** `undefined` when the path leads nowhere. */
export function routeOf(path: string): Route | undefined {
  const [, name, segment = ''] = /^\/api\/v1\/(submit|form|token)(?:\/([^/]*))?$/.exec(path) ?? [];
  return name === undefined ? undefined : { name: name as Route['name'], formId: decodeSegment(segment) };
}
