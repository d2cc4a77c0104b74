import type { TestRelay } from './relay.ts';

type Logged = Pick<TestRelay, 'logged'>;

/** Expects a line with these fields, and possibly others, in the log. */
export const expectLogged = ({ logged }: Logged, fields: object): void =>
  expect(logged).toContainEqual(expect.objectContaining(fields));

/** Waits for a line with these fields. */
export const untilLogged = (relay: Logged, fields: object): Promise<void> =>
  expect.poll(() => relay.logged).toContainEqual(expect.objectContaining(fields));
