import { templates } from './templates.ts';

/** Their titles by name, in a file of their own: every command reads them. The build evaluates this file, too. */
export const templateNames: Readonly<Record<string, string>> = Object.fromEntries(
  templates.map(({ name, title }) => [name, title]),
);
