import { recipes } from './recipes.ts';

/** Their titles by name, in a file of their own: every command reads them. The build evaluates this file, too. */
export const recipeNames: Readonly<Record<string, string>> = Object.fromEntries(
  recipes.map(({ name, title }) => [name, title]),
);
