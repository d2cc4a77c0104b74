import defaults from './variable_defaults.json' with { type: 'json' };

export type VariableName = keyof typeof defaults;

/** All variables with their defaults. variable_docs.json has their docs, which no relay loads. */
export const variables = Object.entries(defaults).map(([name, fallback]) => ({
  name: name as VariableName,
  fallback: fallback ?? undefined,
}));
